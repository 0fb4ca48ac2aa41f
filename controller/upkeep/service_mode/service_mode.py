"""Service mode of one table: what a technician needs to check, adjust and repair it.

Service mode is entered only while no session runs, and the table is not playable in it. At the
entry the ends of all parts are recorded; when it is left, every motion is stopped, parts that have
moved return to these ends, and every output is at its safe value.

The boards are the hardware's own boards and not resumable ones: a resumable board would continue a
motion after an emergency stop, and a jog must not continue without a renewal.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from config.schema import Table, TileSize
from controller.run.health.statistics import TableStatistics
from controller.run.health.storage_life import storage_used
from controller.run.pausing.leases import BoardSupply
from controller.upkeep.selftest import Result
from controller.upkeep.service_mode.activities import Activities, Kind
from controller.upkeep.service_mode.calibration import Calibration
from controller.upkeep.service_mode.calibration_offers import CalibrationOffers
from controller.upkeep.service_mode.channels import WINDOW, ChannelMonitor, channel_facts
from controller.upkeep.service_mode.jogging import RENEWAL, Direction, Jogging, Press
from controller.upkeep.service_mode.mode_status import (
    CalibrationOffer,
    CounterStatus,
    ModeFinding,
    ServiceModeRefusalError,
    ServiceModeStatus,
    TrialStatus,
    counters_of,
)
from controller.upkeep.service_mode.part_homing import (
    BoardLeases,
    Departure,
    PartHoming,
    leave_safely,
    tiles_may_have_moved,
)
from controller.upkeep.service_mode.questions import (
    Helper,
    StationTests,
    TechnicianQuestions,
    TechnicianWatcher,
)
from controller.upkeep.service_mode.table_edits import TableChanges
from firmware_bridge.board import Board, BoardFault, FaultCode
from firmware_bridge.boards.devices import Devices
from firmware_bridge.wire.errors import BoardError

PUBLISHED = 0.05
"""Shortest time between two statuses, seconds."""
TICK = 1.0
"""Longest time between two statuses, in which old points leave the traces, seconds."""
FINDINGS = 20
"""Number of findings in the status."""


@dataclass(frozen=True)
class Workshop:
    """The table on which service mode works.

    `boards` are open. `supply` are the supplies of boards with a relay or signal lamps, if another
    part of the program has created them. `table_file` is the table's own file, None for a table of
    the package. `helper` is a simulated person. `statistics` are those of the table's journal.
    `pace` is the number of seconds of the event loop's clock in a real second.
    """

    table: Table
    tile: TileSize
    boards: Mapping[str, Board]
    clock: Callable[[], float]
    supply: Mapping[str, BoardSupply] | None = None
    table_file: Path | None = None
    helper: Helper | None = None
    statistics: TableStatistics | None = None
    pace: float = 1.0


class ServiceMode:
    """Service mode of one table; `publish` is called with every new status.

    Commands that are not executed raise ServiceModeRefusalError.
    """

    def __init__(
        self, workshop: Workshop, name: str, publish: Callable[[ServiceModeStatus], None]
    ) -> None:
        self._shop = workshop
        self._name = name
        self._publish = publish
        self._since = round(workshop.clock(), 3)
        self._changed = asyncio.Event()
        self._findings: deque[ModeFinding] = deque(maxlen=FINDINGS)
        self._latched: dict[BoardFault, None] = {}
        self._counters: tuple[CounterStatus, ...] = ()
        self._moved: set[str] = set()
        self._tasks: list[asyncio.Task[None]] = []
        self.results: list[Result] = []
        """The results of all trials since the entry, for the self-test report."""
        table, boards, clock = workshop.table, workshop.boards, workshop.clock
        devices = Devices(table, boards)
        self._activities = Activities(clock, self._report, self._mark)
        self._leases = BoardLeases(table, boards, workshop.supply)
        self._homing = PartHoming(table, workshop.tile, devices)
        facts = self._facts = channel_facts(table, self._homing.channels)
        monitor = self._monitor = ChannelMonitor(
            table, boards, facts, clock, self._mark, self._lost
        )
        self._jogging = Jogging(
            table,
            boards,
            self._leases,
            monitor,
            facts,
            clock,
            self._report,
            self._mark,
            workshop.pace,
        )
        questions = self._questions = TechnicianQuestions(clock, self._mark)
        step = self._activities.step
        watcher = TechnicianWatcher(questions, step, self._note, workshop.helper)
        self._tests = StationTests(
            table, workshop.tile, boards, watcher, self._take_result, workshop.supply
        )
        self._offers = CalibrationOffers(
            table, devices, self._homing, self._leases, monitor, watcher, questions, step
        )
        self._changes = TableChanges(table, workshop.table_file)

    # Commands

    async def jog(self, channel: str, direction: Direction, speed: int, press: Press) -> None:
        """Begin or renew a jog, which stops `RENEWAL` seconds after the last renewal."""
        self._activities.check_free()
        await self._jogging.renew(channel, direction, speed, press)

    async def stop_jog(self, client: str | None = None, number: str = "") -> None:
        """Stop the jog of this client (None: of any client), with a number only of this press."""
        await self._jogging.stop(client, number)

    def home(self, channel: str) -> None:
        """Begin to home a channel, or (an empty name) every part that has a home position."""
        moves = self._homing.channels_of(channel)

        async def home() -> None:
            async with self._leases.held(moves):
                await self._homing.home(channel, self._activities.step)
            self._report(f"{channel or 'Every part'} is at home.", "info")

        self._begin("home", channel or "every part", home, moves)

    def run_test(self, station: str) -> None:
        """Begin the test programme of a station; its questions are answered by `answer`."""
        self._tests.check(station)
        self._begin("test", station, partial(self._tests.run, station))

    def calibrate(self, kind: str, target: str) -> None:
        """Begin a calibration; its proposal is a change, which a person confirms or discards."""
        calibration = self._offers.find(kind, target)
        self._changes.check_none_open()
        measure = partial(self._calibrate, calibration)
        self._begin("calibration", target or kind, measure, calibration.moves)

    def answer(self, question: str, value: str) -> None:
        """Answer the open question by its id."""
        self._questions.answer(question, value)

    async def stop_activity(self) -> None:
        """End homing, a test programme or a calibration; every motion stops at once."""
        self._leases.stop()
        if await self._activities.stop():
            self._report("The technician stopped it.", "warning")

    def confirm_change(self, change: str) -> None:
        """Write the proposed change to the table's file; the next start of the service uses it."""
        self._report(self._changes.confirm(change), "info")

    def discard_change(self, change: str) -> None:
        """Discard the proposed change."""
        self._changes.discard(change)
        self._report("The proposed change was discarded.", "info")

    async def clear_faults(self) -> None:
        """Clear the latched faults of every board."""
        for name, board in self._shop.boards.items():
            try:
                await board.clear()
            except BoardError as error:
                raise ServiceModeRefusalError(
                    "cause_persists", str(error), "Remove the cause, then clear the fault again."
                ) from None
            self._latched = {fault: None for fault in self._latched if fault.board != name}
            self._mark()

    # Status

    @property
    def status(self) -> ServiceModeStatus:
        """The present status."""
        moved, statistics = self._moved | self._jogging.moved, self._shop.statistics
        return ServiceModeStatus(
            since=self._since,
            name=self._name,
            renewal_s=RENEWAL,
            trace_s=WINDOW,
            channels=self._monitor.view(),
            stations=self._tests.stations,
            jog=self._jogging.status,
            activity=self._activities.status,
            question=self._questions.open,
            results=tuple(map(_trial_status, self.results)),
            calibrations=tuple(map(_offer, self._offers.every)),
            change=self._changes.proposed,
            counters=self._counters,
            warnings=statistics.warnings if statistics is not None else (),
            latched=tuple(map(_fault_text, self._latched)),
            moved=tuple(sorted(moved)),
            tiles_may_have_moved=tiles_may_have_moved(self._shop.table, moved),
            findings=tuple(self._findings),
        )

    # Entering and leaving

    async def enter(self) -> None:
        """Read every channel, record the ends of all parts, and begin to publish the status."""
        await self._monitor.start()
        self._homing.remember(self._monitor.levels())
        used = await storage_used(self._shop.boards)
        self._counters = counters_of(self._shop.statistics, used)
        for board in self._shop.boards.values():
            self._tasks.append(asyncio.create_task(self._watch_faults(board)))
        self._publish(self.status)
        self._tasks.append(asyncio.create_task(self._publish_changes()))

    async def leave(self) -> Departure:
        """Stop everything, return moved parts to their ends, and check that outputs are safe."""
        await self._jogging.stop()
        await self.stop_activity()
        self._leases.stop()
        departure = await leave_safely(
            self._shop.table,
            self._homing,
            self._leases,
            self._monitor,
            self._moved | self._jogging.moved,
        )
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._monitor.close()
        return departure

    # Helpers

    def _begin(
        self,
        kind: Kind,
        target: str,
        work: Callable[[], Coroutine[Any, Any, None]],
        moves: tuple[str, ...] = (),
    ) -> None:
        """Begin an activity, unless parts move already. Raises ServiceModeRefusalError."""
        if (jog := self._jogging.status) is not None:
            raise ServiceModeRefusalError(
                "jog_in_use",
                f"{jog.name} is jogging {jog.channel}.",
                "Wait until the button is released.",
            )
        axes = [name for name in moves if self._facts[name].kind == "axis"]

        async def watched() -> None:
            self._monitor.look_at(axes)
            try:
                await work()
            finally:
                self._monitor.look_at()
            for axis in axes:
                await self._monitor.refresh(axis)

        self._activities.begin(kind, target, watched)
        self._note(moves)

    async def _calibrate(self, calibration: Calibration) -> None:
        assert calibration.measure is not None
        measured = await calibration.measure()
        for sentence in measured.sentences:
            self._report(sentence, "info")
        if measured.edits:
            self._changes.propose(measured.edits)

    def _mark(self) -> None:
        self._changed.set()

    def _note(self, channels: tuple[str, ...]) -> None:
        """Record the motors and axes among these channels as moved."""
        self._moved |= {name for name in channels if self._facts[name].jog}

    def _report(self, text: str, kind: Literal["info", "warning", "fault"]) -> None:
        at = round(self._shop.clock(), 3)
        self._findings.append(ModeFinding(at=at, text=text, kind=kind))
        self._mark()

    def _take_result(self, result: Result) -> None:
        self.results.append(result)
        self._mark()

    def _lost(self, board: str, sentence: str) -> None:
        self._report(sentence, "fault")

    async def _watch_faults(self, board: Board) -> None:
        """Show every fault that a board latches, until the board is lost."""
        with suppress(BoardError), closing(board.faults) as faults:
            async for fault in faults:
                if isinstance(fault, BoardFault) and fault.code is not FaultCode.LEASE_EXPIRED:
                    self._latched[fault] = None
                    self._report(f"{_fault_text(fault)} was latched.", "fault")

    async def _publish_changes(self) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(TICK):
                    await self._changed.wait()
            self._changed.clear()
            self._publish(self.status)
            await asyncio.sleep(PUBLISHED)


@asynccontextmanager
async def service_mode(
    workshop: Workshop, name: str, publish: Callable[[ServiceModeStatus], None]
) -> AsyncIterator[ServiceMode]:
    """Enter service mode for a block; it is left at the end, also after an error."""
    mode = ServiceMode(workshop, name, publish)
    try:
        await mode.enter()
        yield mode
    finally:
        await mode.leave()


def _fault_text(fault: BoardFault) -> str:
    channel = f" at {fault.channel}" if fault.channel else ""
    return f"{fault.code.name}{channel} on board {fault.board}"


def _offer(calibration: Calibration) -> CalibrationOffer:
    return CalibrationOffer(
        kind=calibration.kind,
        target=calibration.target,
        title=calibration.title,
        unavailable=calibration.unavailable,
    )


def _trial_status(result: Result) -> TrialStatus:
    return TrialStatus(
        part=result.part,
        what=result.what,
        channels=result.channels,
        seen=result.seen,
        answer=result.answer,
        verdict=result.verdict.value,
    )
