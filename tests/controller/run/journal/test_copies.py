"""Tests that damaged copies are repaired, or the journal is locked until a person decides."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path

import pytest

from config import durable_files
from controller.run.journal import Entry, Journal, JournalError, JournalLockedError
from controller.run.journal import copies as journal_copies
from controller.run.journal.copies import Copies, paths_of
from controller.run.journal.history import history_of
from controller.run.journal.lines import record_of
from controller.run.journal.notes import PushDoubted
from controller.run.journal.reconcile import Copy, defect_of, verified_lines
from tests.controller.run.journal.on_disk import now
from tests.quick import tries

NOON = "2030-01-01T12:00:00+00:00"


def write_journal(file: Path, steps: int = 2) -> None:
    with Journal(file, NOON, {"n": 1}) as journal:
        for number in range(steps):
            step = journal.intend("top", 1.0, {"step": number})
            journal.note(step, 1.5, PushDoubted("v", "J*"))
            journal.confirm(step, 2.0, [3, 5])
        journal.end()


def history(file: Path) -> tuple[Entry, ...]:
    with Journal(file, NOON, {}) as journal:
        return journal.history()


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the bytes of a small journal whose copies are all equal."""
    file = tmp_path_factory.mktemp("recorded") / "journal"
    write_journal(file)
    return file.read_bytes()


@pytest.fixture
def file(tmp_path: Path, recorded: bytes) -> Path:
    """Return the path of a journal with three undamaged copies."""
    for path in paths_of(tmp_path / "journal"):
        path.write_bytes(recorded)
    return tmp_path / "journal"


def found(*texts: bytes | None) -> list[Copy]:
    return [Copy(Path(f"copy{number}"), text) for number, text in enumerate(texts)]


