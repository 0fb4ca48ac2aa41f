"""Stores the waiting messages, and answers each batch of events with the stored position.

The messages that wait in the intake are bounded for each table and altogether. A message that finds
no place is dropped. Its table sends it again when the floor answers that an earlier message is
missing, or if no answer has a new position. Messages of 50 ms are stored in one transaction. While
the database is not available, the same messages are tried again.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar

from sqlalchemy import Connection, text

from controller.floor.messages import (
    Birth,
    Events,
    PayloadError,
    Reply,
    StoredPosition,
    TableAddress,
    parsed,
)
from controller.floor.server.metrics import FloorCounts
from controller.floor.server.requests import store_reply
from controller.floor.server.room import Room
from controller.floor.store.engine import StoreUnavailableError
from controller.floor.store.floor_store import FloorStore
from controller.floor.store.ingestion import EventBatch, Refusal, TakenBatch
from controller.floor.store.table_changes import read_roster
from controller.floor.store.tables import KnownTable, known_tables, note_birth
from controller.web.api.worker_thread import WorkerThread

MOST_BATCHES = 6
"""Batches of one table: its window of 4, and some that it sends again."""
MOST_BYTES = 64 * 1024 * 1024
"""Bytes of all waiting batches."""
MOST_REPLIES = 1000
"""Waiting replies of all tables."""
GATHERED_BYTES = 4 * 1024 * 1024
"""Bytes of batches that are stored together."""
GATHERED_BIRTHS = 100
"""Births that are stored together."""


@dataclass(frozen=True)
class WaitingBatch:
    """A batch as it was received, at time `at` of the event loop."""

    address: TableAddress
    payload: bytes
    at: float


@dataclass(frozen=True)
class Gathered:
    """Messages that are stored together."""

    births: tuple[tuple[TableAddress, Birth], ...] = ()
    replies: tuple[tuple[TableAddress, Reply], ...] = ()
    batches: tuple[WaitingBatch, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.births or self.replies or self.batches)


class Intake:
    """The waiting messages. `dropped` is called with the reason for each dropped message."""

    def __init__(self, dropped: Callable[[str], None]) -> None:
        self._dropped = dropped
        self._births: dict[TableAddress, Birth] = {}
        self._replies: deque[tuple[TableAddress, Reply]] = deque()
        self._batches: dict[TableAddress, deque[WaitingBatch]] = {}
        self._bytes = 0
        self._wake = asyncio.Event()

    @property
    def waiting_bytes(self) -> int:
        """Bytes of the waiting batches."""
        return self._bytes

    def add_birth(self, address: TableAddress, birth: Birth) -> None:
        """Add a table's birth; it replaces one that waits."""
        self._births[address] = birth
        self._wake.set()

    def add_reply(self, address: TableAddress, reply: Reply) -> None:
        """Add a reply to a request."""
        if len(self._replies) >= MOST_REPLIES:
            self._dropped("full")
            return
        self._replies.append((address, reply))
        self._wake.set()

    def add_batch(self, batch: WaitingBatch) -> None:
        """Add a batch behind the others of its table."""
        waiting = self._batches.get(batch.address, ())
        if len(waiting) >= MOST_BATCHES or self._bytes + len(batch.payload) > MOST_BYTES:
            self._dropped("full")
            return
        self._batches.setdefault(batch.address, deque()).append(batch)
        self._bytes += len(batch.payload)
        self._wake.set()

    async def wait(self, seconds: float) -> bool:
        """Wait until a message waits; false after these seconds without one."""
        try:
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        except TimeoutError:
            return False
        return True

    def gather(self) -> Gathered:
        """Take the next batches to store: one of each table, then a second one of each."""
        births = tuple(list(self._births.items())[:GATHERED_BIRTHS])
        for address, _ in births:
            del self._births[address]
        replies = tuple(self._replies)
        self._replies.clear()
        batches = tuple(self._gather_batches())
        if not (self._births or self._batches):
            self._wake.clear()
        return Gathered(births, replies, batches)

    def _gather_batches(self) -> list[WaitingBatch]:
        taken: list[WaitingBatch] = []
        size = 0
        while self._batches:
            for address in list(self._batches):
                waiting = self._batches[address]
                if taken and size + len(waiting[0].payload) > GATHERED_BYTES:
                    return taken
                batch = waiting.popleft()
                taken.append(batch)
                size += len(batch.payload)
                self._bytes -= len(batch.payload)
                # A table with more batches goes behind the others.
                del self._batches[address]
                if waiting:
                    self._batches[address] = waiting
        return taken


