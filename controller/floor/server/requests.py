"""Sends signed requests of people on the floor to tables, and waits for the replies.

A request is stored before it is sent; the table's reply is stored with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import Connection, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from controller.floor.messages import Reply, Request, TableAddress, signed
from controller.floor.server.metrics import FloorCounts
from controller.floor.server.port import RequestOutcome
from controller.floor.server.room import Room
from controller.floor.store.floor_store import FloorStore
from controller.floor.store.schema import REQUESTS, TABLES
from controller.floor.store.tables import ensure_tables, storable
from controller.records.audit.canonical_json import canonical
from controller.records.audit.errors import NotCanonicalError
from controller.records.audit.log.event_line import time_text
from controller.records.audit.notes import SigningKey
from controller.web.api.worker_thread import WorkerThread
from rules.errors import WallwrightError

ANSWER = 10.0
"""Seconds in which the table has to reply; the broker forgets the request after them."""
_TRIES = 5
"""Tries to find a number that no other service of the floor has taken."""


class RequestNotSentError(WallwrightError):
    """A request that was not sent to the table."""


class RequestDesk:
    """Sends requests one after another, so that their numbers arrive in order.

    `send` publishes a request, and raises RequestNotSentError if it cannot.
    """

    def __init__(
        self,
        store: FloorStore,
        worker: WorkerThread,
        room: Room,
        counts: FloorCounts,
        key: SigningKey,
        *,
        send: Callable[[TableAddress, Request], Awaitable[None]],
        wall: Callable[[], datetime],
    ) -> None:
        self._store, self._worker, self._room = store, worker, room
        self._counts, self._key = counts, key
        self._send, self._wall = send, wall
        self._turn = asyncio.Lock()
        self._waiting: dict[tuple[TableAddress, int], asyncio.Future[Reply]] = {}

    async def request(
        self, address: TableAddress, name: str, arguments: Mapping[str, Any], who: str, role: str
    ) -> RequestOutcome:
        """Store, sign and send a request; return its reply, or that there was none in time.

        Raises RequestNotSentError and StoreUnavailableError.
        """
        draft = self._draft(address, name, arguments, who, role)
        async with self._turn:
            request = await self._worker.run(self._stored, address, draft)
            reply = asyncio.get_running_loop().create_future()
            self._waiting[address, request.number] = reply
            try:
                await self._send(address, request)
            except RequestNotSentError:
                del self._waiting[address, request.number]
                raise
        self._counts.requests += 1
        try:
            async with asyncio.timeout(ANSWER):
                found: Reply = await reply
        except TimeoutError:
            self._counts.unanswered += 1
            return RequestOutcome(
                request.number,
                None,
                f"The table {address} has not replied within {ANSWER:g} s; look whether it has done"
                " it, and ask again.",
            )
        finally:
            self._waiting.pop((address, request.number), None)
        return RequestOutcome(request.number, found.accepted, found.sentence)

    def take_reply(self, address: TableAddress, reply: Reply) -> None:
        """Pass a reply to the call that waits for it."""
        waiting = self._waiting.get((address, reply.number))
        if waiting is not None and not waiting.done() and reply.key == self._key.public.name:
            waiting.set_result(reply)

    def _draft(
        self, address: TableAddress, name: str, arguments: Mapping[str, Any], who: str, role: str
    ) -> Request:
        """The request without number and signature. Raises RequestNotSentError."""
        table = self._room.table(address)
        if table is None or table.birth is None or not table.is_connected:
            raise RequestNotSentError(
                f"The table {address} is not connected; nothing was sent. Try again when it is."
            )
        try:
            return Request(
                birth=table.birth.birth,
                number=0,
                at=time_text(self._wall()),
                name=name,
                arguments=dict(arguments),
                who=who,
                role=role,
                key=self._key.public.name,
                signature="",
            )
        except ValueError as error:
            raise RequestNotSentError(f"The request '{name[:40]}' is too long: {error}") from error

    def _stored(self, address: TableAddress, draft: Request) -> Request:
        """Number, sign and store a request; runs in the worker thread."""
        for left in reversed(range(_TRIES)):
            try:
                return self._store.write(partial(self._store_one, address=address, draft=draft))
            except IntegrityError:
                if not left:
                    raise
            except NotCanonicalError as error:
                raise RequestNotSentError(f"The request cannot be signed: {error}") from error
        raise AssertionError("The last try returns or raises.")

    def _store_one(self, connection: Connection, address: TableAddress, draft: Request) -> Request:
        now = self._wall()
        number = next_number(connection, draft.key, now)
        request = signed(draft.model_copy(update={"number": number}), address, self._key)
        store_request(connection, address, request, now)
        return request


def next_number(connection: Connection, key: str, now: datetime) -> int:
    """The number of the next request with this key: higher than every earlier one.

    It begins at the present time in milliseconds, so that it also grows when the database is lost.
    """
    query = select(func.max(REQUESTS.c.number)).where(REQUESTS.c.key == key)
    last = connection.execute(query).scalar()
    return max(int(now.timestamp() * 1000), -1 if last is None else last + 1)


def store_request(
    connection: Connection, address: TableAddress, request: Request, now: datetime
) -> None:
    """Store a request without a reply."""
    connection.execute(
        insert(REQUESTS).values(
            table_id=ensure_tables(connection, [address], now)[address],
            key=request.key,
            number=request.number,
            name=request.name,
            arguments=canonical(request.arguments).decode(),
            who=request.who,
            role=request.role,
            at=now,
        )
    )


def store_reply(connection: Connection, address: TableAddress, reply: Reply, now: datetime) -> bool:
    """Store the first reply to a request; false if this table has no such open request."""
    table = (
        select(TABLES.c.id)
        .where(TABLES.c.floor == address.floor, TABLES.c.name == address.table)
        .scalar_subquery()
    )
    changed = connection.execute(
        update(REQUESTS)
        .where(
            REQUESTS.c.key == reply.key,
            REQUESTS.c.number == reply.number,
            REQUESTS.c.table_id == table,
            REQUESTS.c.replied.is_(None),
        )
        .values(accepted=reply.accepted, sentence=storable(reply.sentence), replied=now)
    )
    return changed.rowcount == 1
