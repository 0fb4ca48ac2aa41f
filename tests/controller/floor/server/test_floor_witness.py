"""The floor cosigns a head only if its own stored events have the size and the root of the head."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import select
from tlog_scales import signing, tlog

from controller.floor.messages import Cosignature, LogHead, TableAddress
from controller.floor.server import floor_witness
from controller.floor.server.floor_witness import FloorWitness
from controller.floor.server.metrics import FloorCounts
from controller.floor.server.room import Room, RoomTable
from controller.floor.store.engine import StoreUnavailableError
from controller.floor.store.floor_store import FloorStore
from controller.floor.store.schema import LOG_TREES
from controller.records.audit.log.audit_log import AuditLog
from controller.records.audit.notes import (
    COSIGNATURE,
    Checkpoint,
    NoteSignatureLine,
    SignedNote,
    SigningKey,
)
from controller.web.api.worker_thread import WorkerThread
from tests.controller.floor.event_lines import BIRTH, batch_of, log_id
from tests.controller.records.audit.logs_for_tests import log_of
from tests.waiting import until

A1, B2 = TableAddress("club", "a1"), TableAddress("club", "b2")
KEY = SigningKey("floor-club/witness", b"w" * 32, COSIGNATURE)
NOW = datetime(2026, 11, 24, 20, tzinfo=UTC)
LATER = 3600.0
"""Seconds between two heads in tests of that limit: longer than any of them."""


@dataclass
class Floor:
    """A witness with a database, and the cosignatures that it sends."""

    store: FloorStore
    room: Room = field(default_factory=lambda: Room("club"))
    counts: FloorCounts = field(default_factory=FloorCounts)
    sent: list[Cosignature] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.worker = WorkerThread("witness")
        self.witness = FloorWitness(
            self.store,
            self.worker,
            self.room,
            self.counts,
            KEY,
            answer=self._send,
            wall=lambda: NOW,
        )

    async def _send(self, address: TableAddress, cosignature: Cosignature) -> None:
        self.sent.append(cosignature)

    @property
    def table(self) -> RoomTable:
        found = self.room.table(A1)
        assert found is not None
        return found

    def ask(self, note: SignedNote, log: AuditLog, table: TableAddress = A1) -> None:
        """Pass a head of a table to the witness."""
        self.witness.add(table, LogHead(birth=BIRTH, log=log_id(lines(log)), note=str(note)))

    async def refused(self) -> str:
        """Wait until the next head is refused, and return the reason."""
        before = self.counts.unproven
        await until(lambda: self.counts.unproven > before)
        assert not self.sent
        return self.table.unproven


def lines(log: AuditLog) -> list[str]:
    """Return the lines of a log."""
    return log.folder.events.read_text("utf-8").splitlines()


def witnessing(
    url: str, log: AuditLog, stored: int, scene: Callable[[Floor], Awaitable[None]]
) -> None:
    """Store the first events of a log, and let the witness run until the scene ends."""

    async def main() -> None:
        store = FloorStore(url)
        store.open()
        store.take([batch_of(lines(log), 0, stored)])
        floor = Floor(store)
        task = asyncio.create_task(floor.witness.run())
        try:
            await scene(floor)
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            floor.worker.close()
            store.close()

    asyncio.run(main())
    log.close()


@pytest.fixture
def log(tmp_path: Path) -> AuditLog:
    """Return a log with ten events."""
    return log_of(tmp_path / "audit", 9)


def test_a_head_of_the_stored_events_is_cosigned_and_others_programs_verify_it(
    sqlite_url: str, log: AuditLog
) -> None:
    async def scene(floor: Floor) -> None:
        head = log.key.signed(log.head)
        floor.ask(head, log)
        await until(lambda: bool(floor.sent))
        line = NoteSignatureLine.parsed(floor.sent[0].line)
        theirs = tlog.Checkpoint.from_text(str(head.with_signature(line)))
        theirs.verify(signing.Vkey.from_string(str(KEY.public)))
        assert (floor.table.cosigned, floor.table.cosigned_at) == (10, NOW)
        (row,) = floor.store.read(lambda c: c.execute(select(LOG_TREES)).all())
        assert SignedNote.parsed(row.head).signature_of(KEY.public) == line

    witnessing(sqlite_url, log, 10, scene)


def test_a_table_that_signs_other_events_than_it_sends_is_shown(
    sqlite_url: str, log: AuditLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(floor_witness, "SOONEST", LATER)

    async def scene(floor: Floor) -> None:
        floor.ask(log.key.signed(replace(log.head, root=bytes(32))), log)
        assert "the first 10 events that the table has signed differ from" in await floor.refused()
        floor.witness.add(A1, floor_head(log, "no note"))
        assert floor.counts.dropped["flood"] == 1, "a table asks seldom"

    witnessing(sqlite_url, log, 10, scene)


def floor_head(log: AuditLog, note: str) -> LogHead:
    """Return a head with any text as its note."""
    return LogHead(birth=BIRTH, log=log_id(lines(log)), note=note)


def test_a_head_that_is_not_signed_by_the_key_of_the_first_event_is_refused(
    sqlite_url: str, log: AuditLog
) -> None:
    async def scene(floor: Floor) -> None:
        stranger = SigningKey(log.key.public.name, b"s" * 32)
        floor.ask(stranger.signed(log.head), log)
        assert "no signature of" in await floor.refused()

    witnessing(sqlite_url, log, 10, scene)


@pytest.mark.parametrize("note", ["", "text", "a\n1\nAA==\n\n— a AAAA\n"])
def test_a_head_that_is_no_checkpoint_is_refused(sqlite_url: str, log: AuditLog, note: str) -> None:
    async def scene(floor: Floor) -> None:
        floor.witness.add(A1, floor_head(log, note))
        assert (await floor.refused()).startswith("The floor does not cosign the log of club/a1: ")

    witnessing(sqlite_url, log, 10, scene)


def test_a_head_above_the_stored_events_or_below_a_cosigned_one_waits_for_the_next(
    sqlite_url: str, log: AuditLog
) -> None:
    async def scene(floor: Floor) -> None:
        floor.ask(log.key.signed(log.head), log)
        await settled(floor)
        assert (floor.sent, floor.counts.unproven) == ([], 0)
        floor.store.take([batch_of(lines(log), 6, 10)])
        floor.ask(log.key.signed(log.head), log, B2)
        await settled(floor)
        assert not floor.sent, "another table has no such log"

    witnessing(sqlite_url, log, 6, scene)


async def settled(floor: Floor) -> None:
    """Wait until the witness has taken every head, and its worker has ended the last job."""
    await until(lambda: not floor.witness._waiting)
    await asyncio.sleep(0.05)
    await floor.worker.run(lambda: None)
    await floor.worker.run(lambda: None)


def test_of_one_table_one_head_waits_and_it_is_taken_once_in_20_s(
    sqlite_url: str, log: AuditLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert floor_witness.SOONEST == 20.0
    monkeypatch.setattr(floor_witness, "SOONEST", LATER)

    async def scene(floor: Floor) -> None:
        loop = asyncio.get_running_loop()
        for _ in range(5):
            floor.ask(log.key.signed(log.head), log)
        await until(lambda: bool(floor.sent))
        for _ in range(5):
            floor.ask(log.key.signed(log.head), log)
        await settled(floor)
        assert len(floor.sent) == 1
        assert floor.counts.dropped["flood"] == 5
        floor.witness._taken[A1] = loop.time() - LATER
        floor.ask(log.key.signed(log.head), log)
        await until(lambda: len(floor.sent) == 2)

    witnessing(sqlite_url, log, 10, scene)


def test_heads_are_cosigned_again_when_the_database_is_back(
    sqlite_url: str, log: AuditLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene(floor: Floor) -> None:
        monkeypatch.setattr(floor_witness, "RETRY", 0.01)
        write, failures = floor.store.write, iter([StoreUnavailableError("The database is gone.")])

        def failing(change: Callable[..., object]) -> object:
            for failure in failures:
                raise failure
            return write(change)

        monkeypatch.setattr(floor.store, "write", failing)
        floor.ask(log.key.signed(log.head), log)
        await settled(floor)
        floor.ask(log.key.signed(log.head), log, B2)
        floor.witness._taken.clear()
        floor.ask(log.key.signed(log.head), log)
        await until(lambda: bool(floor.sent))

    witnessing(sqlite_url, log, 10, scene)


def test_a_checkpoint_of_no_events_is_not_cosigned(sqlite_url: str, log: AuditLog) -> None:
    async def scene(floor: Floor) -> None:
        empty = Checkpoint(log.key.public.name, 0, log.head.root)
        floor.ask(log.key.signed(empty), log)
        await settled(floor)
        assert not floor.sent

    witnessing(sqlite_url, log, 10, scene)
