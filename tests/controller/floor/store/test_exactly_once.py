"""Tests exactly-once storage with lost, repeated and reordered batches, and with crashes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.floor.store import ingestion
from controller.floor.store.engine import StoreUnavailableError
from controller.floor.store.floor_store import FloorStore
from controller.floor.store.ingestion import EventBatch
from tests.controller.floor.event_lines import batch_of, lines_of
from tests.controller.floor.postgres_process import PostgresProcess
from tests.controller.floor.store.conftest import stored_lines

LOGS = {name: lines_of(12, name) for name in ("a1", "a2", "a3")}


class Delivery(NamedTuple):
    """Batches that one service stores together; with `fails`, its transaction is broken off."""

    service: int
    batches: tuple[tuple[str, int, int], ...]
    fails: bool


BATCHES = st.tuples(st.sampled_from(sorted(LOGS)), st.integers(0, 11), st.integers(1, 12))
DELIVERIES = st.builds(
    Delivery, st.integers(0, 1), st.lists(BATCHES, min_size=1, max_size=6).map(tuple), st.booleans()
)


class BrokenOffError(Exception):
    """The service is killed before it commits."""


@contextmanager
def broken_off(fails: bool) -> Iterator[None]:
    """Raise between the insertion of the events and the end of their transaction."""
    original = ingestion._move_on

    def fail(*_: object) -> None:
        raise BrokenOffError

    if fails:
        ingestion._move_on = fail
    try:
        yield
    except BrokenOffError:
        pass
    finally:
        ingestion._move_on = original


def require_exactly_once(url: str, deliveries: list[Delivery]) -> None:
    """Deliver, check after each delivery, then deliver all in order and check that all is there."""
    stores = (FloorStore(url), FloorStore(url))
    try:
        stores[0].open()
        for delivery in deliveries:
            batches = [_batch(*batch) for batch in delivery.batches]
            with broken_off(delivery.fails):
                for taken in stores[delivery.service].take(batches):
                    assert taken.refusal is None or taken.stored == 0
            for name, lines in LOGS.items():
                stored = stored_lines(stores[0], name)
                assert stored == lines[: len(stored)]
        rest = [_batch(name, first, 3) for first in range(0, 12, 3) for name in LOGS]
        assert {taken.next for taken in stores[1].take(rest)[-3:]} == {12}
        for name, lines in LOGS.items():
            assert stored_lines(stores[1], name) == lines
    finally:
        for store in stores:
            store.close()


def _batch(name: str, first: int, count: int) -> EventBatch:
    return batch_of(LOGS[name], first, min(first + count, 12), name)


@given(st.lists(DELIVERIES, max_size=8))
def test_each_event_is_stored_once_in_any_order_of_batches(deliveries: list[Delivery]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        require_exactly_once(f"sqlite:///{Path(folder) / 'floor.db'}", deliveries)


@pytest.mark.slow
@given(deliveries=st.lists(DELIVERIES, max_size=8))
def test_each_event_is_stored_once_in_postgresql(
    postgres: PostgresProcess, deliveries: list[Delivery]
) -> None:
    require_exactly_once(postgres.new_database(), deliveries)


def test_services_that_store_at_the_same_time_store_each_event_once(url: str) -> None:
    def serve(seed: int) -> int:
        random, store, stored = Random(seed), FloorStore(url), 0
        for _ in range(40):
            batches = [
                _batch(random.choice(list(LOGS)), random.randrange(12), random.randint(1, 5))
                for _ in range(random.randint(1, 8))
            ]
            stored += sum(taken.stored for taken in store.take(batches))
        store.close()
        return stored

    first = FloorStore(url)
    first.open()
    with ThreadPoolExecutor(4) as threads:
        stored = sum(threads.map(serve, range(4)))
    found = {name: stored_lines(first, name) for name in LOGS}
    assert stored == sum(map(len, found.values())) > 20
    assert all(LOGS[name][: len(lines)] == lines for name, lines in found.items())
    first.close()


@pytest.mark.slow
@pytest.mark.parametrize("when", ["before the events", "before the positions"])
def test_a_database_killed_within_a_transaction_loses_no_event(
    postgres: PostgresProcess, when: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = FloorStore(postgres.new_database())
    store.open()
    lines = LOGS["a1"]
    store.take([batch_of(lines, 0, 3)])
    name = "_insert" if when == "before the events" else "_move_on"
    original = getattr(ingestion, name)

    def kill(*arguments: object) -> None:
        postgres.kill()
        original(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(ingestion, name, kill)
        with pytest.raises(StoreUnavailableError, match="does not work"):
            store.take([batch_of(lines, 3, 6)])
    with pytest.raises(StoreUnavailableError, match="Tables keep their events"):
        store.take([batch_of(lines, 3, 6)])
    postgres.start()
    assert [taken.next for taken in store.take([batch_of(lines, 3, 6)])] == [6]
    assert stored_lines(store) == lines[:6]
    store.close()


@pytest.mark.slow
def test_a_database_killed_during_many_transactions_has_what_was_confirmed(
    postgres: PostgresProcess,
) -> None:
    lines = lines_of(3000)
    store = FloorStore(postgres.new_database())
    store.open()
    ends = sorted(Random(5).sample(range(1, 3000), 400))
    kills = set(ends[50::100])
    for first, end in pairwise([0, *ends, 3000]):
        if first in kills:
            postgres.process.kill() if postgres.process else None
        while True:
            try:
                (taken,) = store.take([batch_of(lines, first, end)])
            except StoreUnavailableError:
                postgres.kill()
                postgres.start()
            else:
                assert taken.next == end
                break
    assert stored_lines(store) == lines
    store.close()


def test_a_service_that_cannot_have_the_database_says_so(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.floor.store.engine.LOCK", 0.05)
    holder, other = FloorStore(sqlite_url), FloorStore(sqlite_url)
    holder.open()

    def hold(_: object) -> None:
        with pytest.raises(StoreUnavailableError, match="locked"):
            other.take([batch_of(LOGS["a1"], 0, 3)])

    holder.write(hold)
    (taken,) = other.take([batch_of(LOGS["a1"], 0, 3)])
    assert taken.next == 3
    for store in (holder, other):
        store.close()
