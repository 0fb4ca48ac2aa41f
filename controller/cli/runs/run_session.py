"""One run of a table, from its first event to its summary."""

from __future__ import annotations

import asyncio
import sys
import time
from contextlib import closing
from datetime import UTC, datetime
from typing import TextIO

from controller.assembly import Hardware, daemon_for, on_lines, simulated
from controller.cli.errors import BadInputError, as_sentence, print_error
from controller.cli.output.line_output import LineOutput, RecordFile
from controller.cli.output.result_pages import summary_page
from controller.cli.runs.host_faults import host_fault_injector
from controller.cli.runs.run_job import RunJob
from controller.cli.runs.run_resumption import (
    expected_serials,
    facts_of,
    reason_to_regather,
    resumed_entries,
)
from controller.cli.runs.stop_signals import StopSignals
from controller.cli.runs.truth_reveal import TruthReveal
from controller.cli.terminal.live_view import LiveView
from controller.cli.terminal.operator_console import OperatorConsole
from controller.cli.terminal.screen import screen
from controller.cli.terminal.terminal_guide import TerminalGuide
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
    """Run the job on an event loop of its own and return the exit code.

    Events are written to `stream`, the record of the play to `record`. Raises BadInputError for a
    port that cannot be used.
    """
    with asyncio.Runner(loop_factory=lambda: _loop(job)) as runner:
        try:
            return runner.run(session(job, stream, record))
        except ImpossibleOrderError as refusal:
            print_error(f"A board received a command that the mechanism cannot execute: {refusal}")
            return 1


def _loop(job: RunJob) -> asyncio.AbstractEventLoop:
    if job.ports:
        return asyncio.SelectorEventLoop()
    stalls = any(injected.kind == "host_stall" for injected in job.injected_faults)
    return StallingLoop(job.pace) if stalls else VirtualLoop(job.pace)


async def session(job: RunJob, stream: TextIO | None, record: TextIO | None = None) -> int:
    """Play, stop the table safely, and emit and print the summary; returns the exit code.

    Events are written to `stream`, the record of the play to `record`. Raises BadInputError for a
    port that cannot be used, and for an output file of an earlier run that is not resumed.
    """
    loop = asyncio.get_running_loop()
    begun, wall_begun = loop.time(), time.perf_counter()
    stop = asyncio.Event()
    signals = StopSignals(loop, stop.set)
    events = EventLog(lambda: loop.time() - begun)
    lines = LineOutput("Events", "--events", stream, stop.set) if stream is not None else None
    record_file = RecordFile(record, stop.set) if record is not None else None
    outputs = [output for output in (lines, record_file) if output is not None]
    if lines is not None:
        events.listen(lines.on_event)
    console = screen(errors=stream is sys.stdout)
    operator_screen = screen(errors=stream is sys.stdout or _only_errors_are_seen())
    operator = OperatorConsole(operator_screen, sys.stdin, drawn=operator_screen.is_terminal)
    disk = SlowDisk()
    hardware = _hardware(job, operator, disk)
    storage: Storage = WriterThreads(loop) if job.ports else disk
    try:
        with (
            _journal(job, storage) as journal,
            closing(operator),
            LiveView(operator_screen, job.title, operator, lambda: loop.time() - begun) as view,
        ):
            entries = resumed_entries(job, journal)
            serials = expected_serials(job, journal)
            for board in hardware.serial:
                board.expect_serial(serials.get(board.name))
            if entries is None:
                for output in outputs:
                    output.begin()
            if job.ports:
                operator.open()
            events.listen(view.on_event)
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
                record=None if record_file is None else record_file.keep,
            )
            if entries is not None:
                daemon.run_state.resume(entries)
            if job.reveal and hardware.plant is not None:
                events.listen(TruthReveal(hardware.plant, daemon.staging, events).on_event)
            failure, cut_short = await _played(daemon, job, stop, journal)
            if record_file is not None and daemon.run_state.replay.over:
                record_file.cut()
    finally:
        hardware.close()
    summary = daemon.summary(time.perf_counter() - wall_begun)
    events.emit("summary", **summary)
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


async def _played(
    daemon: Daemon, job: RunJob, stop: asyncio.Event, journal: Journal
) -> tuple[str | None, bool]:
    """Play until the last round has ended, a stop signal arrives, or a fault ends the run.

    Returns the fault with its next step, if a fault occurred, and whether the run was cut short.
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
    # A real table that is ready to play is still in its round, which a later run resumes. A
    # simulated table ends with its process.
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
    """Write the end of the run to the journal, after the last round; returns an error of that.

    A run that was stopped earlier has no end in the journal, and is unfinished.
    """
    try:
        journal.end()
        await journal.settle()
    except JournalError as error:
        return error
    return None


def _only(error: BaseException | None) -> BaseException | None:
    """The only error of an exception group, the whole group if it has several, or the error."""
    return only(error) if isinstance(error, BaseExceptionGroup) else error


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
        raise BadInputError(as_sentence(error)) from error


def _journal(job: RunJob, storage: Storage) -> Journal:
    """Open the journal of the job; without a file it is kept in memory during the run."""
    started = datetime.now(UTC).isoformat(timespec="seconds")
    if job.journal is None:
        return Journal.in_memory(started, facts_of(job), storage)
    return Journal(job.journal, started, facts_of(job), job.journal_copy, storage)
