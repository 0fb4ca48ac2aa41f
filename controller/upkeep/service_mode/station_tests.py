"""Test programmes: the self-test's trials of one station, with the technician as the watcher."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from config.schema import Table, TileSize
from controller.run.pausing.power_lease import BoardSupply
from controller.upkeep.selftest import Result, TableSelfTest, TrialAnswer
from controller.upkeep.service_mode.mode_status import ServiceModeRefusalError
from controller.upkeep.service_mode.questions import ANSWERS, BEGIN, SKIP, TechnicianQuestions
from firmware_bridge.board import Board


class Helper(Protocol):
    """Hands at the table besides the technician's own: on a simulated table, a simulated person."""

    def watch(self, channels: tuple[str, ...]) -> None:
        """Called before a trial of these channels, for example to lay tiles before a pusher."""

    def reach(self, sensor: str, active: bool) -> None:
        """Called when a sensor has to be covered or freed by hand."""


class TechnicianWatcher:
    """The technician as the watcher of a self-test: questions in the status, a step for requests.

    `step` takes what the technician is asked to do now; `begun` takes the channels of each trial
    before it begins.
    """

    def __init__(
        self,
        questions: TechnicianQuestions,
        step: Callable[[str], None],
        begun: Callable[[tuple[str, ...]], None],
        helper: Helper | None,
    ) -> None:
        self._questions = questions
        self._step = step
        self._begun = begun
        self._helper = helper

    async def begin(self, please: str, channels: tuple[str, ...]) -> bool:
        self._step(please)
        if await self._questions.ask("begin", please, (BEGIN, SKIP)) != BEGIN:
            return False
        self._begun(channels)
        if self._helper is not None:
            self._helper.watch(channels)
        return True

    async def confirm(self, question: str, channels: tuple[str, ...]) -> TrialAnswer:
        return ANSWERS[await self._questions.ask("confirm", question, tuple(ANSWERS))]

    async def act(self, please: str, sensor: str, active: bool) -> None:
        self._step(please)
        if self._helper is not None:
            self._helper.reach(sensor, active)


class StationTests:
    """The test programmes of one table, one for each part that has trials."""

    def __init__(
        self,
        table: Table,
        tile: TileSize,
        boards: Mapping[str, Board],
        watcher: TechnicianWatcher,
        report: Callable[[Result], None],
        supply: Mapping[str, BoardSupply] | None,
    ) -> None:
        self._selftest = TableSelfTest(table, tile, boards, watcher, report, supply)
        self.stations = self._selftest.parts
        """The parts that have a test programme."""

    def check(self, station: str) -> None:
        """Raise ServiceModeRefusalError if no part with trials has this name."""
        if station not in self.stations:
            raise ServiceModeRefusalError(
                "unknown_station",
                f"'{station[:60]}' is not a station of this table.",
                f"Name one of: {', '.join(self.stations)}.",
            )

    async def run(self, station: str) -> None:
        """Run the trials of one station in turn; each result is reported."""
        await self._selftest.run(station)
