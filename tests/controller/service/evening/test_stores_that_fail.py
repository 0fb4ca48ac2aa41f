"""A store that cannot be written: nothing acknowledged is lost, the fault is shown, stops work."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random

import pytest

from controller.service.evening.evening_store import EveningStore, StoreError
from controller.service.evening.store_thread import RETRY_AFTER, StoreWorker
from controller.service.user_roles import UserRole
from tests.controller.service.service_at_a_table import Guests, at_a_table

PAI_GOW = {"game": "pai_gow"}
MOMENTS = 4
"""Random moments of each kind of failure; `make evidence` tries 100."""


@contextmanager
def full_disk(store: EveningStore, file: Path) -> Iterator[None]:
    """The file cannot grow."""
    store._database.execute("PRAGMA max_page_count = 1")
    try:
        yield
    finally:
        store._database.execute("PRAGMA max_page_count = 1000000")


@contextmanager
def read_only(store: EveningStore, file: Path) -> Iterator[None]:
    """The file cannot be written."""
    store._database.execute("PRAGMA query_only = 1")
    try:
        yield
    finally:
        store._database.execute("PRAGMA query_only = 0")


@contextmanager
def locked(store: EveningStore, file: Path) -> Iterator[None]:
    """Another program has locked the file."""
    store._database.execute("PRAGMA busy_timeout = 0")
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


FAILURES = [full_disk, read_only, locked]


def presets_in(file: Path) -> dict[str, str]:
    """The presets that a service would read after a kill at this moment."""
    with closing(sqlite3.connect(file)) as fresh:
        return dict(fresh.execute("SELECT name, choice FROM preset"))


async def moments(
    guests: Guests, file: Path, fails: Callable[..., object], count: int, seed: int
) -> None:
    """Let the store fail at random moments of an evening, with commands before and meanwhile."""
    chance = Random(seed)
    await guests.have("start_session", choice=PAI_GOW)
    refused = 0
    for moment in range(count):
        await guests.until(lambda s: s.machine.top == "playing")
        await asyncio.sleep(chance.uniform(0.0, 20.0))
        with fails(guests.service.store, file):  # type: ignore[attr-defined]
            for number in range(chance.randint(1, 3) if fails is not full_disk else 12):
                name = f"{moment} {number} {'x' * 40}"
                reply = await guests.give("save_preset", name=name, choice=PAI_GOW)
                if reply.state == "done":
                    assert name in presets_in(file), "acknowledged, and lost after a kill"
                else:
                    assert reply.code == "not_stored", reply
                    refused += 1
                if number == 0 and guests.service.daemon is not None:
                    begun = asyncio.get_running_loop().time()
                    paused = await guests.give("pause", UserRole.PLAYER)
                    assert paused.state == "done", paused
                    assert asyncio.get_running_loop().time() - begun <= 1.0
                    assert "not stored yet" in paused.sentence or reply.state == "done"
            if guests.service.thread.failure is not None:
                await guests.until(lambda s: s.service.state == "fault", limit=10.0)
                fault = guests.status.fault
                assert fault is not None and fault.code == "STORE"
                assert (await guests.give("clear_fault")).code == "not_stored"
        await asyncio.sleep(RETRY_AFTER + 1)
        assert guests.service.thread.failure is None
        assert set(guests.service.presets.all()) == set(presets_in(file)), "stored later"
        for name in guests.service.presets.all():
            await guests.have("delete_preset", name=name)
        if guests.status.service.state == "fault":
            await guests.have("clear_fault")
        await guests.until(lambda s: s.machine.mode == "paused" or s.machine.top == "playing")
        await guests.give("resume")
    assert refused >= count / 2


@pytest.mark.slow
@pytest.mark.parametrize("fails", FAILURES, ids=lambda each: each.__name__)
def test_nothing_acknowledged_is_lost_and_a_pause_waits_for_no_disk(
    fails: Callable[..., object], tmp_path: Path
) -> None:
    file = tmp_path / "evening.db"
    at_a_table(lambda guests: moments(guests, file, fails, MOMENTS, 1), "pai_gow", store=file)


@pytest.mark.evidence(only=True)
@pytest.mark.slow
@pytest.mark.parametrize("fails", FAILURES, ids=lambda each: each.__name__)
def test_at_100_random_moments_nothing_acknowledged_is_lost(
    fails: Callable[..., object], tmp_path: Path
) -> None:
    file = tmp_path / "evening.db"
    at_a_table(lambda guests: moments(guests, file, fails, 100, 2), "pai_gow", store=file)


def test_a_settled_hand_is_shown_when_it_is_stored(tmp_path: Path) -> None:
    file = tmp_path / "evening.db"

    async def scenario(guests: Guests) -> None:
        await guests.have("start_session", choice=PAI_GOW)
        await guests.until(lambda s: s.machine.top == "playing")
        with read_only(guests.service.store, file):
            assert guests.service.book is not None
            guests.service.book.update({"t": 0.0, "event": "hand_abandoned"})
            guests.service.book.end_round()
            await guests.until(lambda s: s.service.state == "fault", limit=10.0)
            assert guests.status.session is not None and guests.status.session.rounds == 0
        await guests.until(lambda s: s.session is not None and s.session.rounds == 1, limit=10.0)

    at_a_table(scenario, "pai_gow", store=file)


def test_writes_that_failed_are_written_in_order_before_later_ones(tmp_path: Path) -> None:
    file = tmp_path / "evening.db"

    async def scenario(guests: Guests) -> None:
        thread, store = guests.service.thread, guests.service.store
        with read_only(store, file):
            thread.write(lambda each: each.put_fact("first", 1))
            thread.write(lambda each: each.put_fact("second", store.fact("first")))
            with pytest.raises(StoreError, match="cannot be written"):
                await thread.stored()
        await asyncio.sleep(RETRY_AFTER + 1)
        await thread.stored()
        assert store.fact("second") == 1

    at_a_table(scenario, "pai_gow", store=file)


def test_a_disk_that_hangs_is_a_failure_and_no_write_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.service.evening.store_thread.LATE", 0.1)
    file, answers = tmp_path / "evening.db", threading.Event()

    async def hang() -> None:
        worker, seen = StoreWorker(EveningStore(file)), list[str | None]()
        worker.changed = seen.append
        worker.write(lambda store: (answers.wait(60), store.put_fact("a", 1))[1])
        begun = time.perf_counter()
        with pytest.raises(StoreError, match="the disk hangs"):
            await worker.stored()
        assert time.perf_counter() - begun < 30
        answers.set()
        while worker.failure is not None:  # noqa: ASYNC110 - the thread sets no event
            await asyncio.sleep(0.01)
        await worker.stored()
        assert [each is None for each in seen] == [False, True]
        assert await worker.read(lambda store: store.fact("a")) == 1
        worker.close()

    asyncio.run(hang())


def test_a_write_that_is_asked_for_while_another_is_written_is_stored_when_the_worker_closes(
    tmp_path: Path,
) -> None:
    """The result of the thread's write is noted after the end; no other write begins then."""
    failures: list[dict[str, object]] = []

    async def evening() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: failures.append(context))
        worker = StoreWorker(EveningStore(tmp_path / "evening.db"))
        worker.write(lambda store: store.put_fact("first", 1))
        worker.write(lambda store: store.put_fact("second", 2))
        worker.close()
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    asyncio.run(evening())
    assert failures == []
    with closing(EveningStore(tmp_path / "evening.db")) as store:
        assert (store.fact("first"), store.fact("second")) == (1, 2)
