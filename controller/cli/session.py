"""One run of a table, from its first event to the summary."""

from __future__ import annotations

import asyncio
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TextIO

from controller.cli.errors import BadInput
from controller.cli.job import Job
from controller.cli.pages import summary_page
from controller.cli.progress import Progress
from controller.cli.screen import screen
from controller.cli.terminal import Terminal
from controller.daemon import Daemon
from controller.events import Event, EventLog, json_lines
from controller.faults import TableFault
from controller.hardware import Hardware, on_lines, simulated
from controller.journal import Journal, JournalError
from controller.rest import seats_of
from controller.reveal import Reveal
from firmware_bridge.board import BoardError


async def session(job: Job, stream: TextIO | None) -> int:
    """Play, stop safely, tell the summary; returns the exit code. Raises BadInput for a port."""
    loop = asyncio.get_running_loop()
    begun, wall_begun = loop.time(), time.perf_counter()
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    events = EventLog(lambda: loop.time() - begun)
    lines = Lines(stream, stop.set) if stream is not None else None
    if lines is not None:
        events.listen(lines.hear)
    console = screen(errors=stream is sys.stdout)
    hardware = _hardware(job, console.file)
    try:
        with _journal(job) as journal, Progress(console, job.title) as progress:
            events.listen(progress.hear)
            daemon = Daemon(
                job.table,
                job.config,
                job.orders,
                hardware.boards,
                hardware.guide,
                journal,
                events,
                face_of=hardware.face_of,
                traffic=hardware.traffic,
                clock=lambda: loop.time() - begun,
            )
            if job.reveal and hardware.plant is not None:
                events.listen(Reveal(hardware.plant, daemon.staging, events).hear)
            trouble = await _played(daemon, job, stop)
    finally:
        hardware.close()
    summary = daemon.summary(time.perf_counter() - wall_begun)
    events.tell("summary", **summary)
    if stream is not sys.stdout:
        summary_page(console, daemon, summary)
    if lines is not None:
        trouble = trouble or lines.trouble
    if trouble is not None:
        print(trouble, file=sys.stderr)
    return 0 if trouble is None else 1


class Lines:
    """Events as lines of JSON, written at once; where that fails, the table is told to stop."""

    def __init__(self, stream: TextIO, stop: Callable[[], None]) -> None:
        self.trouble: str | None = None
        """Why the rest could not be written; a reader who has seen enough is no trouble."""
        self._write = json_lines(stream)
        self._stop = stop
        self._open = True

    def hear(self, event: Event) -> None:
        """Write the next event, as long as that goes."""
        if not self._open:
            return
        try:
            self._write(event)
        except OSError as error:
            self._open = False
            if not isinstance(error, BrokenPipeError):
                self.trouble = (
                    f"Events cannot be written any more ({error.strerror}), so the table was"
                    " stopped; free the disk, or name another file with --events."
                )
            self._stop()


async def _played(daemon: Daemon, job: Job, stop: asyncio.Event) -> str | None:
    """Play until the end, a stop, or trouble: what it was and what to do."""
    playing = asyncio.ensure_future(daemon.run(job.rounds, until_ready=job.until_ready))
    stopping = asyncio.ensure_future(stop.wait())
    await asyncio.wait((playing, stopping), return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    playing.cancel()
    await asyncio.wait((playing,))
    if playing.cancelled():
        return None
    match trouble := _innermost(playing.exception()):
        case None:
            return None
        case TableFault():
            return f"{trouble} {trouble.cure}"
        case JournalError():
            return str(trouble)
    raise trouble


def _innermost(trouble: BaseException | None) -> BaseException | None:
    """The first of the failures that came together."""
    while isinstance(trouble, BaseExceptionGroup):
        trouble = trouble.exceptions[0]
    return trouble


def _hardware(job: Job, prompts: IO[str]) -> Hardware:
    if not job.ports:
        seats = seats_of(job.orders.setup(job.orders.dealer))
        return simulated(job.table, job.config, job.orders.game, seats, job.seed)
    try:
        return on_lines(job.table, job.orders.game, job.ports, Terminal(prompts))
    except BoardError as error:
        reason = str(error)
        raise BadInput(reason[:1].upper() + reason[1:]) from error


@contextmanager
def _journal(job: Job) -> Iterator[Journal]:
    """The journal that was named; a simulation without one keeps it as long as it runs."""
    started = datetime.now(UTC).isoformat(timespec="seconds")
    facts = {"table": job.table.name, "game": job.orders.game.name, "seed": job.seed}
    if job.journal is not None:
        with Journal(job.journal, started, facts) as journal:
            yield journal
        return
    with (
        tempfile.TemporaryDirectory(prefix="wallwright-") as folder,
        Journal(Path(folder) / "journal.db", started, facts) as journal,
    ):
        yield journal
