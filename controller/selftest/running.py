"""How trials are run: announced, leased, tried, confirmed, judged."""

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
    """One table under test. `told` hears every result at once; boards are open."""

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
        """Every trial in turn. On the way out, however, all that moves is stopped."""
        try:
            for trial in trials(self._subject):
                self._told(await self._try(trial))
        finally:
            for board in self._subject.boards.values():
                board.stop_all()

    async def _try(self, trial: Trial) -> Result:
        """What a trial came to. It is confirmed even if its sensors disagree: both are told."""
        watcher = self._subject.watcher
        if not await watcher.begin(trial.please, trial.channels):
            return trial.came_to("", TrialAnswer.SKIP, TrialVerdict.SKIPPED)
        seen, agrees = await self._seen(trial)
        said = None
        if trial.question:
            said = await watcher.confirm(trial.question, trial.channels)
        return trial.came_to(seen, said, _verdict(agrees, said))

    async def _seen(self, trial: Trial) -> tuple[str, bool]:
        """What the sensors told, and whether it is what they should."""
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
        """What the trial latched must not fail the next one; what persists will."""
        for board in self._subject.boards.values():
            with suppress(BoardError):
                await board.clear()


def _verdict(agrees: bool, said: TrialAnswer | None) -> TrialVerdict:
    """Failed if either the sensors or the person say so; a skipped answer passes nothing."""
    if not agrees or said is TrialAnswer.NO:
        return TrialVerdict.FAILED
    return TrialVerdict.SKIPPED if said is TrialAnswer.SKIP else TrialVerdict.PASSED
