"""Questions to the technician, one at a time: those of calibrations and of test programmes.

A test programme is the self-test's trials of one station, with the technician as the watcher.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping
from typing import Literal, Protocol

from config.schema import Table, TileSize
from controller.run.pausing.leases import BoardSupply
from controller.upkeep.selftest import Result, TableSelfTest, TrialAnswer
from controller.upkeep.service_mode.mode_status import ModeQuestion, ServiceModeRefusalError
from firmware_bridge.board import Board

BEGIN, SKIP = "begin", "skip"
"""The answers to the announcement of a trial."""


class TechnicianQuestions:
    """Asks the technician and waits for the answer; `changed` is called at every change."""

    def __init__(self, clock: Callable[[], float], changed: Callable[[], None]) -> None:
        self._clock = clock
        self._changed = changed
        self._number = 0
        self._answer: asyncio.Future[str] | None = None
        self.open: ModeQuestion | None = None
        """The question that is not answered yet."""
        self._last: tuple[str, str] = ("", "")

    async def ask(
        self,
        kind: Literal["begin", "confirm", "measure"],
        text: str,
        choices: tuple[str, ...] = (),
        unit: str = "",
    ) -> str:
        """Ask, and return the answer: one of the choices, or the number of a measurement."""
        self._number += 1
        self.open = ModeQuestion(
            id=f"s{self._number}",
            kind=kind,
            text=text,
            choices=choices,
            unit=unit,
            since=round(self._clock(), 3),
        )
        self._answer = asyncio.get_running_loop().create_future()
        self._changed()
        try:
            return await self._answer
        finally:
            self.open = self._answer = None
            self._changed()

    def answer(self, question: str, value: str) -> None:
        """Answer a question by its id. Raises ServiceModeRefusalError.

        The same answer to the last question again has no effect.
        """
        if (question, value) == self._last:
            return
        asked, waiting = self.open, self._answer
        if asked is None or waiting is None or asked.id != question or waiting.done():
            raise ServiceModeRefusalError(
                "no_question",
                f"The question '{question[:20]}' is not open.",
                "Answer the question that is shown now.",
            )
        if asked.kind == "measure":
            value = _number(value, asked.unit)
        elif value not in asked.choices:
            raise ServiceModeRefusalError(
                "bad_answer",
                f"'{value[:40]}' is not an answer to this question.",
                f"Answer {' or '.join(asked.choices)}.",
            )
        self._last = (question, value)
        waiting.set_result(value)


def _number(value: str, unit: str) -> str:
    """A measured value as text. Raises ServiceModeRefusalError if it is not a positive number."""
    try:
        number = float(value.replace(",", "."))
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and number > 0):
        raise ServiceModeRefusalError(
            "bad_answer",
            f"'{value[:40]}' is not a positive number.",
            f"Enter the measured number of {unit}.",
        )
    return repr(number)


ANSWERS = {"yes": TrialAnswer.YES, "no": TrialAnswer.NO, SKIP: TrialAnswer.SKIP}
"""The answers to the question of a trial."""


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
