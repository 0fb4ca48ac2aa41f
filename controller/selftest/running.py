"""Runs trials: announces, leases, tries, confirms and judges each one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress

from config.schema import Table, TileSize
from controller.faults.retry import Care
from controller.faults.table_fault import TableFault
from controller.pausing.power_lease import supplies
from controller.selftest.asking import Watcher
from controller.selftest.subject import Subject
from controller.selftest.trial import DisagreementError, Result, Trial, TrialAnswer, TrialVerdict
from controller.selftest.trials import trials
from firmware_bridge.board import Board
from firmware_bridge.wire.errors import BoardError


class TableSelfTest:
    """One table under test. `told` is called with every result at once; boards are open."""

    def __init__(
        self,
        table: Table,
        tile: TileSize,
        boards: Mapping[str, Board],
        watcher: Watcher,
        told: Callable[[Result], None],
    ) -> None:
        self._subject = Subject(table, tile, boards, watcher)
        self._told = told
        self._supplies = supplies(table, boards, Care())

    async def run(self) -> None:
        """Run every trial in turn. All motion is stopped on exit, also after an error."""
        try:
            for trial in trials(self._subject):
                self._told(await self._try(trial))
        finally:
            for board in self._subject.boards.values():
                board.stop_all()

    async def _try(self, trial: Trial) -> Result:
        """Run one trial. The person is asked even if the sensors disagree."""
        watcher = self._subject.watcher
        if not await watcher.begin(trial.please, trial.channels):
            return trial.came_to("", TrialAnswer.SKIP, TrialVerdict.SKIPPED)
        seen, agrees = await self._seen(trial)
        said = None
        if trial.question:
            said = await watcher.confirm(trial.question, trial.channels)
        return trial.came_to(seen, said, _verdict(agrees, said))

    async def _seen(self, trial: Trial) -> tuple[str, bool]:
        """The sensors' evidence, and whether it is as expected."""
        try:
            async with self._leased(trial.moves):
                return await trial.do(), True
        except (DisagreementError, BoardError, TableFault) as error:
            await self._clear()
            return str(error).rstrip("."), False

    @asynccontextmanager
    async def _leased(self, channels: tuple[str, ...]) -> AsyncIterator[None]:
        """The lease of the boards that move, with power on their motors."""
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
        """Clear faults that the trial latched, so that the next trial does not fail."""
        for board in self._subject.boards.values():
            with suppress(BoardError):
                await board.clear()


def _verdict(agrees: bool, said: TrialAnswer | None) -> TrialVerdict:
    """Failed if the sensors or the person disagree; a skipped answer is not a pass."""
    if not agrees or said is TrialAnswer.NO:
        return TrialVerdict.FAILED
    return TrialVerdict.SKIPPED if said is TrialAnswer.SKIP else TrialVerdict.PASSED
