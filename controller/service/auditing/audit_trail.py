"""Records what happens at a table in its audit log, and counts starts, lids and service entries.

Without a recorder, as in tests, events are counted and not kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, TypedDict

from controller.events import Event, EventName
from controller.events.lookups import RECORDED
from controller.records.audit.errors import AuditError
from controller.records.audit.log.event_line import details_of, plain_details
from controller.records.data_folder import ANCHOR, ENDED
from controller.run.journal.storage import WriteFigures
from controller.service.auditing.access_events import AccessEvents, RefusedCommands
from controller.service.evening.evening_store import EveningStore
from controller.service.evening.store_thread import StoreThread
from controller.service.port import Actor, CommandRequest
from controller.service.settings import RecorderOpener
from controller.service.status import AuditStatus, ServiceName

if TYPE_CHECKING:
    from controller.records.audit.log.event_line import AuditEvent

STOP_WAIT = 2.0
"""Real seconds for which the end of the service waits for the disk with its last event; the log is
closed later, and that waits without a limit."""
COUNTS = "audit counts"
"""Name of the fact in the store that has the counts."""
ANCHOR_EVERY = 5.0
"""Seconds of the table's clock between two writes of the anchor (our choice)."""


class AuditTrail:
    """The audit of one service.

    `changed` is called with each new failure of the log and whether the log is locked, and with
    None after the failure; `written` after each event that is on disk.
    """

    def __init__(
        self,
        opener: RecorderOpener | None,
        clock: Callable[[], float],
        store: EveningStore,
        thread: StoreThread,
        changed: Callable[[str | None, bool], None],
        written: Callable[[], None] = lambda: None,
    ) -> None:
        self._written = written
        self.recorder = None if opener is None else opener(clock, self.changed)
        self._last_anchor: dict[str, object] | None = store.fact(ANCHOR)
        if self.recorder is not None:
            from controller.records.audit.log.audit_log import Anchor  # noqa: PLC0415 - with the recorder

            kept = Anchor.of(self._last_anchor, "the store of the evenings")
            self.recorder.expect([] if kept is None else [kept], store.fact(ENDED) or [])
        self._clock = clock
        self._anchored_at: float | None = None
        self._thread = thread
        self._changed = changed
        self._counts: dict[str, int] = dict(store.fact(COUNTS) or {})
        self._lid_is_open = False
        self._state: ServiceName = "idle"
        self._pressed: tuple[str, str] | None = None
        """The last press that was recorded: its client and its identity."""
        self._has_stopped = False
        self._access = AccessEvents(clock)
        self._refusals = RefusedCommands(clock)
        self._first: list[asyncio.Future[None]] = []
        """What waits until its event is on disk."""

    @property
    def failure(self) -> str | None:
        """Why events are not on disk; None while the log works."""
        return None if self.recorder is None else self.recorder.failure

    @property
    def write_figures(self) -> tuple[WriteFigures, int]:
        """The durations of the log's writes, and the number of events that are not on disk yet."""
        if self.recorder is None:
            return WriteFigures(), 0
        return self.recorder.times.figures, self.recorder.waiting

    @property
    def status(self) -> AuditStatus:
        """The counts, and the state of the log."""
        return AuditStatus(
            events=0 if self.recorder is None else self.recorder.size,
            failure=self.failure or "",
            power_ups=self._counts.get("power_ups", 0),
            lid_openings=self._counts.get("lid_openings", 0),
            service_entries=self._counts.get("service_entries", 0),
        )

    def time(self) -> str:
        """The computer's time, as events have it; empty without a log."""
        return "" if self.recorder is None else self.recorder.time()

    def record(
        self,
        what: str,
        details: Mapping[str, object] | None = None,
        *,
        who: str = "",
        role: str = "",
        source: str = "table",
        done: Callable[[AuditEvent], None] | None = None,
        keep_head: bool = False,
    ) -> None:
        """Record an event. It gets its place in the log later; `done` is called with it then."""
        if self.recorder is not None:
            entry = self.recorder.entry(
                what, plain_details(details or {}), who=who, role=role, source=source
            )

            def on_disk(event: AuditEvent) -> None:
                if done is not None:
                    done(event)
                self._keep_anchor(is_due=keep_head)
                self._written()

            self.recorder.record(entry, on_disk, keep_head=keep_head)

    @property
    def anchor(self) -> dict[str, object] | None:
        """The size and the root of the log, for the journal; until it is open, those kept last."""
        recorder = self.recorder
        return None if recorder is None else recorder.anchor or self._last_anchor

    def _keep_anchor(self, *, is_due: bool) -> None:
        """Keep the size and the root of the log in the store, at most every `ANCHOR_EVERY`."""
        now, anchor = self._clock(), None if self.recorder is None else self.recorder.anchor
        at = self._anchored_at
        if anchor is not None and (is_due or at is None or now - at >= ANCHOR_EVERY):
            self._anchored_at = now
            self._thread.write(lambda store: store.put_fact(ANCHOR, anchor))

    async def record_first(
        self, what: str, details: Mapping[str, object], *, who: str, role: str, source: str
    ) -> None:
        """Record an event and return when it is on disk, so that its effect can begin.

        Raises AuditError if the log cannot be written; then nothing of it may take effect.
        """
        if self.recorder is None:
            return
        if self.failure is not None or self.recorder.is_closed:
            raise AuditError(self.failure or "The audit log is closed: the service stops.")
        on_disk: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def done(_: AuditEvent) -> None:
            if not on_disk.done():
                on_disk.set_result(None)

        self._first.append(on_disk)
        self.record(what, details, who=who, role=role, source=source, done=done)
        try:
            await on_disk
        finally:
            self._first.remove(on_disk)

    def begin(self, facts: Mapping[str, object]) -> None:
        """Record that the service starts."""
        self._count("power_ups")
        self.record("power_up", {**facts, "number": self._counts["power_ups"]})

    async def stop(self, pace: float) -> None:
        """Record that the service stops, and wait up to `STOP_WAIT` until that is on disk.

        `pace` is the number of seconds of the event loop's clock in a real second.
        """
        if self.recorder is not None:
            self._record_stop()
            with suppress(AuditError, TimeoutError):
                async with asyncio.timeout(STOP_WAIT * pace):
                    await self.recorder.on_disk()

    def end(self) -> None:
        """Record that the service stops, and close the log. Later calls have no effect."""
        if self.recorder is not None and not self.recorder.is_closed:
            self._record_stop()
            self.recorder.close()
            for waiting in self._first:
                if not waiting.done():
                    waiting.set_exception(AuditError("The audit log is closed."))

    def _record_stop(self) -> None:
        if not self._has_stopped:
            self._has_stopped = True
            self.record("service_stopped", keep_head=True)

    async def command(
        self, request: CommandRequest, actor: Actor, press: str | None = None
    ) -> None:
        """Record a command before it is executed; returns when its event is on disk.

        `press` identifies the press of a button whose command is renewed often: each press is
        recorded once. Raises AuditError.
        """
        pressed = self._pressed
        if press is not None:
            pressed = (actor.client, press)
            if pressed == self._pressed:
                return
        await self.record_first("command", _facts(request), **_sender(actor))
        self._pressed = pressed

    def stopped(self, request: CommandRequest, actor: Actor) -> None:
        """Record a command that has stopped motions; it took effect before a write to the disk."""
        self.record("command", _facts(request), **_sender(actor))

    def refused(self, command: str, code: str, actor: Actor) -> None:
        """Record a refused command by its kind and the reason, at most 60 times a minute."""
        details = self._refusals.event(command, code)
        if details is not None:
            self.record("command_refused", details, **_sender(actor))

    def access(self, what: str, status: int, path: str, who: str, role: str, address: str) -> None:
        """Record a request that changes something; refused ones as `AccessEvents` describes it."""
        event = self._access.event(what, status, path)
        if event is not None:
            self.record(*event, who=who, role=role, source=address)

    def on_event(self, event: Event) -> None:
        """Take an event of the table."""
        name = str(event["event"])
        if name == EventName.STATE:
            self._take_lid(is_open=event.get("under") == "gathering")
        elif name in RECORDED:
            self.record(name, details_of(event))

    def on_state(self, state: ServiceName, sentence: str) -> None:
        """Take a change of the state of the service."""
        before, self._state = self._state, state
        if state == "service_mode" and before != state:
            self._count("service_entries")
            self.record("service_mode_entered", {"sentence": sentence})
        elif before == "service_mode" and state != before:
            self.record("service_mode_left")

    def changed(self) -> None:
        """Take a change of the recorder's state."""
        if self.recorder is None:
            return
        failure = self.recorder.failure
        for waiting in self._first:
            if failure is not None and not waiting.done():
                waiting.set_exception(AuditError(failure))
        self._changed(failure, self.recorder.is_locked)

    def _take_lid(self, *, is_open: bool) -> None:
        if is_open and not self._lid_is_open:
            self._count("lid_openings")
        if is_open != self._lid_is_open:
            self.record("lid_opened" if is_open else "lid_closed")
        self._lid_is_open = is_open

    def _count(self, what: str) -> None:
        self._counts[what] = self._counts.get(what, 0) + 1
        counts = dict(self._counts)
        self._thread.write(lambda store: store.put_fact(COUNTS, counts))


def _facts(request: CommandRequest) -> dict[str, object]:
    return {"command": request.name, "arguments": request.arguments}


def _sender(actor: Actor) -> _Sender:
    source = actor.address or actor.client
    return {"who": actor.name, "role": actor.role.value, "source": source}


class _Sender(TypedDict):
    who: str
    role: str
    source: str
