"""One run of a table, from its first event to the summary."""

from __future__ import annotations

import asyncio
import sys
import time
from contextlib import closing
from datetime import UTC, datetime
from typing import TextIO

from controller.assembly import Hardware, daemon_for, on_lines, simulated
from controller.cli.errors import BadInputError, print_error
from controller.cli.host_faults import host_fault_injector
from controller.cli.line_output import LineOutput, RecordFile
from controller.cli.live_view import LiveView
from controller.cli.operator_console import OperatorConsole
from controller.cli.result_pages import summary_page
from controller.cli.run_job import RunJob
from controller.cli.run_resumption import facts_of, reason_to_regather, resumed_entries
from controller.cli.screen import screen
from controller.cli.stop_signals import StopSignals
from controller.cli.terminal_guide import TerminalGuide
from controller.cli.truth_reveal import TruthReveal
from controller.daemon import Daemon
from controller.events import EVENTS_VERSION, EventLog
from controller.faults.table_fault import TableFault
from controller.journal import Journal, JournalError
from controller.journal.storage import Storage
from controller.journal.writer_threads import WriterThreads
from controller.planning.hand_lanes import staging_of
from controller.planning.setup_forecast import seats_of
from controller.run_together import only
from firmware_bridge.executor.channels import ImpossibleOrderError
from firmware_bridge.sim.clock import VirtualLoop
from firmware_bridge.sim.slow_disk import SlowDisk
from firmware_bridge.sim.stall import StallingLoop
from firmware_bridge.wire.errors import BoardError


def play_job(job: RunJob, stream: TextIO | None, record: TextIO | None) -> int:
    """Run the job on an event loop of its own; returns the exit code.

    Events go to `stream`, the play to `record`. Raises BadInput for a port that cannot be used.
    """
    with asyncio.Runner(loop_factory=lambda: _loop(job)) as runner:
        try:
            return runner.run(session(job, stream, record))
        except ImpossibleOrderError as refusal:
            print_error(f"The boards drive what no mechanism can do: {refusal}")
            return 1


def _loop(job: RunJob) -> asyncio.AbstractEventLoop:
    if job.ports:
        return asyncio.SelectorEventLoop()
    stalls = any(injected.kind == "host_stall" for injected in job.injected_faults)
    return StallingLoop(job.pace) if stalls else VirtualLoop(job.pace)


async def session(job: RunJob, stream: TextIO | None, record: TextIO | None = None) -> int:
    """Play, stop safely, tell the summary; returns the exit code. Raises BadInput for a port.

    Events go to `stream`, and the play to `record`.
    """
    loop = asyncio.get_running_loop()
    begun, wall_begun = loop.time(), time.perf_counter()
    stop = asyncio.Event()
    signals = StopSignals(loop, stop.set)
    events = EventLog(lambda: loop.time() - begun)
    lines = LineOutput("Events", "--events", stream, stop.set) if stream is not None else None
    kept = RecordFile(record, stop.set) if record is not None else None
    if lines is not None:
        events.listen(lines.on_event)
    console = screen(errors=stream is sys.stdout)
    people = screen(errors=stream is sys.stdout or _only_errors_are_seen())
    asking = OperatorConsole(people, sys.stdin, drawn=people.is_terminal)
    disk = SlowDisk()
    hardware = _hardware(job, asking, disk)
    storage: Storage = WriterThreads(loop) if job.ports else disk
    try:
        with (
            _journal(job, storage) as journal,
            closing(asking),
            LiveView(people, job.title, asking, lambda: loop.time() - begun) as progress,
        ):
            if job.ports:
                asking.open()
            events.listen(progress.on_event)
            events.emit("run_started", events_version=EVENTS_VERSION)
            for sentence in journal.repairs:
                events.emit("journal_copy_repaired", message=sentence)
            daemon = daemon_for(
                hardware,
                job.table,
                job.config,
                job.orders,
                journal,
                events,
                clock=lambda: loop.time() - begun,
                record=None if kept is None else kept.keep,
            )
            story = resumed_entries(job, journal)
            if story is not None:
                daemon.run_state.resume(story)
            elif kept is not None:
                kept.begin()
            if job.reveal and hardware.plant is not None:
                events.listen(TruthReveal(hardware.plant, daemon.staging, events).on_event)
            trouble, cut_short = await _played(daemon, job, stop, journal)
            if kept is not None and daemon.run_state.replay.over:
                kept.cut()
    finally:
        hardware.close()
    summary = daemon.summary(time.perf_counter() - wall_begun)
    events.emit("summary", **summary)
    if stream is not sys.stdout:
        summary_page(console, daemon, summary)
    for written in (lines, kept):
        if written is not None:
            trouble = trouble or written.trouble
    if kept is not None and kept.kept_aside is not None:
        print_error(f"The earlier contents of the record are kept in {kept.kept_aside}.")
    if trouble is not None:
        print_error(trouble)
    if cut_short and signals.exit_code is not None:
        return signals.exit_code
    return 0 if trouble is None else 1


def _only_errors_are_seen() -> bool:
    """Whether people see standard error only: standard output goes to a file or a pipe."""
    return sys.stderr.isatty() and not sys.stdout.isatty()


async def _played(
    daemon: Daemon, job: RunJob, stop: asyncio.Event, journal: Journal
) -> tuple[str | None, bool]:
    """Play until the end, a stop, or a fault.

    Returns the fault and what to do about it, if there was one, and whether the run was cut short.
    """
    why = reason_to_regather(job, journal)
    playing = asyncio.ensure_future(
        daemon.run(job.rounds, until_ready=job.until_ready, put_away_reason=why)
    )
    stopping = asyncio.ensure_future(stop.wait())
    await asyncio.wait((playing, stopping), return_when=asyncio.FIRST_COMPLETED)
    cut_short = not playing.done()
    stopping.cancel()
    playing.cancel()
    await asyncio.wait((playing,))
    if playing.cancelled():
        return None, cut_short
    # A real table that is ready to play is in the middle of its round; a simulated one is gone.
    ended = not (job.until_ready and job.ports)
    match fault := _only(playing.exception()) or (await _end(journal) if ended else None):
        case None:
            return None, cut_short
        case TableFault():
            return f"{fault} {fault.cure}", cut_short
        case JournalError():
            return str(fault), cut_short
    raise fault


async def _end(journal: Journal) -> JournalError | None:
    """All was played: the journal's story ends here. A stop before that leaves it unfinished."""
    try:
        journal.end()
        await journal.settle()
    except JournalError as error:
        return error
    return None


def _only(trouble: BaseException | None) -> BaseException | None:
    """The failure itself, or the whole group where several came together."""
    return only(trouble) if isinstance(trouble, BaseExceptionGroup) else trouble


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
        hardware.plant.expect(staging_of(job.table, job.orders).fills)
        hardware.plant.injected_faults.on_host(host_fault_injector(job.journal, disk))
        return hardware
    try:
        return on_lines(job.table, job.orders.game, job.ports, TerminalGuide(console), job.keys)
    except BoardError as error:
        reason = str(error)
        raise BadInputError(reason[:1].upper() + reason[1:]) from error


def _journal(job: RunJob, storage: Storage) -> Journal:
    """The journal that was named; a run without one keeps it in memory, as long as it runs."""
    started = datetime.now(UTC).isoformat(timespec="seconds")
    if job.journal is None:
        return Journal.in_memory(started, facts_of(job), storage)
    return Journal(job.journal, started, facts_of(job), job.journal_copy, storage)