def flips(text: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the text with one bit inverted, for every bit; in quick runs of each seventh byte."""
    for place in range(0, len(text), tries(1, quick=7)):
        for bit in range(8):
            changed = bytearray(text)
            changed[place] ^= 1 << bit
            yield place, bytes(changed)


# Inverted bits


@pytest.mark.slow
def test_one_inverted_bit_in_one_copy_is_found_and_changes_no_record(recorded: bytes) -> None:
    right = tuple(recorded.splitlines())
    for number, (place, changed) in enumerate(flips(recorded)):
        texts = [recorded, recorded]
        texts.insert(number % 3, changed)
        copies = found(*texts)
        assert verified_lines(copies) == right, place
        assert defect_of(copies[number % 3], right) is not None, place


@pytest.mark.slow
def test_the_same_inverted_bit_in_two_copies_changes_no_record(recorded: bytes) -> None:
    right = tuple(recorded.splitlines())
    for place, changed in flips(recorded):
        assert verified_lines(found(changed, recorded, changed)) == right, place


@pytest.mark.slow
def test_the_same_inverted_bit_in_every_copy_locks_the_journal(recorded: bytes) -> None:
    for place, changed in flips(recorded):
        with pytest.raises(JournalError) as refused:
            verified_lines(found(changed, changed, changed))
        assert isinstance(refused.value, JournalLockedError), place


def test_a_last_record_that_two_copies_have_damaged_is_not_dropped(recorded: bytes) -> None:
    """A power cut damages at most one write. The record was on disk, and two disks are damaged.

    A run without it would repeat its step, for example deal a tile twice.
    """
    *before, last = recorded.splitlines(keepends=True)
    shorter, damaged = b"".join(before), b"".join((*before, last.replace(b"end", b"dne", 1)))
    assert damaged != recorded
    assert verified_lines(found(damaged, shorter, shorter)) == tuple(shorter.splitlines())
    with pytest.raises(JournalLockedError, match="is damaged in every copy that has it"):
        verified_lines(found(damaged, damaged, shorter))


def test_an_inverted_bit_in_a_journal_with_one_record_is_found(tmp_path: Path) -> None:
    with Journal(tmp_path / "journal", NOON, {}) as journal:
        journal.intend("top", 1.0, {})
    (first, _) = (tmp_path / "journal").read_bytes().splitlines(keepends=True)
    for place, changed in flips(first):
        assert verified_lines(found(changed, first, first)) == (first[:-1],), place
        with pytest.raises(JournalLockedError):
            verified_lines(found(changed, changed, changed))


def test_a_copy_with_an_inverted_bit_is_rewritten_and_reported(file: Path, recorded: bytes) -> None:
    before = history(file)
    for number, (place, changed) in enumerate(flips(recorded)):
        if number % 97:  # a sample of the bits; the tests above check every bit without files
            continue
        damaged = paths_of(file)[number % 3]
        damaged.write_bytes(changed)
        with Journal(file, NOON, {}) as journal:
            (repair,) = journal.repairs
            assert repair.startswith(f"The journal's copy {damaged} "), place
            assert repair.endswith("; it was rewritten."), place
            assert journal.history() == before
        assert damaged.read_bytes() == recorded


def test_copies_damaged_at_different_records_are_merged_to_the_whole_journal(
    file: Path, recorded: bytes
) -> None:
    lines = recorded.splitlines(keepends=True)
    for number, path in enumerate(paths_of(file)):
        damaged = [*lines]
        damaged[2 * number + 1] = (
            damaged[2 * number + 1].replace(b"top", b"pot").replace(b"of", b"fo")
        )
        path.write_bytes(b"".join(damaged))
    with Journal(file, NOON, {}) as journal:
        assert [repair.split(str(file.parent))[1] for repair in journal.repairs] == [
            "/journal was damaged at record 2; it was rewritten.",
            "/journal.2 was damaged at record 4; it was rewritten.",
            "/journal.3 was damaged at record 6; it was rewritten.",
        ]
    assert {path.read_bytes() for path in paths_of(file)} == {recorded}


# Cut off


@pytest.mark.slow
def test_a_copy_cut_off_anywhere_is_completed_from_the_others(recorded: bytes) -> None:
    right = tuple(recorded.splitlines())
    for length in range(len(recorded)):
        copies = found(recorded, recorded[:length], recorded)
        assert verified_lines(copies) == right, length
        assert defect_of(copies[1], right) is not None, length


@pytest.mark.slow
def test_if_every_copy_is_cut_off_the_complete_lines_are_read(recorded: bytes) -> None:
    right = tuple(recorded.splitlines())
    for length in range(len(recorded)):
        short = recorded[:length]
        copies = found(short, short, short)
        verified = verified_lines(copies)
        assert verified == right[: short.count(b"\n")], length
        assert all(defect_of(copy, verified) is None for copy in copies), length


def test_a_cut_off_last_line_is_removed_and_not_reported_as_damage(
    file: Path, recorded: bytes
) -> None:
    whole = recorded.rpartition(b'{"number"')[0]
    for cut in (1, 40, len(recorded) - len(whole) - 1):
        for path in paths_of(file):
            path.write_bytes(whole + recorded[len(whole) :][:cut])
        with Journal(file, NOON, {}) as journal:
            assert journal.repairs == ()
            assert len(journal.history()) == 2
        assert {path.read_bytes() for path in paths_of(file)} == {whole}


def test_zeros_that_a_power_cut_left_after_the_last_line_are_not_damage(recorded: bytes) -> None:
    zeros = found(recorded + bytes(300), recorded + bytes(300), recorded + bytes(1))
    assert verified_lines(zeros) == tuple(recorded.splitlines())


@pytest.mark.parametrize("reached", [1, 2])
def test_a_record_that_reached_only_some_copies_is_kept(
    reached: int, file: Path, recorded: bytes
) -> None:
    lines = recorded.splitlines(keepends=True)
    for path in paths_of(file)[reached:]:
        path.write_bytes(b"".join(lines[:-1]))
    with Journal(file, NOON, {}) as journal:
        assert len(journal.repairs) == 3 - reached
        assert all("ended at record 7 of 8; it was" in repair for repair in journal.repairs)
        assert journal.unfinished() is None
    assert {path.read_bytes() for path in paths_of(file)} == {recorded}


def test_a_record_that_is_complete_in_no_copy_counts_as_not_written(
    file: Path, recorded: bytes
) -> None:
    """At the power cut one disk had written the end of the record, but not its beginning."""
    lines = recorded.splitlines(keepends=True)
    before = b"".join(lines[:-1])
    first, *rest = paths_of(file)
    first.write_bytes(before + bytes(20) + lines[-1][20:])
    for path in rest:
        path.write_bytes(before)
    with Journal(file, NOON, {}) as journal:
        assert len(journal.repairs) == 1
    assert {path.read_bytes() for path in paths_of(file)} == {before}


# Missing copies, and copies of another journal


@pytest.mark.parametrize("missing", [*combinations(range(3), 1), *combinations(range(3), 2)])
def test_missing_copies_are_rewritten(
    missing: tuple[int, ...], file: Path, recorded: bytes
) -> None:
    paths = paths_of(file)
    for number in missing:
        paths[number].unlink()
    with Journal(file, NOON, {}) as journal:
        assert journal.repairs == tuple(
            f"The journal's copy {paths[number]} was missing; it was rewritten."
            for number in missing
        )
    assert {path.read_bytes() for path in paths} == {recorded}


@pytest.mark.parametrize("data", [b"", b"\n\n\n", bytes(5000), b"felt\n" * 9, b"\xff" * 99])
def test_a_copy_that_contains_other_data_is_rewritten(
    data: bytes, file: Path, recorded: bytes
) -> None:
    for path in paths_of(file):
        path.write_bytes(data)
        assert len(history(file)) == 2
        assert path.read_bytes() == recorded


def another(tmp_path: Path, steps: int) -> bytes:
    """Return the bytes of another journal, without damage."""
    other = tmp_path / "other"
    with Journal(other, "another day", {}) as journal:
        for number in range(steps):
            journal.intend("top", 1.0, {"step": number})
    return other.read_bytes()


@pytest.mark.parametrize("steps", [1, 2, 9, 30])
def test_a_copy_of_another_journal_locks_the_journal(
    steps: int, file: Path, recorded: bytes, tmp_path: Path
) -> None:
    foreign = another(tmp_path, steps)
    paths_of(file)[1].write_bytes(foreign)
    for _ in range(2):
        with pytest.raises(JournalLockedError, match="contradict each other from record 1 on"):
            Journal(file, NOON, {})
    assert [path.read_bytes() for path in paths_of(file)] == [recorded, foreign, recorded]


def test_copies_that_differ_from_some_record_on_lock_the_journal(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours" / "journal", tmp_path / "theirs" / "journal"
    ours.parent.mkdir()
    write_journal(ours)
    shutil.copytree(ours.parent, theirs.parent)
    for file, dice in ((ours, 1), (theirs, 6)):
        with Journal(file, NOON, {}) as journal:
            journal.intend("top", 1.0, {"dice": dice})
    shutil.copy(paths_of(theirs)[2], paths_of(ours)[2])
    with pytest.raises(JournalLockedError, match="contradict each other from record 9 on"):
        Journal(ours, NOON, {})


def test_an_old_copy_does_not_hide_a_damaged_record_of_the_others(
    file: Path, recorded: bytes
) -> None:
    """One copy was restored from an old backup; the others are damaged at the record after it."""
    lines = recorded.splitlines(keepends=True)
    old, *damaged = paths_of(file)
    old.write_bytes(b"".join(lines[:3]))
    for path in damaged:
        path.write_bytes(recorded.replace(lines[3], lines[3].replace(b"3", b"4", 1)))
    with pytest.raises(
        JournalLockedError, match="Record 4 of the journal is damaged in every copy"
    ):
        Journal(file, NOON, {})


def test_a_locked_journal_stays_locked_and_its_error_names_the_next_step(
    file: Path, recorded: bytes
) -> None:
    damaged = recorded.replace(b'"step":1', b'"step":7')
    for path in paths_of(file):
        path.write_bytes(damaged)
    for _ in range(3):
        with pytest.raises(JournalLockedError) as locked:
            Journal(file, NOON, {})
    assert str(locked.value) == (
        f"Record 5 of the journal is damaged in every copy that has it ({file}, {file}.2,"
        f" {file}.3), so later records cannot be trusted. Nothing was changed. Keep the copies for"
        " the person who decides; restore an intact copy, or begin a new journal in another file"
        " with --journal."
    )
    assert {path.read_bytes() for path in paths_of(file)} == {damaged}
    file.write_bytes(recorded)
    assert len(history(file)) == 2


def test_a_copy_that_cannot_be_repaired_is_reported_and_the_others_are_not_changed(
    file: Path, recorded: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths_of(file)[2].write_bytes(b"")

    def refused(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(durable_files, "write_all", refused)
    with pytest.raises(JournalError, match=r"journal.3 cannot be used \(No space left on device\)"):
        Journal(file, NOON, {})
    assert [path.read_bytes() for path in paths_of(file)] == [recorded, recorded, b""]


# Damage while the journal is open


def damage(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"late"', b'"lato"'))


DAMAGE: dict[str, Callable[[Path], object]] = {
    "a wrong byte": damage,
    "cut off": lambda path: path.write_bytes(path.read_bytes()[:-9]),
    "deleted": lambda path: path.unlink(),
    "emptied": lambda path: path.write_bytes(b""),
    "bytes added": lambda path: path.write_bytes(path.read_bytes() + b"felt\n"),
    "replaced by zeros": lambda path: path.write_bytes(bytes(9999)),
}


@pytest.mark.parametrize("kind", DAMAGE)
@pytest.mark.parametrize("which", range(3))
def test_a_check_repairs_damage_since_the_last_check(kind: str, which: int, file: Path) -> None:
    with Journal(file, NOON, {}) as journal:
        journal.intend("top", 1.0, {"step": "early"})
        assert now(journal.check()) == ()
        journal.intend("top", 2.0, {"step": "late"})
        DAMAGE[kind](paths_of(file)[which])
        (repair,) = now(journal.check())
        assert f"The journal's copy {paths_of(file)[which]} " in repair
        assert now(journal.check()) == ()
        journal.intend("top", 3.0, {"step": "after"})
        assert [entry.intent["step"] for entry in journal.entries()] == ["early", "late", "after"]
    (text,) = {path.read_bytes() for path in paths_of(file)}
    assert text.count(b"\n") == 8 + 4


def test_a_repair_for_which_the_disk_has_no_room_is_an_error_of_the_journal(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The simulated disk fails the whole job; the table stops with the fault of the journal."""

    def repair(_copies: Copies, _written: str) -> tuple[str, ...]:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with Journal(file, NOON, {}) as journal:
        journal.intend("top", 1.0, {"step": "late"})
        damage(paths_of(file)[1])
        monkeypatch.setattr(Copies, "repair", repair)
        with pytest.raises(JournalError, match=r"cannot be used \(No space left on device\)"):
            now(journal.check())


@pytest.mark.parametrize("which", range(3))
def test_a_check_notices_a_copy_that_was_cut_off_after_it_was_checked(
    which: int, file: Path
) -> None:
    """Checked lines are not read again, so the size of the file shows that some are missing."""
    with Journal(file, NOON, {}) as journal:
        journal.intend("top", 1.0, {"step": "early"})
        assert now(journal.check()) == ()
        damaged = paths_of(file)[which]
        damaged.write_bytes(b"".join(damaged.read_bytes().splitlines(keepends=True)[:2]))
        (repair,) = now(journal.check())
        assert f"The journal's copy {damaged} ended at record 2 of " in repair
    assert len({path.read_bytes() for path in paths_of(file)}) == 1


def test_R8_damage_in_all_copies_locks_the_journal_and_does_not_clear_itself(file: Path) -> None:
    with Journal(file, NOON, {}) as journal:
        journal.intend("top", 2.0, {"step": "late"})
        for path in paths_of(file):
            damage(path)
        with pytest.raises(JournalLockedError, match="Record 10"):
            now(journal.check())
        with pytest.raises(JournalError, match="was closed after an error"):
            journal.intend("top", 3.0, {})
    with pytest.raises(JournalLockedError):
        Journal(file, NOON, {})


def test_a_check_that_finds_every_copy_cut_off_is_an_error(file: Path, recorded: bytes) -> None:
    with Journal(file, NOON, {}) as journal:
        journal.intend("top", 2.0, {"step": "late"})
        for path in paths_of(file):
            path.write_bytes(recorded)
        with pytest.raises(JournalLockedError, match="ends with the records that this run wrote"):
            now(journal.check())


def test_a_check_does_not_read_checked_lines_again(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Journal(file, NOON, {}) as journal:
        checked: list[bytes] = []
        follows = journal_copies.follows

        def watch(line: bytes, chain: str) -> bool:
            checked.append(line)
            return follows(line, chain)

        monkeypatch.setattr(journal_copies, "follows", watch)
        journal.intend("top", 1.0, {})
        now(journal.check())
        assert len(checked) == 3 * 2  # the run and its intent, in each copy
        journal.intend("top", 1.0, {})
        now(journal.check())
        assert len(checked) == 3 * 3


def test_the_copies_contain_the_whole_history(file: Path) -> None:
    with Copies(paths_of(file)) as copies:
        entries = history_of(map(record_of, copies.lines()))
    assert entries == history(file)
