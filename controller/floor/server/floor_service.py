"""The floor service: one connection to the broker, one database, and the room between them."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Protocol, TypeVar

from sqlalchemy import Connection

from controller.floor.broker import (
    Broker,
    BrokerConnection,
    BrokerError,
    ConnectionLostError,
    Message,
)
from controller.floor.messages import (
    Cosignature,
    Kind,
    Reply,
    Request,
    StoredPosition,
    TableAddress,
    encoded,
    every_table,
    require_name,
)
from controller.floor.mqtt import open_connection
from controller.floor.server.floor_witness import FloorWitness
from controller.floor.server.metrics import FloorCounts, floor_text
from controller.floor.server.port import RequestOutcome
from controller.floor.server.requests import ANSWER, RequestDesk, RequestNotSentError
from controller.floor.server.room import Room
from controller.floor.server.storing import Intake, Storing
from controller.floor.server.table_messages import MessageReactions, TableMessages
from controller.floor.store.engine import StoreUnavailableError
from controller.floor.store.floor_store import FloorStore, utc_now
from controller.floor.store.table_changes import read_roster
from controller.records.audit.notes import SigningKey
from controller.web.api.worker_thread import WorkerBusyError, WorkerThread

RECONNECT = (0.5, 15.0)
"""Seconds until the first and the longest wait before the broker is tried again."""
WATCH = 2.0
"""Seconds between two looks for silent tables."""
TABLES_EVERY = 2.0
"""Seconds between two looks for tables that were retired or renamed by another process."""
DRAINING = 5.0
"""Seconds in which a service that ends stores what it has received."""
ALONE: tuple[Kind, ...] = ("alive", "birth", "state", "reply")
"""Kinds that every service of the floor receives, for its page."""
SHARED: tuple[Kind, ...] = ("head", "events")
"""Kinds of which one of several services receives each message."""
_LOGGER = logging.getLogger("wallwright.floor")
_LOGGER.addHandler(logging.NullHandler())
Result = TypeVar("Result")


@dataclass(frozen=True)
class FloorOptions:
    """Options of a floor service. `share` is the name by which several services share the events.

    `months` is the number of whole months of events that are kept; None keeps all.
    """

    floor: str
    broker: Broker
    share: str | None = None
    months: int | None = None

    def __post_init__(self) -> None:
        require_name(self.floor, "floor")
        if self.share is not None:
            require_name(self.share, "share of services")


class FloorConnection(BrokerConnection, Protocol):
    """A connection that can also publish without an acknowledgement."""

    async def publish_once(self, topic: str, payload: bytes) -> None:
        """Publish with QoS 0. Raises ConnectionLostError."""


class Connect(Protocol):
    """Connects to a broker; `receive` is called with each message."""

    def __call__(
        self, broker: Broker, identifier: str, *, receive: Callable[[Message], None]
    ) -> AbstractAsyncContextManager[FloorConnection]: ...


class FloorService:
    """Implements `FloorPort`. `running` serves while its block runs.

    `key` signs requests to tables, `witness_key` cosigns the heads of their audit logs.
    """

    def __init__(
        self,
        options: FloorOptions,
        store: FloorStore,
        key: SigningKey,
        witness_key: SigningKey,
        *,
        connect: Connect = open_connection,
        wall: Callable[[], datetime] = utc_now,
    ) -> None:
        self.options, self._store, self._connect = options, store, connect
        self._wall = wall
        self.counts = FloorCounts()
        self._room = Room(options.floor)
        self._intake = Intake(self.counts.drop)
        self._writer, self._reader = WorkerThread("store"), WorkerThread("query")
        self._connection: FloorConnection | None = None
        self._asks: set[asyncio.Task[None]] = set()
        self._desk = RequestDesk(
            store, self._reader, self._room, self.counts, key, send=self._send_request, wall=wall
        )
        self._archivist = WorkerThread("witness")
        self._witness = FloorWitness(
            store,
            self._archivist,
            self._room,
            self.counts,
            witness_key,
            answer=self._send_cosignature,
            wall=wall,
        )
        self._messages = TableMessages(
            self._room,
            self._intake,
            self.counts,
            MessageReactions(
                repeat=self._ask_again,
                refused=self._refuse_retired,
                replied=self._take_reply,
                head_arrived=self._witness.add,
            ),
            clock=asyncio.get_running_loop().time,
            wall=wall,
        )
        self._storing = Storing(
            store,
            self._writer,
            self._intake,
            self._room,
            self.counts,
            answer=self._answer,
            wall=wall,
        )

    @property
    def room(self) -> Room:
        """The present state of every table."""
        return self._room

    async def read(self, query: Callable[[Connection], Result]) -> Result:
        """Run a query in a worker thread."""
        return await self._reader.run(self._store.read, query)

    async def write(self, change: Callable[[Connection], Result]) -> Result:
        """Run a change in a worker thread."""
        return await self._reader.run(self._store.write, change)

    async def refresh_tables(self) -> None:
        """Apply labels and retirements that were stored since the last look."""
        roster = await self.read(partial(read_roster, floor=self.options.floor))
        self._room.apply(roster, self._wall())

    async def request(
        self, address: TableAddress, name: str, arguments: Mapping[str, Any], who: str, role: str
    ) -> RequestOutcome:
        """Send a signed request to a table and wait for its reply."""
        return await self._desk.request(address, name, arguments, who, role)

    def metrics(self) -> bytes:
        """The text of the service's metrics."""
        return floor_text(self._room, self.counts, self._intake.waiting_bytes)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[asyncio.Future[None]]:
        """Serve until the block ends; then store what was received, for 5 s at most.

        The future raises the error of a service that cannot go on, such as StoreVersionError.
        """
        loop = asyncio.get_running_loop()
        works = (
            self._store_messages(),
            self._stay_connected(),
            self._watch_silence(),
            self._watch_tables(),
            self._witness.run(),
        )
        tasks = [loop.create_task(work) for work in works]
        try:
            yield asyncio.ensure_future(_first_of(tasks))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            if self._room.is_database_available:
                await self._storing.drain(DRAINING)
            self._writer.close()
            self._reader.close()
            self._archivist.close()
            self._store.close()

    async def _store_messages(self) -> None:
        self._messages.expect(await self._storing.open())
        await self._storing.run(self.options.months)

    async def _watch_silence(self) -> None:
        while True:
            await asyncio.sleep(WATCH)
            if self._room.is_broker_connected:
                self._messages.note_silence()

    async def _watch_tables(self) -> None:
        """Find what a command line or another service of the floor has changed."""
        while True:
            await asyncio.sleep(TABLES_EVERY)
            with suppress(StoreUnavailableError, WorkerBusyError):
                await self.refresh_tables()

    async def _stay_connected(self) -> None:
        wait = RECONNECT[0]
        failure = ""
        while True:
            try:
                async with self._connect(
                    self.options.broker, self._identifier(), receive=self._messages.receive
                ) as connection:
                    await self._subscribe(connection)
                    self._connection, wait, failure = connection, RECONNECT[0], ""
                    self._messages.broker_connected()
                    self._room.change(broker=True)
                    async for message in connection.messages():
                        self._messages.receive(message)
            except BrokerError as error:
                if str(error) != failure:
                    failure = str(error)
                    _LOGGER.warning("%s", failure)
                self.counts.broker_losses += self._connection is not None
            finally:
                self._connection = None
                self._room.change(broker=False)
            await asyncio.sleep(wait)
            wait = min(2 * wait, RECONNECT[1])

    async def _subscribe(self, connection: FloorConnection) -> None:
        """Subscribe; to the events last, after the retained messages have named the tables."""
        for kind in ALONE:
            await connection.subscribe(every_table(self.options.floor, kind))
        if self.options.share is not None:
            # Positions report the events that other services have stored.
            await connection.subscribe(every_table(self.options.floor, "position"))
        for kind in SHARED:
            topic = every_table(self.options.floor, kind)
            share = self.options.share
            await connection.subscribe(topic if share is None else f"$share/{share}/{topic}")

    def _identifier(self) -> str:
        """A client identifier of each connection's own: several services run at the same time."""
        return f"wallwright-{self.options.floor}-floor-{secrets.token_hex(4)}"

    async def _answer(self, address: TableAddress, position: StoredPosition) -> None:
        """Send a position. A lost one needs no repetition: the table sends its events again."""
        if self._connection is None:
            return
        with suppress(ConnectionLostError):
            await self._connection.publish_once(address.topic("position"), encoded(position))
            self.counts.positions += 1

    async def _send_cosignature(self, address: TableAddress, cosignature: Cosignature) -> None:
        """Send a cosignature. After a lost one the table asks again."""
        if self._connection is None:
            return
        with suppress(ConnectionLostError):
            await self._connection.publish_once(address.topic("cosignature"), encoded(cosignature))

    def _ask_again(self, address: TableAddress, birth: str) -> None:
        """Ask a table to repeat birth and state. The position has no log: it answers no events."""
        self._answer_soon(address, StoredPosition(birth=birth, log=None, next=0, again=True))

    def _refuse_retired(self, address: TableAddress, birth: str) -> None:
        """Answer a retired table, which then sends no events until the floor takes it again."""
        self._answer_soon(address, StoredPosition(birth=birth, log=None, next=0, retired=True))

    def _answer_soon(self, address: TableAddress, position: StoredPosition) -> None:
        task = asyncio.get_running_loop().create_task(self._answer(address, position))
        self._asks.add(task)
        task.add_done_callback(self._asks.discard)

    def _take_reply(self, address: TableAddress, reply: Reply) -> None:
        self._desk.take_reply(address, reply)
        self._intake.add_reply(address, reply)

    async def _send_request(self, address: TableAddress, request: Request) -> None:
        connection = self._connection
        if connection is None:
            raise RequestNotSentError(
                "The broker is not connected; nothing was sent. Try again when it is."
            )
        try:
            await connection.publish(
                address.topic("request"), encoded(request), expiry=round(ANSWER)
            )
        except ConnectionLostError as error:
            raise RequestNotSentError(
                f"It is unknown whether the request was sent. {error}"
            ) from error


async def _first_of(tasks: list[asyncio.Task[None]]) -> None:
    """Wait until one of the tasks ends, and raise its error."""
    done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in done:
        task.result()
