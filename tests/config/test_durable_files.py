"""Files that are replaced are whole after a full disk, a short write and a power cut."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from config.durable_files import replace_file, write_new
from controller.records.audit.errors import AuditError
from controller.records.audit.log.audit_log import opened_log
from controller.records.audit.log.log_reader import checked_log
from controller.records.audit.witnessing import WitnessMemory
from tests.controller.records.audit.logs_for_tests import entry, log_of


def test_a_new_file_has_its_mode_and_is_never_written_over(tmp_path: Path) -> None:
    file, umask = tmp_path / "new", os.umask(0o077)
    try:
        write_new(file, b"first", 0o644, "nobody-of-this-name")
    finally:
        os.umask(umask)
    with pytest.raises(FileExistsError):
        write_new(file, b"second", 0o644)
    assert file.read_bytes() == b"first"
    assert file.stat().st_mode & 0o777 == 0o644


def test_a_new_file_that_has_no_room_is_not_left_in_part(tmp_path: Path) -> None:
    with no_file_longer_than(100), pytest.raises(OSError, match="File too large"):
        write_new(tmp_path / "new", b"n" * 101, 0o600)
    assert list(tmp_path.iterdir()) == []


@contextmanager
def no_file_longer_than(size: int) -> Iterator[None]:
    """The system writes a part of what would make a file longer, and then raises EFBIG."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_file_that_has_no_room_is_not_replaced_by_a_truncated_one(tmp_path: Path) -> None:
    file = tmp_path / "head"
    replace_file(file, b"old")
    with no_file_longer_than(100), pytest.raises(OSError, match="File too large"):
        replace_file(file, b"n" * 101)
    assert file.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["head"]


def test_a_write_that_the_system_cuts_short_is_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write: Callable[[int, memoryview], int] = os.write
    monkeypatch.setattr(os, "write", lambda file, data: write(file, data[:3]))
    replace_file(tmp_path / "file", b"ten bytes!", 0o600)
    monkeypatch.undo()
    assert (tmp_path / "file").read_bytes() == b"ten bytes!"
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o600


def test_the_file_is_synced_before_its_rename_and_the_folder_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    acts: list[str] = []

    def seen(name: str, real: Callable[..., None]) -> None:
        def act(*given: object) -> None:
            at = given[0]
            path = Path(f"/proc/self/fd/{at}").readlink() if isinstance(at, int) else Path(str(at))
            acts.append(f"{name} {path.name}")
            real(*given)

        monkeypatch.setattr(os, real.__name__, act)

    seen("sync", os.fdatasync)
    seen("sync", os.fsync)
    seen("rename", os.replace)
    replace_file(tmp_path / "head", b"new")
    monkeypatch.undo()
    assert acts == ["sync head.new", "rename head.new", f"sync {tmp_path.name}"]


def test_a_witness_does_not_lose_its_memory_when_the_disk_is_full(tmp_path: Path) -> None:
    log = log_of(tmp_path / "audit", 3)
    log.close()
    memory = WitnessMemory(tmp_path / "seen")
    memory.keep(log.head, log.key.public)
    with no_file_longer_than(100), pytest.raises(AuditError, match="File too large"):
        memory.keep(log.head, log.key.public)
    assert WitnessMemory(tmp_path / "seen").last(log.head.origin) == log.head


def test_a_head_that_cannot_be_written_or_made_durable_leaves_the_log_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder's sync fails after the rename: the head of events that are undone is put back."""
    log = log_of(tmp_path / "audit", 3)
    head, size = log.folder.head.read_bytes(), log.size
    sync, failures = os.fsync, [True]

    def fail_once(file: int) -> None:
        if failures and Path(f"/proc/self/fd/{file}").readlink() == log.folder.path:
            failures.pop()
            raise OSError(5, "Input/output error")
        sync(file)

    monkeypatch.setattr(os, "fsync", fail_once)
    with pytest.raises(AuditError, match="Input/output error"):
        log.append([entry(5)])
    monkeypatch.undo()
    assert log.folder.head.read_bytes() == head
    log.append([entry(5)])
    log.close()
    assert checked_log(log.folder).size == size + 1
    opened_log(log.folder).close()
