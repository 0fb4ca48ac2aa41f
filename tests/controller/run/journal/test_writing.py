"""Tests how the journal writes records: batches, waiting, failing disks and power cuts."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import threading
import time
from collections.abc import Coroutine, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from controller.run.journal import Journal, JournalError, JournalLockedError
from controller.run.journal.copies import paths_of
from controller.run.journal.lines import SECTOR, JournalRecord, chain_of, line_of
from controller.run.journal.notes import Flipped, MovesMade, Note, PushDoubted
from controller.run.journal.writer_threads import WriterThreads
from firmware_bridge.sim.clock import run
from firmware_bridge.sim.host_computer import SlowDisk
from tests.controller.run.journal.on_disk import NOON, PACKET, contents, on_disk

# Batches


def test_an_intent_waits_for_one_simultaneous_sync_of_all_copies(file: Path) -> None:
    async def main() -> float:
        loop = asyncio.get_running_loop()
        with Journal(file, NOON, {}, storage=SlowDisk(0.1)) as journal:
            journal.intend("top", 1.0, PACKET)
            assert contents(file) == []
            await journal.on_disk()
            assert contents(file) == [("intent", PACKET)]
            return loop.time()

    assert run(main()) == pytest.approx(0.1)


def test_an_outcome_shares_the_sync_of_the_next_intent(file: Path) -> None:
    disk = SlowDisk(0.1)

    async def main() -> None:
        with Journal(file, NOON, {}, storage=disk) as journal:
            for number in range(5):
                step = journal.intend("top", 1.0, {"step": number})
                await journal.on_disk()
                journal.confirm(step, 2.0, number)
            assert disk.syncs == 5
            await journal.on_disk()
            assert disk.syncs == 6

    run(main())


def test_records_added_during_a_sync_share_the_next_one(file: Path) -> None:
    disk = SlowDisk(0.1)

    async def main() -> None:
        with Journal(file, NOON, {}, storage=disk) as journal:
            first = journal.intend("top", 1.0, {"step": 1})
            await asyncio.sleep(0.05)
            for number in range(9):
                journal.note(first, 1.0, MovesMade(number))
            await journal.on_disk()
            assert asyncio.get_running_loop().time() == pytest.approx(0.2)

    run(main())
    assert disk.syncs == 2
    assert [record["batch"] for record in on_disk(file)] == [1, *[3] * 9]


def test_waiting_for_an_earlier_record_does_not_wait_for_a_later_one(file: Path) -> None:
    async def main() -> tuple[float, float]:
        loop = asyncio.get_running_loop()

        async def waits(journal: Journal) -> float:
            journal.intend("top", loop.time(), {})
            await journal.on_disk()
            return loop.time()

        with Journal(file, NOON, {}, storage=SlowDisk(0.1)) as journal:
            early = asyncio.create_task(waits(journal))
            await asyncio.sleep(0.03)
            late = asyncio.create_task(waits(journal))
            return await early, await late

    assert run(main()) == pytest.approx((0.1, 0.2))


# Disks that fail


@pytest.mark.parametrize("durable", [True, False])
def test_a_simulated_disk_syncs_the_real_one_only_if_its_files_are_to_be_durable(
    durable: bool, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []

    async def write() -> None:
        with Journal(file, NOON, {}, storage=SlowDisk(0.1, durable=durable)) as journal:
            begun = len(synced)
            number = journal.intend("top", 1.0, {"do": "raise"}, write=True)
            await journal.on_disk()
            journal.confirm(number, 2.0, None)
            await journal.settle()
            assert bool(len(synced) - begun) is durable

    monkeypatch.setattr(os, "fdatasync", synced.append)
    run(write())
    assert b'"raise"' in file.read_bytes()


class Failing(SlowDisk):
    """A slow disk that refuses writes while `full` is set."""

    full = False

    def carry_out(self, jobs: Sequence[Any], done: Any) -> None:
        def refuse() -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        super().carry_out([refuse] * len(jobs) if self.full else jobs, done)


def test_a_failed_write_is_raised_in_every_coroutine_that_waits_for_it(file: Path) -> None:
    disk = Failing(0.1)

    async def main() -> list[object]:
        with Journal(file, NOON, {}, storage=disk) as journal:
            journal.intend("top", 1.0, {})
            await journal.on_disk()
            disk.full = True
            journal.intend("top", 2.0, {"step": "lost"})
            outcomes = await asyncio.gather(
                journal.on_disk(), journal.on_disk(), return_exceptions=True
            )
            disk.full = False
            journal.intend("top", 3.0, {"step": "after"})
            await journal.on_disk()
            return [type(outcome) for outcome in outcomes]

    assert run(main()) == [JournalError, JournalError]
    assert [content for _, content in contents(file)] == [{}, {"step": "lost"}, {"step": "after"}]


def test_a_disk_that_does_not_answer_is_an_error_after_30_seconds(file: Path) -> None:
    async def main() -> float:
        journal = Journal(file, NOON, {}, storage=SlowDisk(1e9))
        journal.intend("top", 1.0, {})
        with pytest.raises(JournalError, match="disk has not answered for 30 s"):
            await journal.on_disk()
        return asyncio.get_running_loop().time()

    assert run(main()) == 30.0


def test_a_check_repairs_a_copy_while_records_are_added(file: Path) -> None:
    async def main() -> tuple[str, ...]:
        with Journal(file, NOON, {}, storage=SlowDisk(0.1)) as journal:
            step = journal.intend("top", 1.0, {})
            await journal.on_disk()
            paths_of(file)[1].write_bytes(b"")
            checking = asyncio.create_task(journal.check())
            await asyncio.sleep(0.05)
            journal.note(step, 1.0, Flipped())
            repairs = await checking
            await journal.on_disk()
            assert await journal.check() == ()
            return repairs

    (repair,) = run(main())
    assert f"{file}.2 was damaged" in repair or f"{file}.2 ended at" in repair
    assert contents(file) == [("intent", {}), ("note", "flipped")]


# Power cuts


@pytest.mark.parametrize("seed", range(60))
def test_a_power_cut_loses_no_record_that_was_waited_for(seed: int, file: Path) -> None:
    """At the power cut each copy keeps a random part of the sectors that were being written."""
    chance, disk = Random(seed), SlowDisk(0.1)
    durable: list[Note] = []
    added: list[Note] = []

    async def main() -> None:
        journal = Journal(file, NOON, {}, storage=disk)
        step = journal.intend("top", 1.0, {})
        for number in range(chance.randrange(1, 7)):
            for part in range(chance.randrange(1, 4)):
                why = f"{number}.{part} " + "x" * chance.choice((0, 40, 300, 700, 2000))
                added.append(PushDoubted("head1_vane", why))
                journal.note(step, 1.0, added[-1])
            if chance.random() < 0.7:
                await journal.on_disk()
                durable[:] = added
        disk.lose_power(chance)
        journal._copies.close()

    run(main())
    with Journal(file, NOON, {}) as journal:
        assert not [repair for repair in journal.repairs if "damaged" in repair]
        entries = journal.history()
        kept = list(entries[0].notes) if entries else []
        assert kept[: len(durable)] == durable, "every record that was waited for is on disk"
        assert kept == added[: len(kept)], "the records on disk are in order"
        journal.note(journal.intend("top", 3.0, {}), 3.0, Flipped())
    assert len({path.read_bytes() for path in paths_of(file)}) == 1


def lines_of(*batches: Sequence[str]) -> list[bytes]:
    """Return the lines of a journal whose records were written in these batches."""
    lines = [line_of(JournalRecord(1, "run", "", 0.0, {"started": NOON, "facts": {}}, None, 1), "")]
    for batch in batches:
        first = len(lines) + 1
        for what in batch:
            record = JournalRecord(
                len(lines) + 1, "intent", "top", 1.0, {"what": what}, None, first
            )
            lines.append(line_of(record, chain_of(lines[-1])))
    return lines


def with_zeros(lines: Sequence[bytes], number: int) -> bytes:
    """Return these lines with zeros from a record's first byte to the next sector boundary."""
    text = b"".join(line + b"\n" for line in lines)
    begin = sum(len(line) + 1 for line in lines[: number - 1])
    end = begin + len(lines[number - 1]) + 1
    lost = min(end, (begin // SECTOR + 1) * SECTOR)
    return text[:begin] + bytes(lost - begin) + text[lost:]


def test_a_record_lost_in_the_last_write_is_removed_without_a_report(file: Path) -> None:
    lines = lines_of(["a"], ["b" * 900, "c"])
    for path in paths_of(file):
        path.write_bytes(with_zeros(lines, 3))
    with Journal(file, NOON, {}) as journal:
        assert [entry.intent["what"] for entry in journal.history()] == ["a"]
        assert journal.repairs == ()


def test_a_record_lost_before_a_later_write_locks_the_journal(file: Path) -> None:
    lines = lines_of(["a"], ["b" * 900], ["c"])
    for path in paths_of(file):
        path.write_bytes(with_zeros(lines, 3))
    with pytest.raises(
        JournalLockedError, match="Record 3 of the journal is damaged in every copy"
    ):
        Journal(file, NOON, {})


def test_zeros_that_end_within_a_sector_lock_the_journal(file: Path) -> None:
    lines = lines_of(["a"], ["b" * 900])
    text = b"".join(line + b"\n" for line in lines)
    begin = len(text) - len(lines[-1]) - 1
    for path in paths_of(file):
        path.write_bytes(text[:begin] + bytes(7) + text[begin + 7 :])
    with pytest.raises(JournalLockedError, match="Record 3"):
        Journal(file, NOON, {})


def test_a_journal_of_version_0_1_is_read_and_continued(file: Path) -> None:
    """Records of version 0.1 do not state the batch in which they were written."""
    contents = [
        JournalRecord(1, "run", "", 0.0, {"started": NOON, "facts": {"seed": 7}}),
        JournalRecord(2, "intent", "top", 1.0, PACKET),
        JournalRecord(3, "outcome", "", 2.0, "dealt", 2),
    ]
    lines: list[bytes] = []
    for record in contents:
        lines.append(line_of(record, chain_of(lines[-1]) if lines else ""))
    for path in paths_of(file):
        path.write_bytes(b"".join(line + b"\n" for line in lines))
    assert "batch" not in json.loads(lines[0])
    with Journal(file, NOON, {}) as journal:
        unfinished = journal.resume()
        assert unfinished is not None and unfinished.facts == {"seed": 7}
        journal.intend("top", 3.0, {"step": "next"})
        assert [entry.confirmed for entry in journal.history()] == [True, False]
    with Journal(file, NOON, {}) as journal:
        assert journal.repairs == () and len(journal.history()) == 2


# Real threads, in real time


def in_real_time(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Make every fdatasync take 0.1 s; return the list of files for which it was called."""
    sync, called = os.fdatasync, list[int]()

    def slowly(file: int) -> None:
        called.append(file)
        time.sleep(0.1)
        sync(file)

    monkeypatch.setattr(os, "fdatasync", slowly)
    return called


def test_slow_disks_are_synced_at_the_same_time_and_do_not_block_the_loop(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sync ends when all copies are being synced and the event loop has turned meanwhile."""
    sync, together, turned = os.fdatasync, threading.Barrier(3), threading.Barrier(4)
    called: list[int] = []

    def slowly(file: int) -> None:
        called.append(file)
        together.wait(60.0)
        turned.wait(60.0)
        sync(file)

    async def main() -> None:
        async def turn() -> None:
            while True:
                await asyncio.sleep(0.01)
                if turned.n_waiting == 3:
                    turned.wait(60.0)

        turning = asyncio.create_task(turn())
        with Journal(file, NOON, {}, storage=WriterThreads(asyncio.get_running_loop())) as journal:
            await asyncio.sleep(0)
            monkeypatch.setattr(os, "fdatasync", slowly)
            for number in range(3):
                journal.intend("top", 1.0, {"step": number})
                await journal.on_disk()
            monkeypatch.setattr(os, "fdatasync", sync)
        turning.cancel()

    in_real_time(main())
    assert len(called) == len(set(called)) * 3 == 9
    assert len(on_disk(file)) == 3


def test_closing_waits_for_the_threads_and_writes_the_remaining_records(
    file: Path, slow: list[int]
) -> None:
    async def main() -> None:
        with Journal(file, NOON, {}, storage=WriterThreads(asyncio.get_running_loop())) as journal:
            step = journal.intend("top", 1.0, PACKET)
            journal.confirm(step, 2.0, "dealt")

    in_real_time(main())
    assert contents(file) == [("intent", PACKET), ("outcome", "dealt")]


def test_a_write_that_fails_in_a_thread_is_raised_in_the_event_loop(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        with Journal(file, NOON, {}, storage=WriterThreads(asyncio.get_running_loop())) as journal:
            journal.intend("top", 1.0, PACKET)
            await journal.on_disk()
            with monkeypatch.context() as full:
                full.setattr(os, "write", lambda *_: (_ for _ in ()).throw(OSError(28, "full")))
                journal.intend("top", 2.0, {})
                with pytest.raises(JournalError, match=r"cannot be written \(full\)"):
                    await journal.on_disk()
            await journal.on_disk()

    in_real_time(main())
    assert len(on_disk(file)) == 2
