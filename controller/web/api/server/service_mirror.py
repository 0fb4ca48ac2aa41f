"""A table's service on the event loop of the API: requests of clients cost the table's loop little.

The API runs in a thread with an event loop of its own (docs/decisions/0051). The mirror keeps a
copy of the status and of its last changes there, so that most requests ask the table's loop for
nothing. The other requests are passed to that loop; at most `WAITING` of them wait for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from controller.events import Event, Listener, Listeners
from controller.service.commands import STOPS
from controller.service.port import (
    Actor,
    CommandReply,
    CommandRequest,
    HandRecord,
    LastRounds,
    ServicePort,
    SessionSummary,
)
from controller.service.status import GameChoice, HandResult, ResultQuestion, Status
from controller.service.status.feed import Delta, StatusFeed
from controller.web.api.worker_thread import WorkerBusyError
from controller.web.metrics.readings import ApiFigures
from controller.web.metrics.table_metrics import TableMetrics

if TYPE_CHECKING:
    from controller.records.audit.notes import SignedNote, VerifierKey

WAITING = 64
"""Requests that wait for the table's loop at the same time; commands that stop it always may."""
Result = TypeVar("Result")


class TableClock:
    """The table's clock on another loop: the time of its last change, and what passed since then.

    `pace` is the number of seconds of the table's clock in a real second.
    """

    def __init__(self, at: float, loop: asyncio.AbstractEventLoop, pace: float) -> None:
        self._loop, self._pace = loop, pace
        self.set(at)

    def set(self, at: float) -> None:
        """Note the present time of the table's clock."""
        self._at, self._seen = at, self._loop.time()

    def __call__(self) -> float:
        return round(self._at + (self._loop.time() - self._seen) * self._pace, 6)


