"""Passes the events of a table to the parts of its service, in a fixed order."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from controller.events import Event, EventName, Listener, Listeners
from controller.run.faults.failures import Fault
from controller.service.auditing.audit_trail import AuditTrail
from controller.service.auditing.receipt_book import ReceiptBook
from controller.service.evening.session_keeper import SessionKeeper
from controller.service.present_run import PresentRun
from controller.service.status.machine_figures import FiguresBook
from controller.service.tracking.round_view import deal_on_table
from controller.service.tracking.status_tracker import StatusTracker

if TYPE_CHECKING:
    from controller.run.assembly import Hardware
    from controller.run.journal import Journal


class TableEvents:
    """The events of one table: records, receipts, status, figures and session take each of them.

    `changed` publishes the status soon.
    """

    def __init__(
        self,
        run: PresentRun,
        sessions: SessionKeeper,
        audit: AuditTrail,
        receipts: ReceiptBook,
        tracker: StatusTracker,
        figures: FiguresBook,
        changed: Callable[[], None],
    ) -> None:
        self.changed = changed
        self._run = run
        self._sessions = sessions
        self._audit = audit
        self._receipts = receipts
        self._tracker = tracker
        self._figures = figures
        self._listeners = Listeners()

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Pass every later event to `listener`; returns the function that ends that."""
        return self._listeners.add(listener)

    def take(self, event: Event) -> None:
        """Take an event of the table, and pass it on."""
        if self._sessions.book is not None and self._run.daemon is not None:
            deal = deal_on_table(self._run.daemon)
            if deal is not None:
                self._sessions.book.dealer = deal.setup.seating.dealer
        self._audit.on_event(event)
        self._receipts.on_event(event, self._run.game)
        self._tracker.update(event)
        self._figures.on_event(event)
        self._sessions.update(event)
        self._listeners(event)
        self.changed()

    def report(self, sentence: str) -> None:
        """Add a sentence to the recent events."""
        self._tracker.report(sentence)
        self.changed()

    def take_fault(self, at: float, fault: Fault, part: str, sentence: str) -> None:
        """Take a fault outside of the run, at the time `at` of the table's clock."""
        facts = {"code": fault.name, "part": part, "evidence": sentence.rstrip(".")}
        self.take({"t": at, "event": EventName.FAULT.value, **facts})

    # Runs

    def begin_run(self, hardware: Hardware, journal: Journal) -> None:
        """Note that a daemon starts on its hardware and its journal."""
        self._tracker.begin_run(journal.serials)
        self._figures.begin_run(hardware, journal)

    def end_run(self) -> None:
        """Note that the daemon has ended."""
        self._tracker.end_run()
        self._figures.end_run()

    def clear_fault(self) -> None:
        """Note that the table starts again after a fault."""
        self._tracker.clear_fault()

    def round_over(self) -> None:
        """Count the round that is over, and record its receipt."""
        self._tracker.count_round()
        if self._sessions.book is not None:
            self._receipts.round_over(self._sessions.book)
