import json
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from pymerkle import InmemoryTree
from tlog_scales import signing, tlog

from controller.records.audit.errors import AuditError, AuditLockedError
from controller.records.audit.log import audit_log
from controller.records.audit.log.audit_log import Anchor, AuditLog, begun_log, opened_log
from controller.records.audit.log.log_folder import LogFolder
from controller.records.audit.log.log_reader import checked_log, scan
from controller.records.audit.notes import Checkpoint, new_key
from tests.controller.records.audit.logs_for_tests import copied, entry, log_of
from tests.damage import with_one_changed_byte
from tests.quick import tries


def lines_in(folder: Path) -> list[bytes]:
    return (folder / "events.jsonl").read_bytes().splitlines()


def test_an_event_has_who_what_when_and_from_where(tmp_path: Path) -> None:
    log_of(tmp_path / "audit", 2).close()
    first, event, _ = map(json.loads, lines_in(tmp_path / "audit"))
    assert first["what"] == "log_begun"
    assert first["details"]["table"] == "pai_gow"
    assert event == {
        "details": {"command": "answer", "names": ["東", "Mei"], "value": "1,1"},
        "from": "192.168.1.20",
        "index": 1,
        "role": "player",
        "table_ms": 1000,
        "time": "2030-01-01T12:00:01.000Z",
        "what": "command",
        "who": "Mei",
    }


def test_the_signed_head_agrees_with_two_other_implementations(tmp_path: Path) -> None:
    log_of(tmp_path / "audit", 11).close()
    theirs = InmemoryTree("sha256")
    for line in lines_in(tmp_path / "audit"):
        theirs.append_entry(line)
    head = tlog.Checkpoint.from_text((tmp_path / "audit/head").read_text())
    first = json.loads(lines_in(tmp_path / "audit")[0])
    head.verify(signing.Vkey.from_string(first["details"]["key"]))
    assert (head.size, head.root_hash) == (12, theirs.get_root())
    assert head.origin == first["details"]["origin"]


def test_a_log_is_continued_after_a_restart(tmp_path: Path) -> None:
    log_of(tmp_path / "audit", 5).close()
    log = opened_log(LogFolder(tmp_path / "audit"))
    assert (log.size, log.repairs) == (6, ())
    (event,) = log.append([entry(6)])
    assert event.index == 6
    log.close()
    assert scan(log.folder).tree.size == 7


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    log = log_of(tmp_path / "audit", 1)
    with pytest.raises(AuditError, match="Another process writes"):
        opened_log(log.folder)
    log.close()
    opened_log(log.folder).close()


def test_a_folder_without_a_log_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AuditError, match="There is no audit log"):
        opened_log(LogFolder(tmp_path / "none"))


def test_a_power_cut_at_any_byte_of_a_batch_loses_no_earlier_event(tmp_path: Path) -> None:
    log = log_of(tmp_path / "audit", 5)
    before = {name: (tmp_path / "audit" / name).read_bytes() for name in ("head", "tree", "heads")}
    length = (tmp_path / "audit/events.jsonl").stat().st_size
    log.append([entry(6), entry(7)])
    log.close()
    whole = (tmp_path / "audit/events.jsonl").read_bytes()
    steps = range(length, len(whole) + 1)
    for cut in steps if tries(1, quick=0) else steps[::7]:
        folder = copied(tmp_path / "audit", tmp_path / "cut")
        folder.events.write_bytes(whole[:cut])
        for name, data in before.items():
            (folder.path / name).write_bytes(data)
        opened = opened_log(folder)
        assert opened.size == 6
        is_unsigned = cut > length
        assert any("were not signed" in repair for repair in opened.repairs) == is_unsigned
        assert not is_unsigned or folder.removed.read_bytes() == whole[length:cut]
        opened.append([entry(8)])
        opened.close()
        assert scan(folder).tree.size == 7
        shutil.rmtree(folder.path)


def damaged(tmp_path: Path) -> LogFolder:
    """Return a log as a power cut leaves it: three files end with a part, and one is missing."""
    log = log_of(tmp_path / "audit", 5)
    log.close()
    for path, tail in ((log.folder.events, b'{"index":6,"wh'), (log.folder.heads, b'"wallw')):
        path.write_bytes(path.read_bytes() + tail)
    log.folder.tree.unlink()
    new_key(log.folder.next_key, log.key.public.name)
    return log.folder