class ServiceMirror:
    """Implements `ServicePort` on the loop `api`; made on the table's loop, and closed there."""

    def __init__(self, port: ServicePort, api: asyncio.AbstractEventLoop, pace: float) -> None:
        self._port, self._api = port, api
        self._table = asyncio.get_running_loop()
        self._clock = TableClock(port.feed.snapshot().at, api, pace)
        self._feed = port.feed.mirrored(self._clock)
        self._listeners = Listeners()
        self._waiting = 0
        self._ends = [port.feed.follow(self._changed), port.listen(self._emitted)]

    def close(self) -> None:
        """Follow the service no more."""
        for end in self._ends:
            end()
        self._ends = []

    # On the table's loop

    def _changed(self, delta: Delta) -> None:
        feed = self._port.feed
        self._pass(partial(self._take, delta, feed.status, feed.snapshot().status))

    def _emitted(self, event: Event) -> None:
        self._pass(partial(self._take_event, event))

    def _pass(self, work: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # The loop of the API has ended.
            self._api.call_soon_threadsafe(work)

    # On the loop of the API

    def _take(self, delta: Delta, status: Status, json: dict[str, Any]) -> None:
        self._clock.set(delta.at)
        self._feed.take(delta, status, json)

    def _take_event(self, event: Event) -> None:
        self._listeners(event)

    @property
    def feed(self) -> StatusFeed:
        """The status and its changes, a few milliseconds after they happened."""
        return self._feed

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Pass every later event to `listener`; returns the function that ends that."""
        return self._listeners.add(listener)

    async def submit(self, request: CommandRequest, actor: Actor) -> CommandReply:
        """Give a command. Raises WorkerBusyError if too many requests wait for the table."""
        submit = partial(self._port.submit, request, actor)
        return await self.on_table(submit, always=request.name in STOPS)

    def record_access(
        self, what: str, status: int, path: str, who: str, role: str, address: str
    ) -> None:
        """Record a request that changes something."""
        self._soon(partial(self._port.record_access, what, status, path, who, role, address))

    async def record_change(
        self, what: str, details: Mapping[str, object], who: str, role: str, address: str
    ) -> None:
        """Record a change of the accounts before it takes effect. Raises AuditError."""
        await self.on_table(partial(self._port.record_change, what, details, who, role, address))

    def presence(self, client: str, connected: bool) -> None:
        """Note that a client's first stream has begun, or that its last one has ended."""
        self._soon(partial(self._port.presence, client, connected))

    async def presets(self) -> dict[str, GameChoice]:
        """The saved games with house rules, by name."""
        return await self.on_table(self._port.presets)

    async def sessions(self, before: str | None, limit: int) -> Sequence[SessionSummary]:
        """Sessions, latest first."""
        return await self.on_table(partial(self._port.sessions, before, limit))

    async def results(self, session: str, after: int, limit: int) -> Sequence[HandResult]:
        """Results of a session's hands, in order."""
        return await self.on_table(partial(self._port.results, session, after, limit))

    async def result_question(self, session: str, hand: int) -> ResultQuestion | None:
        """The question for the result of one hand; None if people cannot report it."""
        return await self.on_table(partial(self._port.result_question, session, hand))

    async def record(self, session: str, hand: int) -> HandRecord | None:
        """The record of one hand; None if there is none."""
        return await self.on_table(partial(self._port.record, session, hand))

    async def record_lines(self, session: str, last: int) -> Sequence[tuple[int, Sequence[str]]]:
        """The record lines of a session's hands up to the number `last`."""
        return await self.on_table(partial(self._port.record_lines, session, last))

    async def audit_lines(self, first: int, limit: int) -> Sequence[str]:
        """Events of the audit log. Raises AuditError."""
        return await self.on_table(partial(self._port.audit_lines, first, limit))

    async def audit_head(self, most: int) -> SignedNote | None:
        """The largest kept head with at most `most` events. Raises AuditError."""
        return await self.on_table(partial(self._port.audit_head, most))

    async def keep_cosigned_head(self, head: SignedNote, witness: VerifierKey) -> None:
        """Keep a cosigned head beside the log. Raises AuditError."""
        await self.on_table(partial(self._port.keep_cosigned_head, head, witness))

    async def receipt(self, session: str, hand: int) -> dict[str, Any] | None:
        """The receipt of one of the last ten rounds. Raises AuditError."""
        return await self.on_table(partial(self._port.receipt, session, hand))

    async def last_rounds(self) -> LastRounds:
        """The last ten rounds with their results, and the round in progress."""
        return await self.on_table(self._port.last_rounds)

    async def diagnostics(self) -> Callable[[], bytes]:
        """A function that makes the diagnostics bundle; it may run in any thread."""
        return await self.on_table(self._port.diagnostics)

    async def selftest_page(self) -> str | None:
        """The report of the last trials in service mode; None without any."""
        return await self.on_table(self._port.selftest_page)

    async def journal_lines(self, after: int, limit: int) -> Sequence[str]:
        """Lines of the journal."""
        return await self.on_table(partial(self._port.journal_lines, after, limit))

    async def on_table(
        self, work: Callable[[], Awaitable[Result]], *, always: bool = False
    ) -> Result:
        """The result of a coroutine function on the table's loop; raises what it raises.

        Raises WorkerBusyError if too many requests wait, unless `always`, or if the service ends.
        """
        if self._waiting >= WAITING and not always:
            raise WorkerBusyError("Too many requests wait for the table; try again later.")

        async def execute() -> Result:
            return await work()

        executing = execute()
        try:
            future = asyncio.run_coroutine_threadsafe(executing, self._table)
        except RuntimeError:
            executing.close()
            raise WorkerBusyError("The service of the table is stopping.") from None
        self._waiting += 1
        try:
            # A client that goes away must not interrupt a command half way.
            return await asyncio.shield(asyncio.wrap_future(future))
        finally:
            self._waiting -= 1

    def _soon(self, work: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # The loop of the table has ended.
            self._table.call_soon_threadsafe(work)


class MirroredMetrics:
    """The metrics of a service, which are measured on the table's loop, for the API's loop."""

    def __init__(self, mirror: ServiceMirror, metrics: TableMetrics) -> None:
        self._mirror, self._metrics = mirror, metrics

    async def scrape(self, api: ApiFigures) -> Callable[[], bytes]:
        """A function that makes the text of the present values; it may run in any thread."""
        return await self._mirror.on_table(partial(self._metrics.scrape, api))
