"""Locks on files exclude other openings, and are released when the file is closed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from config.file_locks import is_still_at, lock, waiting_command


def test_a_lock_excludes_a_second_opening_until_the_first_is_closed(tmp_path: Path) -> None:
    first = os.open(tmp_path, os.O_RDONLY)
    second = os.open(tmp_path, os.O_RDONLY)
    lock(first)
    with pytest.raises(BlockingIOError):
        lock(second)
    os.close(first)
    lock(second)
    os.close(second)


def test_a_removed_or_replaced_file_is_not_at_its_path(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    file = os.open(path, os.O_RDWR | os.O_CREAT)
    assert is_still_at(path, file)
    path.unlink()
    assert not is_still_at(path, file)
    path.touch()
    assert not is_still_at(path, file)
    os.close(file)


def test_a_command_runs_without_a_lock_on_a_computer_without_flock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lock"
    assert waiting_command(["make"], path, 300)[1:] == ["--wait", "300", str(path), "make"]
    monkeypatch.setenv("PATH", str(tmp_path))
    assert waiting_command(["make"], path, 300) == ["make"]
