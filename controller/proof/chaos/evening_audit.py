"""The audit log of a chaos evening: every host records in it, and its bundle is verified.

A host that is killed leaves a part of a line behind it, as a power cut during a write does.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from controller.events import Event
from controller.events.lookups import RECORDED
from controller.records.audit.bundle import export_bundle, verify_bundle
from controller.records.audit.errors import AuditError, RefusedProofError
from controller.records.audit.log.log_folder import LogFolder
from controller.records.audit.log.log_reader import checked_log
from controller.records.audit.log.recorder import AuditRecorder, ClockReading
from controller.records.audit.significant_events import details_of, plain_details
from controller.run.journal.storage import DirectStorage

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
"""The computer's time when an evening begins."""


class EveningAudit:
    """The log of one evening in a folder. `clock` gives the seconds since the evening began."""

    def __init__(
        self, folder: Path, table: str, clock: Callable[[], float], chance: Random
    ) -> None:
        self._folder = LogFolder(folder)
        self._table = table
        self._clock = clock
        self._chance = chance
        self._recorder: AuditRecorder | None = None
        self._recorded = 0
        """Number of events that the hosts have recorded."""

    def begin_host(self) -> None:
        """Open the log for a new host, which reads and checks all of it."""
        self._recorder = AuditRecorder(
            self._folder,
            self._table,
            self._clock,
            DirectStorage(),
            clocks=self._clocks,
        )
        self._record("power_up", {})

    def _clocks(self) -> ClockReading:
        seconds = self._clock()
        return ClockReading(NOON + timedelta(seconds=seconds), seconds)

    def hear(self, event: Event) -> None:
        """Record an event of the table if it is significant."""
        if event["event"] in RECORDED:
            self._record(str(event["event"]), details_of(event))

    def end_host(self, *, killed: bool) -> list[str]:
        """End the host; returns a sentence if it could not write an event."""
        recorder, self._recorder = self._recorder, None
        assert recorder is not None
        if not killed or recorder.log is None:
            recorder.close()
            return [recorder.failure] if recorder.failure else []
        recorder.log.close()
        with self._folder.events.open("r+b") as events:
            line = events.readline()
            events.seek(0, io.SEEK_END)
            events.write(line[: self._chance.randrange(len(line))])
        return [recorder.failure] if recorder.failure else []

    def findings(self) -> list[str]:
        """Export the bundle of the whole evening and verify it; a sentence if it is refused."""
        bundle = io.BytesIO()
        try:
            log = checked_log(self._folder)
            export_bundle(log, bundle)
            bundle.seek(0)
            verified = verify_bundle(bundle)
        except (AuditError, RefusedProofError) as error:
            return [f"The bundle of the audit log does not verify: {error}"]
        if verified.size < self._recorded + 1:
            return [f"{self._recorded} events were recorded, but the log has {verified.size}."]
        return []

    def _record(self, what: str, details: dict[str, object]) -> None:
        if self._recorder is not None:
            self._recorder.record(self._recorder.entry(what, plain_details(details)))
            self._recorded += 1
