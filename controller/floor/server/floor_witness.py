"""Cosigns the heads of the tables' audit logs, as a witness that has stored every event itself.

A table sends a signed head of its log. The floor computes the root of its own stored events of the
same size, and signs only if both roots are the same. After that, a replaced event below this head,
at the table or in the floor's database, contradicts a signature.

The hash tree of a log grows with the stored events. It is stored as the roots of its perfect
subtrees, so it grows without the events that it contains.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from sqlalchemy import Connection, select, update

from controller.floor.messages import Cosignature, LogHead, TableAddress
from controller.floor.server.metrics import FloorCounts
from controller.floor.server.room import Room
from controller.floor.store.engine import StoreUnavailableError
from controller.floor.store.floor_store import FloorStore
from controller.floor.store.ingestion import LogKey
from controller.floor.store.schema import EVENTS, LOG_TREES, LOGS, TABLES
from controller.floor.store.tables import insert_missing
from controller.records.audit.errors import RefusedProofError
from controller.records.audit.log.event_line import parsed_event
from controller.records.audit.log.key_chain import KEY_ROTATED, KeyChain, first_key
from controller.records.audit.notes import Checkpoint, SignedNote, SigningKey, VerifierKey
from controller.records.audit.tree import HASH_SIZE, GrowingTree, leaf_hash
from controller.web.api.worker_thread import WorkerThread

SOONEST = 20.0
"""Least seconds between two heads of one table; a table asks once in 300 s."""
RETRY = 5.0
"""Seconds until the next head is taken after the database did not answer."""
_LOGGER = logging.getLogger("wallwright.floor")


class NotStoredError(RefusedProofError):
    """A head with events that the floor has not stored yet, or older than the last cosigned one."""


class FloorWitness:
    """Cosigns until `run` is cancelled; of each table at most one head waits.

    `worker` executes the work with the database, and nothing else. `answer` sends a cosignature.
    """

    def __init__(
        self,
        store: FloorStore,
        worker: WorkerThread,
        room: Room,
        counts: FloorCounts,
        key: SigningKey,
        *,
        answer: Callable[[TableAddress, Cosignature], Awaitable[None]],
        wall: Callable[[], datetime],
    ) -> None:
        self._store, self._worker, self._room = store, worker, room
        self._counts, self._key = counts, key
        self._answer, self._wall = answer, wall
        self._waiting: dict[TableAddress, LogHead] = {}
        self._taken: dict[TableAddress, float] = {}
        self._wake = asyncio.Event()

    def add(self, address: TableAddress, head: LogHead) -> None:
        """Queue a head; it replaces a queued one of the same table."""
        now = asyncio.get_running_loop().time()
        if address not in self._waiting:
            if now < self._taken.get(address, float("-inf")) + SOONEST:
                self._counts.drop("flood")
                return
            self._taken[address] = now
        self._waiting[address] = head
        self._wake.set()

    async def run(self) -> None:
        """Cosign the waiting heads, one after another."""
        while True:
            await self._wake.wait()
            if not self._waiting:
                self._wake.clear()
                continue
            address = next(iter(self._waiting))
            head = self._waiting.pop(address)
            try:
                await self._cosign(address, head)
            except StoreUnavailableError:
                # The table asks again; until then the database may be back.
                await asyncio.sleep(RETRY)

    async def _cosign(self, address: TableAddress, head: LogHead) -> None:
        try:
            note = SignedNote.parsed(head.note)
            checkpoint = Checkpoint.parsed(note.text)
            tree = await self._grown_tree(LogKey(address, head.log), checkpoint.size)
            _require_same(tree, note)
        except NotStoredError as later:
            _LOGGER.info("%s: %s", address, later)
            return
        except RefusedProofError as error:
            self._refuse(address, f"The floor does not cosign the log of {address}: {error}")
            return
        now = self._wall()
        line = self._key.cosignature(checkpoint, int(now.timestamp()))
        cosigned = note.with_signature(line)
        await self._worker.run(
            self._store.write,
            partial(keep_cosigned_head, log_id=tree.log_id, head=cosigned, now=now),
        )
        self._counts.cosigned += 1
        self._room.update(address, unproven="", cosigned=checkpoint.size, cosigned_at=now)
        await self._answer(address, Cosignature(birth=head.birth, log=head.log, line=str(line)))

    async def _grown_tree(self, log: LogKey, size: int) -> StoredTree:
        """The tree of the stored events up to `size`. Raises RefusedProofError."""
        grown = -1
        while True:
            tree = await self._worker.run(self._store.write, partial(grow_tree, log=log, size=size))
            if tree is None or tree.size >= size or tree.size == grown:
                break
            grown = tree.size
        if tree is None or tree.size < size:
            stored = 0 if tree is None else tree.stored
            raise NotStoredError(f"The head has {size} events, but the floor has stored {stored}.")
        if tree.size > size:
            raise NotStoredError(f"The head of size {size} is older than one of size {tree.size}.")
        return tree

    def _refuse(self, address: TableAddress, reason: str) -> None:
        """Show a head that contradicts the stored events; it gets no answer."""
        self._counts.unproven += 1
        table = self._room.table(address)
        if table is None or table.unproven != reason:
            _LOGGER.error("%s", reason)
        self._room.update(address, unproven=reason)


def _require_same(tree: StoredTree, note: SignedNote) -> None:
    """Check the signature of the log's key, and the root. Raises RefusedProofError."""
    head = tree.keys.verified(note)
    if head.root != tree.root:
        raise RefusedProofError(
            f"the first {head.size} events that the table has signed differ from those that it has "
            "sent. Compare the table's audit log with the floor's database."
        )


