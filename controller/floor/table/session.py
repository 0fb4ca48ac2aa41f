"""One connection of a table to the floor: birth, then state and events, and answers to requests."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Coroutine
from contextlib import suppress
from datetime import UTC, datetime

from controller.floor.broker import BrokerConnection, ConnectionLostError, Message, Will
from controller.floor.discovery import HomeAssistant
from controller.floor.messages import (
    LARGEST_PAYLOAD,
    MOST_EVENTS,
    Alive,
    Birth,
    Cosignature,
    Events,
    Kind,
    LogHead,
    Payload,
    PayloadError,
    Reply,
    Request,
    State,
    StoredPosition,
    TableState,
    encoded,
    fitting_lines,
    parsed,
)
from controller.floor.settings import FloorSettings
from controller.floor.table.outbox import HeadCosigning, Outbox
from controller.floor.table.source import (
    ForgedRequestError,
    RequestGate,
    RequestRefusedError,
    RequestResult,
    SourceError,
    TableSource,
)
from controller.records.audit.errors import RefusedProofError
from controller.records.audit.log.event_line import time_text
from controller.records.audit.tree import leaf_hash

EVERY = 1.0
"""Least seconds between two messages of state or events."""
STATE_EVERY = 20.0
"""Most seconds between two states; the floor counts a table without one as disconnected."""
FLOOR_ANSWERS = 30.0
"""Seconds after a birth in which the floor has to answer; then the table reports its silence."""
LAST_EVENTS = 3.0
"""Seconds after the end of the table's service in which the floor has to store the last events."""
LOG_RETRY = 5.0
"""Seconds until the log is read again after it could not be read."""
_KIND_OF: dict[type[Payload], Kind] = {State: "state", Events: "events", LogHead: "head"}
_LOGGER = logging.getLogger("wallwright.floor.table")


