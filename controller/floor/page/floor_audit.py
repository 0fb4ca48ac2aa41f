"""Records in a signed log of the floor who logs in, acknowledges, and sends requests to tables.

The log is of the same kind as that of a table: `wallwright audit show --data DIR` reads it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from controller.floor.server.port import FloorPort
from controller.floor.store.engine import StoreUnavailableError
from controller.floor.store.table_changes import (
    RecordedChange,
    mark_recorded,
    unrecorded_changes,
)
from controller.records.audit.errors import AuditError
from controller.records.audit.log.event_line import plain_details, time_text
from controller.records.audit.log.log_folder import LogFolder
from controller.records.audit.log.log_reader import checked_log
from controller.records.audit.log.recorder import AuditRecorder, RecorderClocks
from controller.run.journal.storage import Storage
from controller.service.auditing.access_events import AccessEvents
from controller.web.api.audited_requests import AuditedRequest
from controller.web.api.worker_thread import WorkerBusyError

CHANGES_EVERY = 2.0
"""Seconds between two looks for changes of tables that the log does not have."""
LOG = logging.getLogger("wallwright.floor")


class FloorAudit:
    """The audit log of one floor service. `clock` gives real seconds that do not jump.

    If the log cannot be written, the floor goes on: events wait in memory and the failure is
    logged. Raises AuditError if the log in the folder contradicts itself.
    """

    def __init__(
        self, folder: LogFolder, floor: str, clock: Callable[[], float], storage: Storage
    ) -> None:
        try:
            if folder.exists:
                checked_log(folder)
        except AuditError:
            storage.close()
            raise
        self._recorder = AuditRecorder(
            folder, f"floor-{floor}", RecorderClocks(clock), storage, changed=self._changed
        )
        self._access = AccessEvents(clock)

    def begin(self, software: str) -> None:
        """Record that the service starts."""
        self._record("power_up", {"software": software})

    def take(self, request: AuditedRequest) -> None:
        """Record a request that changes something, with its answer and its sender."""
        event = self._access.event(request.name, request.status, request.path)
        if event is not None:
            what, details = event
            self._record(what, {**request.details, **details}, request)

    def take_change(self, change: RecordedChange) -> None:
        """Record that a person has retired, unretired or renamed a table."""
        details = {
            "change": change.key,
            "table": change.table,
            "before": change.before,
            "after": change.after,
            "reason": change.by.reason,
            "made": time_text(change.at),
        }
        by = change.by
        entry = self._recorder.entry(
            change.what.value, plain_details(details), who=by.who, role=by.role, source=by.source
        )
        self._recorder.record(entry)

    async def on_disk(self) -> None:
        """Wait until every event so far is on disk. Raises AuditError while that is impossible."""
        await self._recorder.on_disk()

    def close(self) -> None:
        """Record that the service stops, and close the log."""
        self._record("service_stopped", {}, keep_head=True)
        self._recorder.close()

    def _record(
        self,
        what: str,
        details: dict[str, object],
        by: AuditedRequest | None = None,
        *,
        keep_head: bool = False,
    ) -> None:
        who, role, source = ("", "", "floor") if by is None else (by.who, by.role, by.address)
        entry = self._recorder.entry(
            what, plain_details(details), who=who, role=role, source=source
        )
        self._recorder.record(entry, keep_head=keep_head)

    def _changed(self) -> None:
        if self._recorder.failure is None:
            LOG.warning("The audit log is written again; it has all events in order.")
        else:
            LOG.warning(
                "%s Events wait in memory until the log can be written.", self._recorder.failure
            )


async def record_table_changes(port: FloorPort, audit: FloorAudit) -> None:
    """Record tables that were retired and renamed, also by the command line; until cancelled.

    A change is marked as recorded after the log has it on disk. A service that is killed between
    both records it twice, with the same number.
    """
    floor = port.room.floor
    taken: set[int] = set()
    """Changes that wait for the disk. They are not taken again while it is full."""
    while True:
        with suppress(AuditError, StoreUnavailableError, WorkerBusyError):
            changes = await port.read(partial(unrecorded_changes, floor=floor))
            for change in changes:
                if change.key not in taken:
                    audit.take_change(change)
                    taken.add(change.key)
            if taken:
                await audit.on_disk()
                await port.write(partial(mark_recorded, keys=frozenset(taken)))
                taken.clear()
        await asyncio.sleep(CHANGES_EVERY)
