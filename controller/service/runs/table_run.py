"""One run of a table, from its opened journal to its end record, for `run` and for `serve`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from controller.events import EventLog, EventName
from controller.run.assembly import Hardware, daemon_for
from controller.run.daemon import Daemon
from controller.run.faults.failures import TableFault
from controller.run.journal import Entry, Journal, JournalError
from controller.run.journal.storage import Storage
from controller.run.planning.setup_forecast import staging_of
from controller.run.rounds.programme import RoundProgramme
from controller.run.run_together import only
from controller.service.runs.run_job import RunJob
from controller.service.runs.run_resumption import (
    expected_serials,
    facts_of,
    reason_to_regather,
    resumed_entries,
)


@dataclass(frozen=True)
class RunEnd:
    """How a run ended: the failure that ended it, if any, and whether it was cut short."""

    failure: TableFault | JournalError | None
    cut_short: bool

    @property
    def sentence(self) -> str | None:
        """The failure with its next step; None without a failure."""
        match self.failure:
            case TableFault() as fault:
                return f"{fault} {fault.cure}"
            case JournalError() as error:
                return str(error)
        return None


def open_journal(job: RunJob, storage: Storage) -> Journal:
    """Open the journal of the job; without a file it is kept in memory during the run."""
    started = datetime.now(UTC).isoformat(timespec="seconds")
    if job.journal is None:
        return Journal.in_memory(started, facts_of(job), storage)
    return Journal(
        job.journal,
        started,
        facts_of(job),
        job.journal_copy,
        storage,
        audit_anchor=job.audit_anchor,
    )


class TableRun:
    """A daemon on its hardware and its journal, ready to play.

    Raises OtherRunError if the journal has an unfinished run with other options.
    """

    def __init__(
        self,
        job: RunJob,
        hardware: Hardware,
        journal: Journal,
        events: EventLog,
        *,
        clock: Callable[[], float],
        record: Callable[[str], None] | None = None,
    ) -> None:
        self.entries: tuple[Entry, ...] | None = resumed_entries(job, journal)
        """The journal entries of the unfinished run that this run resumes; None for a new run."""
        self._job = job
        self._journal = journal
        self._events = events
        serials = expected_serials(job, journal)
        for board in hardware.serial:
            board.expect_serial(serials.get(board.name))
        if hardware.plant is not None:
            hardware.plant.expect(staging_of(job.table, job.orders).fills)
        self.daemon: Daemon = daemon_for(
            hardware,
            job.table,
            job.config,
            job.orders,
            journal,
            events,
            clock=clock,
            record=record,
        )

    def resume(self) -> None:
        """Report repaired copies of the journal; then resume the unfinished run, if any."""
        for sentence in self._journal.repairs:
            self._events.emit(EventName.JOURNAL_COPY_REPAIRED, message=sentence)
        if self.entries is not None:
            self.daemon.run_state.resume(self.entries)

    async def play(self, programme: RoundProgramme, stop: asyncio.Event) -> RunEnd:
        """Play until the programme ends, `stop` is set, or a fault ends the run.

        A run that ends by its programme gets an end record; every other one is unfinished and is
        resumed by the next run. Raises an exception group for an error of the program.
        """
        why = reason_to_regather(self._job, self._journal)
        playing = asyncio.ensure_future(self.daemon.play(programme, put_away_reason=why))
        stopping = asyncio.ensure_future(stop.wait())
        cut_short = True
        try:
            await asyncio.wait((playing, stopping), return_when=asyncio.FIRST_COMPLETED)
            cut_short = not playing.done()
        finally:
            stopping.cancel()
            playing.cancel()
            await asyncio.wait((playing,))
            if not playing.cancelled():
                # Reads the exception also if this call is cancelled and nobody asks for it.
                playing.exception()
        if playing.cancelled():
            return RunEnd(None, cut_short)
        # A real table that is ready to play is still in its round, which a later run resumes. A
        # simulated table ends with its process.
        ended = not (self._job.until_ready and self._job.ports)
        match fault := _only(playing.exception()) or (await self._end() if ended else None):
            case None | TableFault() | JournalError():
                return RunEnd(fault, cut_short)
        raise fault

    async def _end(self) -> JournalError | None:
        """Write the end of the run to the journal, after the last round; returns an error of that.

        A run that was stopped earlier has no end in the journal, and is unfinished.
        """
        try:
            self._journal.end()
            await self._journal.settle()
        except JournalError as error:
            return error
        return None


def _only(error: BaseException | None) -> BaseException | None:
    """The only error of an exception group, the whole group if it has several, or the error."""
    return only(error) if isinstance(error, BaseExceptionGroup) else error