class TableSession:
    """Publishes one table in one connection, which `birth` identifies.

    `outbox` and `cosigning` outlive the connection. `report` is called with None when the floor has
    answered, and with a sentence if it does not.
    After `ending` is set, the session ends as soon as the floor has every event.
    """

    def __init__(
        self,
        settings: FloorSettings,
        source: TableSource,
        outbox: Outbox,
        cosigning: HeadCosigning,
        *,
        report: Callable[[str | None], None] = lambda _: None,
        ending: asyncio.Event | None = None,
    ) -> None:
        self.birth = secrets.token_hex(16)
        self._settings, self._source = settings, source
        self._outbox, self._cosigning = outbox, cosigning
        self._report = report
        self._ending = asyncio.Event() if ending is None else ending
        self._answered = asyncio.Event()
        self._gate = RequestGate(settings.address, settings.keys, self.birth)
        self._changed = asyncio.Event()
        self._log: str | None = None
        self._shown: TableState | None = None
        self._shown_at = 0.0
        self._sequence = 0
        self._is_birth_due = False
        self._is_retired = False
        self._was_events = False
        self._unreadable_until = 0.0
        self._home = HomeAssistant(settings.address)

    @property
    def will(self) -> Will:
        """The message that the broker publishes if the connection is lost."""
        alive = Alive(online=False, birth=self.birth)
        return Will(self._topic("alive"), encoded(alive))

    async def run(self, connection: BrokerConnection) -> None:
        """Publish until the connection is lost: raises ConnectionLostError.

        It returns after the end of the table's service: the floor then has the last events, unless
        it did not answer in time, and the message that the table is switched off. A cancellation
        publishes that the table is offline, if that is possible.
        """
        self._outbox.restart()
        end = self._source.follow(self._changed.set)
        try:
            await connection.subscribe(self._topic("position"))
            await connection.subscribe(self._topic("request"))
            await connection.subscribe(self._topic("cosignature"))
            await self._publish(connection, "alive", Alive(online=True, birth=self.birth))
            await self._publish_birth(connection)
            await _until_one_ends(
                self._receive(connection),
                self._send(connection),
                self._watch_answers(),
                self._wait_for_the_end(),
            )
            last = Alive(online=False, birth=self.birth, switched_off=True)
            await self._publish(connection, "alive", last)
        except asyncio.CancelledError:
            with suppress(ConnectionLostError, TimeoutError):
                async with asyncio.timeout(EVERY):
                    await self._publish(connection, "alive", Alive(online=False, birth=self.birth))
            raise
        finally:
            end()

    async def _wait_for_the_end(self) -> None:
        """Return when the table's service has ended and the floor has stored its last events.

        If the floor does not answer, the wait ends after `LAST_EVENTS`, and the next start sends
        them.
        """
        await self._ending.wait()
        with suppress(TimeoutError, SourceError):
            async with asyncio.timeout(LAST_EVENTS):
                while await self._has_unstored_events():
                    self._changed.set()
                    await asyncio.sleep(EVERY / 10)

    async def _has_unstored_events(self) -> bool:
        """Whether the floor lacks events that it would store. Raises SourceError."""
        if self._log is None or self._is_retired:
            return False
        return self._outbox.stored < await self._source.size()

    async def _watch_answers(self) -> None:
        """Report whether the floor answers; runs until it is cancelled."""
        try:
            async with asyncio.timeout(FLOOR_ANSWERS):
                await self._answered.wait()
        except TimeoutError:
            address = self._settings.address
            self._report(
                f"The broker {self._settings.broker} accepts the table, but the floor"
                f" {address.floor} does not answer. Check that its service runs, and that the"
                f" certificate was issued for the table {address.table}."
            )
            await self._answered.wait()
        self._report(self._retirement)
        await asyncio.get_running_loop().create_future()

    @property
    def _retirement(self) -> str | None:
        """A sentence while the floor refuses the table as retired; None otherwise."""
        if not self._is_retired:
            return None
        floor, table = self._settings.address.floor, self._settings.address.table
        return (
            f"The floor {floor} has retired the table {table} and stores nothing of it. Start the"
            f" table without `--floor`, or let the floor's manager run `wallwright floor unretire"
            f" {table}`."
        )

    async def _publish_birth(self, connection: BrokerConnection) -> None:
        """Publish the table's birth; without a readable log it is published again later."""
        self._is_birth_due = False
        size = 0
        try:
            first = await self._source.events(0, 1)
            self._log = leaf_hash(first[0].encode()).hex() if first else None
            size = await self._source.size()
        except SourceError as error:
            self._log_is_unreadable(error)
        description = self._source.description
        birth = Birth(
            birth=self.birth,
            at=_utc_text(),
            title=self._settings.title,
            software=description.software[:60],
            identity=description.identity[:100],
            simulated=description.simulated,
            seats=description.seats,
            log=self._log,
            size=size,
            state_every=STATE_EVERY,
        )
        await self._publish(connection, "birth", birth)
        if self._settings.discovery and not self._is_retired:
            await self._home.announce(connection, birth)
        self._shown = None

    async def _send(self, connection: BrokerConnection) -> None:
        """Publish at most one message in `EVERY` seconds, of state and events in turn."""
        while True:
            self._changed.clear()
            if self._is_birth_due or (not self._is_retired and self._home.is_due()):
                await self._publish_birth(connection)
                await asyncio.sleep(EVERY)
            if self._is_retired:
                await self._home.withdraw(connection)
            message = await self._next_message()
            if message is None:
                await self._wait_for_change()
                continue
            kind, payload = message
            await self._publish(connection, kind, payload)
            await asyncio.sleep(EVERY)

    async def _next_message(self) -> tuple[Kind, Payload] | None:
        """The next message. A head is due seldom, so it comes before the others."""
        makes = [self._next_head, self._next_events, self._next_state]
        if self._was_events:
            makes[1:] = self._next_state, self._next_events
        for make in makes:
            try:
                message = await make()
            except SourceError as error:
                self._log_is_unreadable(error)
                continue
            if message is not None:
                self._was_events = isinstance(message, Events)
                return _KIND_OF[type(message)], message
        return None

    async def _next_head(self) -> LogHead | None:
        now = asyncio.get_running_loop().time()
        if self._log is None or self._is_retired or now < self._unreadable_until:
            return None
        head = await self._cosigning.next_head(self._outbox.stored, now)
        return None if head is None else LogHead(birth=self.birth, log=self._log, note=str(head))

    async def _next_state(self) -> State | None:
        now = asyncio.get_running_loop().time()
        shown = await self._source.state()
        if shown == self._shown and now < self._shown_at + STATE_EVERY:
            return None
        self._shown, self._shown_at = shown, now
        state = State(
            **shown.model_dump(), birth=self.birth, sequence=self._sequence, at=_utc_text()
        )
        self._sequence += 1
        return state

    async def _next_events(self) -> Events | None:
        now = asyncio.get_running_loop().time()
        if self._is_retired or now < self._unreadable_until:
            return None
        size = await self._source.size()
        if self._log is None:
            # The log was begun, or became readable, after the birth.
            self._is_birth_due = size > 0
            return None
        first = self._outbox.first_to_send(size, now)
        if first is None:
            return None
        before, most = max(0, first - 1), MOST_EVENTS + min(first, 1)
        lines = await self._source.events(before, most)
        fitting = fitting_lines(lines[first - before :])
        if not fitting:
            raise SourceError(
                f"Event {first} of the log is longer than a message ({LARGEST_PAYLOAD} bytes); no"
                " later event can be sent. Report this as a defect."
            )
        self._outbox.sent(first + len(fitting), now)
        return Events(
            birth=self.birth,
            log=self._log,
            first=first,
            before=leaf_hash(lines[0].encode()).hex() if first else "",
            lines=fitting,
        )

    async def _wait_for_change(self) -> None:
        """Wait until something changed, or the time of the next repetition has come."""
        loop = asyncio.get_running_loop()
        until = self._shown_at + STATE_EVERY
        for time in (self._outbox.resend_at(), self._unreadable_until or None):
            if time is not None and time > loop.time():
                until = min(until, time)
        with suppress(TimeoutError):
            async with asyncio.timeout_at(max(until, loop.time() + EVERY / 10)):
                await self._changed.wait()

    async def _receive(self, connection: BrokerConnection) -> None:
        position, request = self._topic("position"), self._topic("request")
        cosignature = self._topic("cosignature")
        async for message in connection.messages():
            try:
                if message.topic == position:
                    await self._take_position(parsed(StoredPosition, message.payload))
                elif message.topic == request and not message.is_retained:
                    await self._take_request(connection, message)
                elif message.topic == cosignature:
                    await self._take_cosignature(parsed(Cosignature, message.payload))
            except (PayloadError, ForgedRequestError, RefusedProofError, SourceError) as error:
                _LOGGER.warning("%s: %s", self._settings.address, error)

    async def _take_position(self, position: StoredPosition) -> None:
        if position.birth != self.birth:
            return
        if position.retired != self._is_retired:
            self._is_retired = position.retired
            # Taken again: what was sent meanwhile was dropped, and Home Assistant lacks the table.
            self._is_birth_due = not position.retired
            self._outbox.restart()
            if self._answered.is_set():
                self._report(self._retirement)
            self._changed.set()
        self._answered.set()
        if position.again:
            self._is_birth_due = True
            self._changed.set()
        if position.log is None or position.log != self._log:
            return
        now = asyncio.get_running_loop().time()
        try:
            size = await self._source.size()
        except SourceError:
            return
        if not self._outbox.take_position(position.next, size, now, resend=position.resend):
            _LOGGER.error(
                "%s: the floor has %d events of the log, but the log has only %d; check the log "
                "with `wallwright audit"
                " verify`.",
                self._settings.address,
                position.next,
                size,
            )
        self._changed.set()

    async def _take_cosignature(self, cosignature: Cosignature) -> None:
        if (cosignature.birth, cosignature.log) == (self.birth, self._log):
            await self._cosigning.take(cosignature.line)

    async def _take_request(self, connection: BrokerConnection, message: Message) -> None:
        request = parsed(Request, message.payload)
        try:
            key = self._gate.admit(request)
            result = await self._source.request(
                f"floor:{self.birth}:{request.number}"[:64],
                request.name,
                request.arguments,
                request.who,
                key.role,
                key.key.name,
            )
        except (RequestRefusedError, SourceError) as error:
            result = RequestResult(accepted=False, sentence=str(error))
        reply = Reply(
            birth=self.birth,
            key=request.key,
            number=request.number,
            accepted=result.accepted,
            sentence=result.sentence[:500],
        )
        await self._publish(connection, "reply", reply)

    async def _publish(self, connection: BrokerConnection, kind: Kind, payload: Payload) -> None:
        is_kept = kind in {"alive", "birth", "state"}
        await connection.publish(self._topic(kind), encoded(payload), retain=is_kept)

    def _topic(self, kind: Kind) -> str:
        return self._settings.address.topic(kind)

    def _log_is_unreadable(self, error: SourceError) -> None:
        self._unreadable_until = asyncio.get_running_loop().time() + LOG_RETRY
        _LOGGER.warning("%s: %s", self._settings.address, error)


def _utc_text() -> str:
    """The computer's time, as payloads have it."""
    return time_text(datetime.now(UTC))


async def _until_one_ends(*works: Coroutine[None, None, None]) -> None:
    """Run coroutines until one of them ends, and cancel the others; raises its exception.

    A TaskGroup of Python 3.11 raises a failure in place of a simultaneous cancellation.
    """
    tasks = [asyncio.create_task(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()
