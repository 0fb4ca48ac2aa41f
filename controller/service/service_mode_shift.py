"""Service mode as a state of the service: opens the boards for it, and returns to the state before.

The table's run is stopped before service mode begins. On a real table the next run resumes from the
journal, unless a part that carries tiles has moved: then people put every tile away first. They do
so, too, if the service ends in service mode without leaving it, because it is not recorded which
parts have moved.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

from config.schema import Table
from controller.run.assembly import Hardware
from controller.run.health.statistics import TableStatistics, statistics_of
from controller.run.journal import JournalError, read_records
from controller.service.evening.game_choices import PlannedGame
from controller.service.settings import ServiceSettings
from controller.upkeep.selftest import Result, SelfTestReport
from controller.upkeep.service_mode.mode_status import ServiceModeStatus
from controller.upkeep.service_mode.part_homing import Departure
from controller.upkeep.service_mode.questions import Helper
from controller.upkeep.service_mode.service_mode import ServiceMode, Workshop, service_mode
from firmware_bridge.wire.errors import BoardError


class ServiceModeShift:
    """One stay in service mode, from the command that enters it to the one that leaves it.

    `open_hardware` opens the table without players, with a simulated helper if it is simulated.
    `show` takes every status.
    """

    def __init__(
        self,
        name: str,
        table: Table,
        game: PlannedGame,
        open_hardware: Callable[[], tuple[Hardware, Helper | None]],
        clock: Callable[[], float],
        show: Callable[[ServiceModeStatus | None], None],
        settings: ServiceSettings,
    ) -> None:
        self.name = name
        self.mode: ServiceMode | None = None
        """Service mode once it has begun."""
        self.departure: Departure | None = None
        """How service mode was left; None before that, and if it could not be entered."""
        self.report: SelfTestReport | None = None
        """The report of the trials; None without any."""
        self.failure = ""
        """Why service mode could not be entered."""
        self._table = table
        self._game = game
        self._open = open_hardware
        self._clock = clock
        self._show = show
        self._settings = settings
        self._started = datetime.now(UTC).isoformat(timespec="seconds")
        self._is_simulated = False
        self._begun = asyncio.Event()
        self._leaving = asyncio.Event()
        self._over = asyncio.Event()

    @property
    def tiles_moved(self) -> bool:
        """Whether tiles may be elsewhere than the records of the table say."""
        return self.departure is not None and self.departure.tiles_may_have_moved

    def leave(self) -> None:
        """Leave service mode soon."""
        self._leaving.set()

    async def wait_begun(self) -> None:
        """Wait until service mode has begun or has failed to begin."""
        await self._begun.wait()

    async def wait_over(self) -> None:
        """Wait until service mode has been left."""
        await self._over.wait()

    def present_report(self) -> SelfTestReport | None:
        """The report of the trials so far; None without any."""
        if self.mode is None or not self.mode.results:
            return self.report
        return self._report_of(self.mode.results, "interrupted")

    def refuse(self, why: str) -> None:
        """End the stay before it has begun."""
        self.failure = why
        self._begun.set()
        self._over.set()

    async def run(self, announce: Callable[[], None]) -> None:
        """Open the boards, stay in service mode until `leave`, close the boards.

        `announce` is called when service mode has begun, before any client learns of it.
        """
        try:
            await self._stay(announce)
        finally:
            self.mode = None
            self._show(None)
            self._begun.set()
            self._over.set()

    async def _stay(self, announce: Callable[[], None]) -> None:
        try:
            hardware, helper = self._open()
        except BoardError as error:
            self.failure = str(error)
            return
        self._is_simulated = hardware.plant is not None
        try:
            for board in hardware.boards.values():
                await board.start()
            workshop = Workshop(
                self._table,
                self._game.config.tile,
                hardware.boards,
                self._clock,
                table_file=self._settings.table_file,
                helper=helper,
                statistics=self._statistics(),
                pace=self._settings.pace,
            )
            async with service_mode(workshop, self.name, self._show) as mode:
                self.mode = mode
                announce()
                self._begun.set()
                await self._leaving.wait()
                self.departure = await mode.leave()
                if mode.results:
                    self.report = self._report_of(mode.results, "completed")
        except BoardError as error:
            self.failure = str(error)
        finally:
            for board in hardware.boards.values():
                await board.close()
            hardware.close()

    def _report_of(self, results: list[Result], ended: str) -> SelfTestReport:
        return SelfTestReport(
            self._table.name, self._started, self._is_simulated, {}, list(results), ended
        )

    def _statistics(self) -> TableStatistics | None:
        """The statistics of the table's journal; None without a readable journal."""
        journal = self._settings.journal
        if journal is None:
            return None
        try:
            return statistics_of(read_records(journal, self._settings.journal_copy))
        except JournalError:
            return None
