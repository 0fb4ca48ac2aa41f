"""Runs the trials of a self-test: announces each one, carries it out, asks, and judges it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress

from config.schema import Table, TileSize
from controller.run.faults.retry import FaultHandler
from controller.run.faults.table_fault import TableFault
from controller.run.pausing.power_lease import BoardSupply, supplies
from controller.upkeep.selftest.asking import Watcher
from controller.upkeep.selftest.table_under_test import TableUnderTest
from controller.upkeep.selftest.trial import (
    DisagreementError,
    Result,
    Trial,
    TrialAnswer,
    TrialVerdict,
)
from controller.upkeep.selftest.trials import trials
from firmware_bridge.board import Board
from firmware_bridge.wire.errors import BoardError


class TableSelfTest:
    """The self-test of one table. `boards` are open; `report` is called with each result.

    `supply` are the supplies of boards with a relay or signal lamps; without them, supplies are
    created for the table.
    """

    def __init__(
        self,
        table: Table,
        tile: TileSize,
        boards: Mapping[str, Board],
        watcher: Watcher,
        report: Callable[[Result], None],
        supply: Mapping[str, BoardSupply] | None = None,
    ) -> None:
        self._subject = TableUnderTest(table, tile, boards, watcher)
        self._report = report
        self._supplies = supplies(table, boards, FaultHandler()) if supply is None else supply

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts that have trials, in the order of the trials."""
        return tuple(dict.fromkeys(trial.part for trial in trials(self._subject)))

    def trials_of(self, part: str | None = None) -> list[Trial]:
        """The trials of one part, or of every part."""
        return [trial for trial in trials(self._subject) if part in (None, trial.part)]

    async def run(self, part: str | None = None) -> None:
        """Run the trials of one part, or all. All motion is stopped at the end, also on errors."""
        try:
            for trial in self.trials_of(part):
                self._report(await self._run_trial(trial))
        finally:
            for board in self._subject.boards.values():
                board.stop_all()

    async def _run_trial(self, trial: Trial) -> Result:
        """Run one trial. The person is asked even if the sensors show a failure."""
        watcher = self._subject.watcher
        if not await watcher.begin(trial.please, trial.channels):
            return trial.result("", TrialAnswer.SKIP, TrialVerdict.SKIPPED)
        seen, is_confirmed = await self._evidence(trial)
        answer = None
        if trial.question:
            answer = await watcher.confirm(trial.question, trial.channels)
        return trial.result(seen, answer, _verdict(is_confirmed, answer))

    async def _evidence(self, trial: Trial) -> tuple[str, bool]:
        """Carry out a trial; returns its evidence and whether the sensors confirm the effect."""
        try:
            async with self._leased(trial.moves):
                return await trial.do(), True
        except (DisagreementError, BoardError, TableFault) as error:
            await self._clear()
            return str(error).rstrip("."), False

    @asynccontextmanager
    async def _leased(self, channels: tuple[str, ...]) -> AsyncIterator[None]:
        """Hold the leases of these channels' boards, with power on the motors, within a block."""
        names = dict.fromkeys(self._subject.table.board_of(channel) for channel in channels)
        held = [self._supplies.get(name) or self._subject.boards[name] for name in names]
        taken = []
        try:
            for lessor in held:
                await lessor.hold_lease()
                taken.append(lessor)
            yield
        finally:
            for lessor in taken:
                with suppress(BoardError):
                    await lessor.release_lease()

    async def _clear(self) -> None:
        """Clear faults that a trial has latched, so that the next trial can run."""
        for board in self._subject.boards.values():
            with suppress(BoardError):
                await board.clear()


def _verdict(is_confirmed: bool, answer: TrialAnswer | None) -> TrialVerdict:
    """Failed if the sensors or the person deny the effect; a skipped question is not a pass."""
    if not is_confirmed or answer is TrialAnswer.NO:
        return TrialVerdict.FAILED
    return TrialVerdict.SKIPPED if answer is TrialAnswer.SKIP else TrialVerdict.PASSED