@pytest.mark.parametrize(
    ("size", "origin", "reason"),
    [(7, None, "has 6 events"), (6, None, "are not those"), (1, "wallwright/pai_gow/0", "is the")],
)
def test_a_log_that_another_record_refuses_is_not_corrected(
    tmp_path: Path, size: int, origin: str | None, reason: str
) -> None:
    folder = damaged(tmp_path)
    before = {file.name: file.read_bytes() for file in folder.path.iterdir()}
    own = Checkpoint.parsed(folder.read_head().text).origin
    anchor = Anchor(origin or own, size, bytes(32), "the journal")
    with pytest.raises(AuditLockedError, match=reason):
        opened_log(folder, [anchor])
    assert {file.name: file.read_bytes() for file in folder.path.iterdir()} == before
    opened = opened_log(folder, [replace(anchor, origin="another")], ["another"])
    assert (opened.size, len(opened.repairs)) == (6, 3)
    opened.close()


def test_a_power_cut_at_any_step_of_a_repair_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each call that changes a file is the last one of a start; the next start goes on."""
    folder, cut = damaged(tmp_path), count()
    for last in cut:
        copy = copied(folder.path, tmp_path / f"{last}")
        with monkeypatch.context() as patch:
            calls = count()
            for name in ("ftruncate", "fsync", "pwrite", "unlink"):
                patch.setattr(os, name, CutsPower(getattr(os, name), calls, last))
            try:
                opened_log(copy).close()
                break
            except PowerCutError:
                pass
        again = opened_log(copy)
        assert again.size == 6
        again.append([entry(6)])
        again.close()
        assert copy.removed.read_bytes().startswith(b'{"index":6,"wh')
        assert scan(copy).tree.size == 7
    assert next(cut) > 5


class PowerCutError(AuditError):
    """The simulated power failed; an AuditError, so that the lock of the folder is released."""


class CutsPower:
    """A function of `os` that fails at the call number `last`, counted with others."""

    def __init__(self, real: Callable[..., Any], calls: Iterator[int], last: int) -> None:
        self._real, self._calls, self._last = real, calls, last

    def __call__(self, *given: Any, **named: Any) -> Any:
        if next(self._calls) >= self._last:
            raise PowerCutError
        return self._real(*given, **named)


def test_lost_sectors_of_the_last_batch_are_removed_and_kept_aside(tmp_path: Path) -> None:
    log = log_of(tmp_path / "audit", 5)
    head = log.folder.head.read_bytes()
    length = log.folder.events.stat().st_size
    log.append([entry(6), entry(7)])
    log.close()
    data = bytearray(log.folder.events.read_bytes())
    data[length + 10 : length + 60] = bytes(50)
    log.folder.events.write_bytes(data)
    log.folder.head.write_bytes(head)
    opened = opened_log(log.folder)
    opened.close()
    assert opened.size == 6
    assert log.folder.removed.read_bytes() == bytes(data[length:])


@pytest.mark.parametrize("name", ["events.jsonl", "tree", "head", "heads", "key", "key.next"])
def test_a_pipe_in_place_of_a_file_locks_the_log_and_nothing_waits_for_it(
    tmp_path: Path, name: str
) -> None:
    log = log_of(tmp_path / "audit", 5)
    log.close()
    file = tmp_path / "audit" / name
    file.unlink(missing_ok=True)
    os.mkfifo(file)
    for read in (opened_log, checked_log):
        with pytest.raises(AuditLockedError, match=f"its {name} is not a regular file"):
            read(log.folder)


@pytest.mark.evidence
def test_a_changed_byte_of_a_signed_event_locks_the_log(tmp_path: Path) -> None:
    log_of(tmp_path / "audit", 12).close()
    whole = (tmp_path / "audit/events.jsonl").read_bytes()
    for data in with_one_changed_byte(whole, sample=120, quick=20):
        folder = copied(tmp_path / "audit", tmp_path / "changed")
        folder.events.write_bytes(data)
        with pytest.raises(AuditLockedError, match=r"is locked: .* Nothing was changed"):
            opened_log(folder)
        assert folder.events.read_bytes() == data
        shutil.rmtree(folder.path)


@pytest.mark.parametrize("name", ["head", "heads", "key"])
def test_a_changed_byte_of_a_head_or_the_key_locks_the_log(tmp_path: Path, name: str) -> None:
    log_of(tmp_path / "audit", 4).close()
    file = tmp_path / "audit" / name
    whole = file.read_bytes()
    for place in range(0, len(whole) - 1, 1 if tries(1, quick=0) else 9):
        data = bytearray(whole)
        data[place] ^= 1
        file.write_bytes(data)
        with pytest.raises(AuditError, match=r"locked|intact key"):
            opened_log(LogFolder(tmp_path / "audit"))


def test_missing_events_lock_the_log(tmp_path: Path) -> None:
    log_of(tmp_path / "audit", 9).close()
    folder = LogFolder(tmp_path / "audit")
    lines = folder.events.read_bytes().splitlines(keepends=True)
    for shorter in (lines[:-1], lines[1:], [*lines[:3], *lines[4:]], []):
        folder.events.write_bytes(b"".join(shorter))
        with pytest.raises(AuditLockedError):
            opened_log(folder)
    folder.events.unlink()
    with pytest.raises(AuditLockedError, match="events are missing"):
        opened_log(folder)


def test_two_swapped_events_lock_the_log(tmp_path: Path) -> None:
    log_of(tmp_path / "audit", 9).close()
    folder = LogFolder(tmp_path / "audit")
    lines = folder.events.read_bytes().splitlines(keepends=True)
    lines[4], lines[5] = lines[5], lines[4]
    folder.events.write_bytes(b"".join(lines))
    with pytest.raises(AuditLockedError, match="do not agree with the signed head"):
        opened_log(folder)


def test_a_changed_hash_tree_is_rebuilt_from_the_events(tmp_path: Path) -> None:
    log_of(tmp_path / "audit", 20).close()
    folder = LogFolder(tmp_path / "audit")
    whole = folder.tree.read_bytes()
    for damaged in (b"", whole[:100], whole[:64] + b"x" + whole[65:], whole + b"more"):
        folder.tree.write_bytes(damaged)
        opened = opened_log(folder)
        opened.close()
        assert folder.tree.read_bytes() == whole
        assert len(opened.repairs) == 1 or damaged == whole + b"more"


def test_a_line_that_is_forged_behind_the_head_is_not_signed(tmp_path: Path) -> None:
    log = log_of(tmp_path / "audit", 5)
    log.close()
    forged = replace(entry(6, what="receipt"), details={"result": "Bob wins."}).line(6) + b"\n"
    with log.folder.events.open("ab") as file:
        file.write(forged)
    opened = opened_log(log.folder)
    assert any("were not signed" in repair for repair in opened.repairs)
    (event,) = opened.append([entry(7)])
    opened.close()
    assert event.index == 6
    assert b"Bob wins" not in log.folder.events.read_bytes()
    assert log.folder.removed.read_bytes() == forged


class FailsOnce:
    """A function of the system whose call with this number fails."""

    def __init__(self, real: Callable[..., int], call: int) -> None:
        self._real, self._left = real, call

    def __call__(self, *given: object) -> int:
        self._left -= 1
        if self._left == -1:
            raise OSError(28, "No space left on device")
        return self._real(*given)


def test_a_full_disk_adds_nothing_and_the_log_continues_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = log_of(tmp_path / "audit", 5)
    before = {file.name: file.read_bytes() for file in (tmp_path / "audit").iterdir()}
    for failing, calls in (("fdatasync", 2), ("pwrite", 3)):
        for call in range(calls):
            with monkeypatch.context() as patch:
                patch.setattr(audit_log.os, failing, FailsOnce(getattr(os, failing), call))
                with pytest.raises(AuditError, match="No space left"):
                    log.append([entry(6)], keep_head=True)
            assert {file.name: file.read_bytes() for file in log.folder.path.iterdir()} == before
    (event,) = log.append([entry(6)], keep_head=True)
    log.close()
    assert event.index == 6
    assert scan(log.folder).tree.size == 7


def test_a_jump_of_the_clock_is_an_event_and_the_order_stays(tmp_path: Path) -> None:
    log = log_of(tmp_path / "audit", 2)
    events = log.append([entry(3), entry(4, wall_s=-3600.0), entry(5, wall_s=-3599.5)])
    assert [event.what for event in events] == ["command", "clock_jumped", "command", "command"]
    assert [event.index for event in events] == [3, 4, 5, 6]
    assert events[1].details == {"by_ms": -3604000, "from": "2030-01-01T12:00:03.000Z"}
    log.close()
    later = opened_log(log.folder)
    assert [event.what for event in later.append([entry(9)])] == ["command"]
    later.close()
    back = opened_log(log.folder)
    assert [event.what for event in back.append([entry(0)])] == ["clock_jumped", "command"]
    back.close()


def test_a_jump_is_measured_from_the_last_event_of_an_earlier_batch_and_recorded_once(
    tmp_path: Path,
) -> None:
    log = log_of(tmp_path / "audit", 2)
    log.append([entry(100)])
    jump, _ = log.append([entry(101, wall_s=50.0)])
    assert jump.details == {"by_ms": -51_000, "from": "2030-01-01T12:01:40.000Z"}
    assert [event.what for event in log.append([entry(102, wall_s=51.0)])] == ["command"]
    log.close()


def test_a_kept_head_that_is_newer_than_the_head_covers_its_events(tmp_path: Path) -> None:
    """The power failed between the two: the kept head is written and synced first."""
    log = log_of(tmp_path / "audit", 5)
    head = log.folder.head.read_bytes()
    log.append([entry(6)], keep_head=True)
    log.close()
    log.folder.head.write_bytes(head)
    again = opened_log(log.folder)
    assert (again.size, again.head.size) == (7, 7)
    assert Checkpoint.parsed(log.folder.read_head().text).size == 7
    again.close()


def rotated(tmp_path: Path) -> AuditLog:
    log = log_of(tmp_path / "audit", 4)
    log.rotate_key(entry(5))
    return log


def test_a_new_key_is_signed_by_the_old_one_and_signs_from_then_on(tmp_path: Path) -> None:
    log = rotated(tmp_path)
    old = scan(log.folder).keys.keys[0]
    log.append([entry(6)])
    log.close()
    keys = scan(log.folder).keys
    assert keys.keys[0] == old
    assert keys.latest == log.key.public != old
    assert (keys.key_for(6), keys.key_for(7)) == (old, keys.latest)
    assert stat.S_IMODE(log.folder.key.stat().st_mode) == 0o600
    assert not log.folder.next_key.exists()
    opened = opened_log(log.folder)
    assert opened.key.public == keys.latest
    opened.close()


def test_a_power_cut_during_a_rotation_leaves_one_valid_key(tmp_path: Path) -> None:
    log = log_of(tmp_path / "audit", 4)
    old = log.folder.key.read_bytes()
    log.rotate_key(entry(5))
    new = log.folder.key.read_bytes()
    log.close()
    log.folder.next_key.write_bytes(new)
    log.folder.next_key.chmod(0o600)
    log.folder.key.write_bytes(old)
    opened = opened_log(log.folder)
    opened.append([entry(6)])
    opened.close()
    assert log.folder.key.read_bytes() == new
    assert not log.folder.next_key.exists()


def test_an_old_key_that_is_put_back_locks_the_log(tmp_path: Path) -> None:
    log = log_of(tmp_path / "audit", 4)
    old = log.folder.key.read_bytes()
    log.rotate_key(entry(5))
    log.close()
    log.folder.key.write_bytes(old)
    with pytest.raises(AuditLockedError, match="but its events name"):
        opened_log(log.folder)


def test_an_interrupted_beginning_is_begun_again(tmp_path: Path) -> None:
    beside = tmp_path / "audit.new"
    beside.mkdir()
    (beside / "key").write_text("half")
    log = log_of(tmp_path / "audit", 1)
    log.close()
    assert not beside.exists()
    with pytest.raises(AuditError):
        begun_log(LogFolder(tmp_path / "audit"), "pai_gow", entry(0))


def test_two_logs_have_different_origins_and_keys(tmp_path: Path) -> None:
    one, other = log_of(tmp_path / "one", 1), log_of(tmp_path / "other", 1)
    assert one.key.public.name != other.key.public.name
    assert one.key.public.public != other.key.public.public
    one.close()
    other.close()


def test_heads_are_kept_at_least_every_thousand_events(tmp_path: Path) -> None:
    log = log_of(tmp_path / "audit", 2500, batch=500)
    log.close()
    assert len(log.folder.read_heads()[0]) == 3
