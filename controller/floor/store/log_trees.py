"""The hash trees of the stored logs: they grow with the stored events, and give the floor's roots.

The floor cosigns the head of a table's log only if its own stored events have the same root. A tree
is stored as the roots of its perfect subtrees, so it grows without the events that it contains.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select, update

from controller.floor.store.batches import LogKey
from controller.floor.store.schema import EVENTS, LOG_TREES, LOGS, TABLES
from controller.floor.store.tables import insert_missing
from controller.records.audit.errors import RefusedProofError
from controller.records.audit.log.event_line import parsed_event
from controller.records.audit.log.key_chain import KEY_ROTATED, KeyChain, first_key
from controller.records.audit.notes import SignedNote, VerifierKey
from controller.records.audit.tree import HASH_SIZE, GrowingTree, leaf_hash

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
