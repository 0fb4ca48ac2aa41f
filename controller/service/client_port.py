"""The port of clients to the service of one table: status, commands, sessions, records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from controller.events import Listener
from controller.service.commands.command_desk import CommandDesk
from controller.service.port import HandRecord, LastRounds, SessionSummary
from controller.service.requests import Actor, CommandReply, CommandRequest
from controller.service.status import GameChoice, HandResult
from controller.service.status.feed import StatusFeed
from controller.service.status.machine_figures import MachineFigures
from controller.service.table_service import TableService

if TYPE_CHECKING:
    from controller.records.audit.log.log_reader import LogReader
    from controller.records.audit.notes import SignedNote, VerifierKey


class ClientPort:
    """Implements `TablePort` for one table."""

    def __init__(self, service: TableService) -> None:
        self._service = service
        self._desk = CommandDesk(service.commanded)

    @property
    def feed(self) -> StatusFeed:
        """The status and its changes."""
        return self._service.feed

    def figures(self) -> MachineFigures:
        """Counts and times of links, logs and parts."""
        return self._service.figures.figures(*self._service.audit.write_figures)

    async def diagnostics(self) -> Callable[[], bytes]:
        """A function that makes the diagnostics bundle; it may run in any thread."""
        from controller.service.servicing.diagnostic_port import (  # noqa: PLC0415 - seldom used
            diagnostics_of,
        )

        service = self._service
        return diagnostics_of(
            service.feed.snapshot().status,
            self._journal(),
            service.run.table,
            service.settings.table_file,
            service.run.selftest,
        )

    async def selftest_page(self) -> str | None:
        """The report of the last trials in service mode, as Markdown; None without any."""
        report = self._service.run.selftest
        return None if report is None else report.as_page()

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Pass every later event to `listener`; returns the function that ends that."""
        return self._service.listen(listener)

    def record_access(
        self, what: str, status: int, path: str, who: str, role: str, address: str
    ) -> None:
        """Record a request that changes something, such as a login, in the audit log."""
        self._service.audit.access(what, status, path, who, role, address)

    async def record_change(
        self, what: str, details: Mapping[str, object], who: str, role: str, address: str
    ) -> None:
        """Record a change of the accounts before it takes effect. Raises AuditError."""
        audit = self._service.audit
        await audit.record_first(what, details, who=who, role=role, source=address)

    def presence(self, client: str, connected: bool) -> None:
        """A client's first stream has begun, or its last one has ended."""
        self._service.lead_watch.presence(client, connected)

    async def presets(self) -> dict[str, GameChoice]:
        """The saved games with house rules, by name."""
        return self._service.presets.all()

    async def sessions(self, before: str | None, limit: int) -> Sequence[SessionSummary]:
        """Sessions, latest first."""
        rows = await self._service.thread.read(lambda store: store.sessions(before, limit))
        return [
            SessionSummary(
                session,
                started,
                ended,
                game,
                facts["title"],
                facts["rounds"],
                tuple(facts["names"].get(str(seat), "") for seat in range(len(facts["scores"]))),
                tuple(facts["scores"]),
            )
            for session, started, ended, game, facts in rows
        ]

    async def results(self, session: str, after: int, limit: int) -> Sequence[HandResult]:
        """Results of a session's hands, in order."""
        rows = await self._service.thread.read(lambda store: store.results(session, after, limit))
        return [HandResult.model_validate(row) for row in rows]

    async def record(self, session: str, hand: int) -> HandRecord | None:
        """The record of one hand; None if there is none."""
        found = await self._service.thread.read(lambda store: store.hand(session, hand))
        if found is None:
            return None
        lines, events, chosen = found
        choice = None if chosen is None else GameChoice.model_validate(chosen)
        return HandRecord(session, hand, tuple(lines), tuple(events), choice)

    async def record_lines(self, session: str, last: int) -> Sequence[tuple[int, Sequence[str]]]:
        """The record lines of a session's hands up to the number `last`, each with its number."""
        return await self._service.thread.read(lambda store: store.lines(session, last))

    async def journal_lines(self, after: int, limit: int) -> Sequence[str]:
        """Lines of the present run's journal with a record number above `after`, in order."""
        page = self._journal_page(after, limit)
        return await self._service.thread.read(lambda _: page())

    def _journal(self) -> Callable[[], list[str]]:
        """A function that reads the journal's lines, in order; it may run in any thread."""
        journal = self._service.run.journal
        if journal is not None:
            return journal.whole()
        return partial(_lines_of_file, self._service.settings.journal, 0, -1)

    def _journal_page(self, after: int, limit: int) -> Callable[[], list[str]]:
        """A function that reads a page of the journal; it may run in one thread."""
        journal = self._service.run.journal
        if journal is not None:
            return journal.page(after, limit)
        return partial(_lines_of_file, self._service.settings.journal, after, limit)

    async def audit_lines(self, first: int, limit: int) -> Sequence[str]:
        """Events of the audit log from the index `first` on, in order."""
        recorder = self._service.audit.recorder
        if recorder is None or first >= recorder.size:
            return ()

        def work(log: LogReader) -> list[str]:
            return [line[:-1].decode() for line in log.lines(first, first + limit)]

        return await recorder.read(work)

    async def audit_head(self, most: int) -> SignedNote | None:
        """The largest kept head of the audit log with at most `most` events; None without one."""
        recorder = self._service.audit.recorder
        if recorder is None or not recorder.size:
            return None
        return await recorder.read(lambda log: log.kept_head(most))

    async def keep_cosigned_head(self, head: SignedNote, witness: VerifierKey) -> None:
        """Keep a head with the cosignature of a witness beside the log, one a day."""
        recorder = self._service.audit.recorder
        if recorder is None:
            return
        from controller.records.audit.witnessing import keep_daily  # noqa: PLC0415 - only on a floor

        await recorder.read(lambda log: keep_daily(log.folder, head, witness))

    async def receipt(self, session: str, hand: int) -> dict[str, Any] | None:
        """The receipt of one of the last ten rounds; None if there is none."""
        recorder = self._service.audit.recorder
        if recorder is None:
            return None
        await recorder.on_disk()
        event = self._service.receipts.event_of(session, hand)
        if event is None:
            return None
        from controller.records.audit.receipts import receipt_of  # noqa: PLC0415 - seldom used

        return await recorder.read(lambda log: receipt_of(log, event))

    async def last_rounds(self) -> LastRounds:
        """The last ten rounds with their results, and the round in progress."""
        service = self._service
        playing = service.book is not None and service.book.hand > service.book.rounds
        unfinished = (
            service.receipts.unfinished(service.run.game, service.book) if playing else None
        )
        return LastRounds(tuple(dict(each) for each in service.receipts.last_rounds), unfinished)

    async def submit(self, request: CommandRequest, actor: Actor) -> CommandReply:
        """Give a command; the same id twice is executed once and gets the same reply."""
        return await self._desk.submit(request, actor)


def _lines_of_file(journal: Path | None, after: int, limit: int) -> list[str]:
    """The lines of the journal's file; its reader is imported when a client asks for them."""
    from controller.service.servicing.diagnostic_port import file_lines  # noqa: PLC0415

    return file_lines(journal, after, limit)
