"""The hash tree of a stored log has the roots that the table signs, however it has grown."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import delete, select, update

from controller.floor.messages import TableAddress
from controller.floor.server import floor_witness
from controller.floor.server.floor_witness import StoredTree, grow_tree, keep_cosigned_head
from controller.floor.store.floor_store import FloorStore
from controller.floor.store.ingestion import LogKey
from controller.floor.store.schema import EVENTS, LOG_TREES
from controller.records.audit.errors import RefusedProofError
from controller.records.audit.log.audit_log import AuditLog
from controller.records.audit.tree import leaf_hash, root_of
from tests.controller.floor.event_lines import batch_of, log_id
from tests.controller.records.audit.logs_for_tests import entry, log_of

A1 = TableAddress("club", "a1")


def lines(log: AuditLog) -> list[str]:
    """Return the lines of a log."""
    return log.folder.events.read_text("utf-8").splitlines()


def stored(store: FloorStore, of: list[str], first: int, end: int) -> None:
    """Store the events from `first` to before `end`."""
    (taken,) = store.take([batch_of(of, first, end)])
    assert taken.next == end


def tree(store: FloorStore, of: list[str], size: int) -> StoredTree | None:
    """Grow the tree to this size."""
    return store.write(lambda c: grow_tree(c, LogKey(A1, log_id(of)), size))


def root(of: list[str]) -> bytes:
    """Return the root of these events, computed from the beginning."""
    return root_of(leaf_hash(line.encode()) for line in of)


def test_the_tree_has_the_roots_that_the_table_signs_also_after_new_keys(
    store: FloorStore, tmp_path: Path
) -> None:
    log = log_of(tmp_path / "audit", 4)
    heads = [log.head]
    for number in range(3):
        log.rotate_key(entry(10 * number))
        log.append([entry(10 * number + place) for place in range(1 + 2 * number)])
        heads.append(log.head)
    log.close()
    of = lines(log)
    stored(store, of, 0, len(of))
    for head in heads:
        found = tree(store, of, head.size)
        assert found is not None
        assert (found.size, found.root, found.stored) == (head.size, head.root, len(of))
    assert found is not None
    assert found.keys.latest == log.key.public
    assert len(found.keys.keys) == 4


def test_a_long_log_is_read_in_parts(
    store: FloorStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(floor_witness, "MOST_LINES", 7)
    log = log_of(tmp_path / "audit", 30)
    log.close()
    of = lines(log)
    stored(store, of, 0, len(of))
    sizes = []
    for _ in range(6):
        found = tree(store, of, len(of))
        assert found is not None
        assert found.root == root(of[: found.size])
        sizes.append(found.size)
    assert sizes == [7, 14, 21, 28, len(of), len(of)]


def test_the_tree_grows_only_with_stored_events(store: FloorStore, tmp_path: Path) -> None:
    log = log_of(tmp_path / "audit", 9)
    log.close()
    of = lines(log)
    assert tree(store, of, 5) is None
    stored(store, of, 0, 4)
    found = tree(store, of, 9)
    assert found is not None
    assert (found.size, found.stored) == (4, 4)
    older = tree(store, of, 2)
    assert older is not None
    assert older.size == 4, "a tree never shrinks"


def test_a_log_whose_events_were_deleted_unseen_is_not_cosigned(
    store: FloorStore, tmp_path: Path
) -> None:
    log = log_of(tmp_path / "audit", 9)
    log.close()
    of = lines(log)
    stored(store, of, 0, 9)
    tree(store, of, 3)
    store.write(lambda c: c.execute(delete(EVENTS).where(EVENTS.c.number < 3)))
    assert tree(store, of, 5) is not None, "events that the tree contains are not needed any more"
    store.write(lambda c: c.execute(delete(EVENTS).where(EVENTS.c.number == 6)))
    with pytest.raises(RefusedProofError, match="Event 6 of club/a1 was deleted"):
        tree(store, of, 9)


@pytest.mark.parametrize("line", ["x", "{}"])
def test_a_first_event_of_another_log_gives_no_tree(
    store: FloorStore, tmp_path: Path, line: str
) -> None:
    log = log_of(tmp_path / "audit", 3)
    log.close()
    of = lines(log)
    stored(store, of, 0, 3)
    change = update(EVENTS).where(EVENTS.c.number == 0).values(line=line)
    store.write(lambda c: c.execute(change))
    with pytest.raises(RefusedProofError, match="Event 0 of the log"):
        tree(store, of, 3)
    assert store.read(lambda c: c.execute(select(LOG_TREES)).all()) == []


def test_the_last_cosigned_head_is_kept(store: FloorStore, tmp_path: Path) -> None:
    log = log_of(tmp_path / "audit", 3)
    log.close()
    of = lines(log)
    stored(store, of, 0, 3)
    found = tree(store, of, 3)
    assert found is not None
    note, now = log.key.signed(log.head), datetime(2026, 11, 24, tzinfo=UTC)
    store.write(lambda c: keep_cosigned_head(c, found.log_id, note, now))
    (row,) = store.read(lambda c: c.execute(select(LOG_TREES)).all())
    assert (row.size, row.head) == (3, str(note))
