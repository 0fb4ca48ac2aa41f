"""One run of a table, from its first event to its summary.

A simulated host can have faults: power cut, full disk, slow disk, corrupt journal file. `--reveal`
emits the simulated plant's true tile positions as events.
"""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TextIO

from config.layout.staging import Staging
from controller.cli.errors import BadInputError, as_sentence, print_error
from controller.cli.output.line_output import LineOutput, RecordFile
from controller.cli.output.result_pages import summary_page
from controller.cli.runs.stop_signals import StopSignals
from controller.cli.terminal.live_view import LiveView
from controller.cli.terminal.operator_console import OperatorConsole
from controller.cli.terminal.screen import screen
from controller.cli.terminal.terminal_guide import TerminalGuide
from controller.events import EVENTS_VERSION, Event, EventLog, EventName, Listener
from controller.run.assembly import Hardware, on_lines, simulated
from controller.run.journal import Journal
from controller.run.journal.storage import Storage
from controller.run.journal.writer_threads import WriterThreads
from controller.run.planning.setup_forecast import seats_of
from controller.run.rounds.programme import FixedRounds
from controller.service.runs.table_run import OtherRunError, RunJob, TableRun, open_journal
from firmware_bridge.executor.channels import ImpossibleOrderError
from firmware_bridge.sim.clock import VirtualLoop
from firmware_bridge.sim.faults.injected_fault import InjectedFault
from firmware_bridge.sim.host_computer import SlowDisk
from firmware_bridge.sim.plant.machine import Plant
from firmware_bridge.sim.plant.tiles import Tile
from firmware_bridge.sim.stall import StallingLoop
from firmware_bridge.wire.errors import BoardError

_CORRUPT_BYTES = b"\xa5" * 512


def host_fault_injector(journal: Path | None, disk: SlowDisk) -> Callable[[InjectedFault], None]:
    """Return a function that injects a fault into this process, its disk or its journal."""

    def inject(injected: InjectedFault) -> None:
        match injected.kind:
            case "power_cut":
                # As in a power cut, no file is closed or flushed and no message is written.
                os.kill(os.getpid(), signal.SIGKILL)
            case "full_disk":
                # A file size limit of 0: no file of this process can grow.
                _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
                resource.setrlimit(resource.RLIMIT_FSIZE, (0, most))
            case "slow_disk":
                disk.sync_s = injected.amount
            case "corrupt_journal" if journal is not None:
                _corrupt(journal)

    return inject