GATHER = 0.05
"""Seconds in which messages are gathered for one transaction."""
FORGOTTEN = timedelta(days=30)
"""A table that has not connected for so long is shown only when it connects again."""
RETRY = 1.0
"""Seconds until the database is tried again."""
PROBE = 10.0
"""Seconds without messages after which the database is asked whether it works."""
Result = TypeVar("Result")
_LOGGER = logging.getLogger("wallwright.floor")


@dataclass(frozen=True)
class StoredTogether:
    """The results of one transaction. `next_of` are the positions of the tables with a birth.

    Of each batch: its result, and when it was received. `malformed` is the number of batches that
    are no `Events`.
    """

    next_of: dict[TableAddress, tuple[str, str, int]]
    batches: tuple[tuple[TakenBatch, float], ...]
    malformed: int


class Storing:
    """Stores until it is cancelled; `open` comes first. `answer` sends a position to a table."""

    def __init__(
        self,
        store: FloorStore,
        worker: WorkerThread,
        intake: Intake,
        room: Room,
        counts: FloorCounts,
        *,
        answer: Callable[[TableAddress, StoredPosition], Awaitable[None]],
        wall: Callable[[], datetime],
    ) -> None:
        self._store, self._worker, self._intake = store, worker, intake
        self._room, self._counts = room, counts
        self._answer, self._wall = answer, wall
        self._kept: datetime | None = None

    async def open(self) -> Sequence[KnownTable]:
        """Open the database; returns the tables in it. Raises StoreVersionError."""
        await self._until_stored(self._store.open)
        roster = partial(read_roster, floor=self._room.floor)
        self._room.apply(await self._until_stored(partial(self._store.read, roster)), self._wall())
        query = partial(known_tables, floor=self._room.floor, since=self._wall() - FORGOTTEN)
        return await self._until_stored(partial(self._store.read, query))

    async def run(self, months: int | None = None) -> None:
        """Store what arrives. Events that are older than `months` are deleted; None keeps all."""
        while True:
            await self._keep_months(months)
            if not await self._intake.wait(PROBE):
                await self._until_stored(partial(self._store.read, _probe))
                continue
            await asyncio.sleep(GATHER)
            gathered = self._intake.gather()
            await self._report(await self._until_stored(partial(self._save, gathered)))

    async def drain(self, seconds: float) -> None:
        """Store what waits, for at most these seconds; for the end of the service."""
        try:
            async with asyncio.timeout(seconds):
                while gathered := self._intake.gather():
                    await self._report(await self._worker.run(self._save, gathered))
        except (TimeoutError, StoreUnavailableError) as error:
            _LOGGER.warning("The last messages are not stored (%s); tables send them again.", error)

    async def _until_stored(self, job: Callable[[], Result]) -> Result:
        """The result of a job in the worker thread, retried while the database is not available."""
        while True:
            try:
                result = await self._worker.run(job)
            except StoreUnavailableError as error:
                self._counts.database_failures += 1
                if self._room.is_database_available or self._counts.database_failures == 1:
                    _LOGGER.warning("%s", error)
                self._room.change(database=False)
                await asyncio.sleep(RETRY)
            else:
                self._room.change(database=True)
                return result

    def _save(self, gathered: Gathered) -> StoredTogether:
        """Store messages; runs in the worker thread. Raises StoreUnavailableError."""
        next_of: dict[TableAddress, tuple[str, str, int]] = {}
        if gathered.births or gathered.replies:
            next_of = self._store.write(partial(self._note, gathered=gathered))
        batches: list[EventBatch] = []
        received: list[float] = []
        for waiting in gathered.batches:
            batch = _parsed(waiting)
            if batch is not None:
                batches.append(batch)
                received.append(waiting.at)
        taken = self._store.take(batches) if batches else []
        malformed = len(gathered.batches) - len(batches)
        return StoredTogether(next_of, tuple(zip(taken, received, strict=True)), malformed)

    def _note(
        self, connection: Connection, gathered: Gathered
    ) -> dict[TableAddress, tuple[str, str, int]]:
        now = self._wall()
        found = {}
        # In one order, so that two services do not wait for each other's rows.
        for address, birth in sorted(gathered.births, key=lambda each: each[0]):
            number = note_birth(connection, address, birth, now)
            if birth.log is not None:
                found[address] = (birth.birth, birth.log, number)
        for address, reply in gathered.replies:
            store_reply(connection, address, reply, now)
        return found

    async def _report(self, stored: StoredTogether) -> None:
        """Count, show the new positions in the room, and answer the tables."""
        counts, now, wall = self._counts, asyncio.get_running_loop().time(), self._wall()
        counts.dropped["malformed"] += stored.malformed
        counts.transactions += bool(stored.batches)
        # This service may have missed what a table has sent before its birth arrived here.
        answers = {
            address: StoredPosition(birth=birth, log=log, next=number, resend=True)
            for address, (birth, log, number) in stored.next_of.items()
        }
        for taken, received in stored.batches:
            events = taken.batch.events
            if taken.refusal is Refusal.RETIRED:
                counts.drop("retired")
                continue
            if taken.refusal in (Refusal.DAMAGED, Refusal.CONTRADICTION):
                self._refuse(taken)
                continue
            if taken.refusal is not None:
                counts.refused[taken.refusal.value] += 1
            answers[taken.batch.address] = StoredPosition(
                birth=events.birth,
                log=events.log,
                next=taken.next,
                resend=taken.refusal is Refusal.GAP,
            )
            if taken.stored:
                counts.events += taken.stored
                counts.batches += 1
                counts.storing.add(now - received)
            if taken.first_at is not None:
                counts.ages.add(max(0.0, (wall - taken.first_at).total_seconds()))
        for address, position in answers.items():
            self._show(address, position)
        # All at once: the client writes them to the broker together.
        await asyncio.gather(*(self._answer(*each) for each in answers.items()))

    def _show(self, address: TableAddress, position: StoredPosition) -> None:
        table = self._room.table(address)
        if table is None or (table.birth is not None and table.birth.log != position.log):
            return
        if position.next > table.stored or table.contradiction:
            self._room.update(
                address, stored=position.next, stored_at=self._wall(), contradiction=""
            )

    def _refuse(self, taken: TakenBatch) -> None:
        """Count and show a batch that is not stored; an answer would make the table repeat it."""
        assert taken.refusal is not None
        self._counts.refused[taken.refusal.value] += 1
        table = self._room.table(taken.batch.address)
        if table is None or table.contradiction != taken.reason:
            _LOGGER.error("%s", taken.reason)
        self._room.update(taken.batch.address, contradiction=taken.reason)

    async def _keep_months(self, months: int | None) -> None:
        """Make coming partitions and delete old months, once a day."""
        now = self._wall()
        if self._kept is not None and self._kept.date() == now.date():
            return
        self._kept = now
        await self._until_stored(partial(self._store.keep_months, months))


def _parsed(waiting: WaitingBatch) -> EventBatch | None:
    try:
        return EventBatch(waiting.address, parsed(Events, waiting.payload))
    except PayloadError:
        return None


def _probe(connection: Connection) -> None:
    connection.execute(text("SELECT 1"))