MOST_LINES = 5000
"""Events that a tree grows by in one transaction."""


@dataclass(frozen=True)
class StoredTree:
    """The tree of the first `size` events of a log, and the keys that these events introduce.

    `stored` is the number of all stored events of the log.
    """

    log_id: int
    size: int
    root: bytes
    keys: KeyChain
    stored: int


def grow_tree(connection: Connection, log: LogKey, size: int) -> StoredTree | None:
    """Grow the tree of a log towards `size` events, by at most `MOST_LINES`, and return it.

    None for a size of 0, or if the floor has stored no event of the log. Raises RefusedProofError
    if the stored events are no log, or if events that the tree lacks were deleted.
    """
    found = connection.execute(
        select(LOGS.c.id, LOGS.c.next)
        .join_from(LOGS, TABLES)
        .where(
            TABLES.c.floor == log.address.floor,
            TABLES.c.name == log.address.table,
            LOGS.c.log == log.log,
        )
    ).one_or_none()
    if found is None or not found.next or size < 1:
        return None
    insert_missing(connection, LOG_TREES, [{"log_id": found.id}])
    row = connection.execute(
        select(LOG_TREES).where(LOG_TREES.c.log_id == found.id).with_for_update()
    ).one()
    tree = GrowingTree(row.size, _hashes(row.subtrees))
    keys = KeyChain.restored(_parsed_keys(row.keys)) if row.size else None
    end = min(size, found.next, row.size + MOST_LINES)
    if end > row.size:
        keys = _add_events(connection, found.id, tree, keys, end, log)
        connection.execute(
            update(LOG_TREES)
            .where(LOG_TREES.c.log_id == found.id)
            .values(
                size=tree.size,
                subtrees=b"".join(tree.subtrees).hex(),
                keys="".join(f"{begin} {key}\n" for begin, key in keys.signers),
            )
        )
    assert keys is not None
    return StoredTree(found.id, tree.size, tree.root(), keys, found.next)


def keep_cosigned_head(
    connection: Connection, log_id: int, head: SignedNote, now: datetime
) -> None:
    """Keep the last head of a log that the floor has cosigned."""
    connection.execute(
        update(LOG_TREES).where(LOG_TREES.c.log_id == log_id).values(head=str(head), cosigned=now)
    )


def _add_events(
    connection: Connection,
    log_id: int,
    tree: GrowingTree,
    keys: KeyChain | None,
    end: int,
    log: LogKey,
) -> KeyChain:
    """Add the stored events up to `end` (without it) to the tree, and their keys to the chain."""
    first = tree.size
    rows = connection.execute(
        select(EVENTS.c.number, EVENTS.c.what, EVENTS.c.line)
        .where(EVENTS.c.log_id == log_id, EVENTS.c.number >= first, EVENTS.c.number < end)
        .order_by(EVENTS.c.number)
    )
    for number, what, line in rows:
        data = line.encode()
        leaf = leaf_hash(data)
        if number != tree.size:
            break
        if keys is None:
            if leaf.hex() != log.log:
                raise RefusedProofError(
                    f"Event 0 of the log {log.log} of {log.address} differs from the stored one."
                )
            keys = KeyChain(first_key(parsed_event(data, number)))
        elif what == KEY_ROTATED:
            keys.take(parsed_event(data, number))
        tree.add(leaf)
    if keys is None or tree.size != end:
        raise RefusedProofError(
            f"Event {tree.size} of {log.address} was deleted before the table asked for a"
            " cosignature of it; heads of this log cannot be cosigned any more."
        )
    return keys


def _hashes(text: str) -> list[bytes]:
    data = bytes.fromhex(text)
    return [data[at : at + HASH_SIZE] for at in range(0, len(data), HASH_SIZE)]


def _parsed_keys(text: str) -> Sequence[tuple[int, VerifierKey]]:
    pairs = (line.split(" ", 1) for line in text.splitlines())
    return [(int(begin), VerifierKey.parsed(key)) for begin, key in pairs]