def _corrupt(file: Path) -> None:
    """Overwrite 512 bytes in the middle of the file."""
    with file.open("r+b") as opened:
        opened.seek(file.stat().st_size // 2)
        opened.write(_CORRUPT_BYTES)


class TruthReveal:
    """Emits `tiles_revealed` after the walls were raised and after the hands were dealt."""

    def __init__(self, plant: Plant, staging: Staging, events: EventLog) -> None:
        self._plant = plant
        self._staging = staging
        self._events = events
        self._built: dict[int, str] = {}
        """The place of each tile, by its number, when the walls were raised."""
        self._dealt: dict[str, int] = {}
        """The position of each dealt place in the order of the deal."""

    def on_event(self, event: Event) -> None:
        """Emit each place's tile after `walls_raised`, and each hand's tiles after `ready`."""
        match event:
            case {"event": EventName.WALLS_RAISED}:
                raised = self._raised()
                self._built = {tile.number: place for place, tile in raised.items()}
                self._dealt = {}
                places = {place: tile.face for place, tile in raised.items()}
                self._events.emit(
                    EventName.TILES_REVEALED, when=EventName.WALLS_RAISED.value, places=places
                )
            case {"event": EventName.DELIVERED, "from": list(places)}:
                for place in places:
                    self._dealt.setdefault(place, len(self._dealt))
            case {"event": EventName.READY}:
                hands = {
                    str(seat): [tile.face for tile in sorted(hand, key=self._turn)]
                    for seat, hand in self._plant.hands().items()
                }
                self._events.emit(EventName.TILES_REVEALED, when=EventName.READY.value, hands=hands)

    def _turn(self, tile: Tile) -> int:
        """The position of a tile in the deal; tiles from hand lanes have no place and come last."""
        return self._dealt.get(self._built.get(tile.number, ""), len(self._dealt))

    def _raised(self) -> dict[str, Tile]:
        """The tile in each place of the raised walls."""
        raised, field = self._plant.felt.raised, self._plant.field
        tiles = {}
        for place, slot in self._staging.slots.items():
            spot = field.wall(slot.tray, slot.column, self._staging.columns(slot.tray))
            if spot in raised:
                tiles[str(place)] = raised[spot][-slot.level]
        return tiles


def play_job(
    job: RunJob,
    stream: TextIO | None,
    record: TextIO | None,
    listener: Listener | None = None,
) -> int:
    """Run the job on an event loop of its own and return the exit code.

    Events are written to `stream` and given to `listener`, the record of the play is written to
    `record`. Raises BadInputError for a
    port that cannot be used.
    """
    with asyncio.Runner(loop_factory=lambda: _loop(job)) as runner:
        try:
            return runner.run(session(job, stream, record, listener))
        except ImpossibleOrderError as refusal:
            print_error(f"A board received a command that the mechanism cannot execute: {refusal}")
            return 1


def _loop(job: RunJob) -> asyncio.AbstractEventLoop:
    if job.ports:
        return asyncio.SelectorEventLoop()
    stalls = any(injected.kind == "host_stall" for injected in job.injected_faults)
    return StallingLoop(job.pace) if stalls else VirtualLoop(job.pace)


async def session(
    job: RunJob,
    stream: TextIO | None,
    record: TextIO | None = None,
    listener: Listener | None = None,
) -> int:
    """Play, stop the table safely, and emit and print the summary; returns the exit code.

    Events are written to `stream` and given to `listener`, the record of the play is written to
    `record`. Raises BadInputError for a
    port that cannot be used, and for an output file of an earlier run that is not resumed.
    """
    loop = asyncio.get_running_loop()
    begun, wall_begun = loop.time(), time.perf_counter()
    stop = asyncio.Event()
    signals = StopSignals(loop, stop.set)

    def clock() -> float:
        return loop.time() - begun

    events = EventLog(clock)
    lines = LineOutput("Events", "--events", stream, stop.set) if stream is not None else None
    record_file = RecordFile(record, stop.set) if record is not None else None
    outputs = [output for output in (lines, record_file) if output is not None]
    if lines is not None:
        events.listen(lines.on_event)
    if listener is not None:
        events.listen(listener)
    console = screen(errors=stream is sys.stdout)
    operator_screen = screen(errors=stream is sys.stdout or _only_errors_are_seen())
    operator = OperatorConsole(operator_screen, sys.stdin, drawn=operator_screen.is_terminal)
    disk = SlowDisk()
    hardware = _hardware(job, operator, disk)
    storage: Storage = WriterThreads(loop) if job.ports else disk
    try:
        with (
            open_journal(job, storage) as journal,
            closing(operator),
            LiveView(operator_screen, job.title, operator, clock) as view,
        ):
            run = _table_run(job, hardware, journal, events, clock, record_file)
            if run.entries is None:
                for output in outputs:
                    output.begin()
            if job.ports:
                operator.open()
            events.listen(view.on_event)
            events.emit(EventName.RUN_STARTED, events_version=EVENTS_VERSION)
            run.resume()
            daemon = run.daemon
            if job.reveal and hardware.plant is not None:
                events.listen(TruthReveal(hardware.plant, daemon.staging, events).on_event)
            programme = FixedRounds(job.orders, job.rounds, until_ready=job.until_ready)
            end = await run.play(programme, stop)
            failure, cut_short = end.sentence, end.cut_short
            if record_file is not None and daemon.run_state.replay.over:
                record_file.cut()
    finally:
        hardware.close()
    summary = daemon.summary(time.perf_counter() - wall_begun)
    events.emit(EventName.SUMMARY, **summary)
    if stream is not sys.stdout:
        summary_page(console, daemon, summary)
    for output in outputs:
        failure = failure or output.failure
    if record_file is not None and record_file.earlier_contents is not None:
        print_error(f"The earlier contents of the record are in {record_file.earlier_contents}.")
    if failure is not None:
        print_error(failure)
    if cut_short and signals.exit_code is not None:
        return signals.exit_code
    return 0 if failure is None else 1


def _only_errors_are_seen() -> bool:
    """Whether only standard error is a terminal; standard output goes to a file or a pipe."""
    return sys.stderr.isatty() and not sys.stdout.isatty()


def _table_run(
    job: RunJob,
    hardware: Hardware,
    journal: Journal,
    events: EventLog,
    clock: Callable[[], float],
    record: RecordFile | None,
) -> TableRun:
    """Create the run. Raises BadInputError if the journal has an unfinished run of another kind."""
    try:
        return TableRun(
            job,
            hardware,
            journal,
            events,
            clock=clock,
            record=None if record is None else record.keep,
        )
    except OtherRunError as refusal:
        raise BadInputError(str(refusal)) from refusal


def _hardware(job: RunJob, console: OperatorConsole, disk: SlowDisk) -> Hardware:
    if not job.ports:
        seats = seats_of(job.orders.setup(job.orders.dealer))
        hardware = simulated(
            job.table,
            job.config,
            job.orders.game,
            seats,
            job.seed,
            injected_faults=job.injected_faults,
            emulated=job.emulated,
        )
        assert hardware.plant is not None
        hardware.plant.injected_faults.on_host(host_fault_injector(job.journal, disk))
        return hardware
    try:
        return on_lines(job.table, job.orders.game, job.ports, TerminalGuide(console), job.keys)
    except BoardError as error:
        raise BadInputError(as_sentence(error)) from error
