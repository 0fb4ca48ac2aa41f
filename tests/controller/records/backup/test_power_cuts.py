"""Power cuts and full disks during a backup and a restore: what is there is whole."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest

from controller.records.backup.archive import BackupError, PackedBackup
from controller.records.backup.creating import _locked, unfinished_backups
from controller.records.backup.restoring import RestoreTargets, restore_backup
from controller.records.backup.sealing import make_identity
from controller.run.journal import read_records
from tests.controller.records.backup.table_folder import contents, plain_backup, table_folder
from tests.controller.upkeep.update.test_power_cuts import cut
from tests.quick import tries


@pytest.mark.evidence
@pytest.mark.slow
def test_a_power_cut_at_any_step_leaves_the_old_folder_or_the_new_one(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    data = table_folder(work / "data")
    plain_backup(data, tmp_path / "backup")
    backup = (tmp_path / "backup").read_bytes()
    (data / "evening.db").unlink()
    (data / "only_before").write_text("written after the backup")
    shutil.copytree(work, tmp_path / "before", symlinks=True)
    before = contents(data)
    targets = RestoreTargets(data, configuration=work / "etc", replace=True)
    total = cut(work, 0, lambda: restore_backup(backup, targets))
    assert total > 50
    last = range(total - 25, total + 1)  # these put the folders into place
    states = set()
    for step in sorted({*range(1, total + 1, tries(9, quick=29, evidence=1)), *last}):
        shutil.rmtree(work)
        shutil.copytree(tmp_path / "before", work, symlinks=True)
        assert cut(work, step, lambda: restore_backup(backup, targets)) == 0, step
        is_new = (data / "restored.json").exists()
        states.add(is_new)
        if is_new:
            assert len(read_records(data / "table.journal")) == 3, step
            assert (data / "evening.db").stat().st_size, step
        else:
            assert before.items() <= contents(data).items(), step
        restore_backup(backup, targets)
        assert (data / "restored.json").exists()
        assert not list(work.glob(".*")), step
        kept = [contents(each) for each in work.glob("data.before-*")]
        assert any(before.items() <= each.items() for each in kept), "the old folder is kept"
    assert states == {False, True}


def test_a_kill_at_any_step_of_a_backup_leaves_no_half_backup_and_the_next_one_works(
    tmp_path: Path,
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    data = table_folder(work / "data")
    before = contents(data)
    to = data / "table.backup"

    def kill(step: int) -> int:
        return cut(work, step, lambda: plain_backup(data, to))

    steps = kill(0)
    to.unlink()
    states = set()
    for step in range(1, steps + 1):
        assert kill(step) == 0, step
        is_made, is_left = to.exists(), to.with_name("table.backup.part").exists()
        states.add((is_made, is_left))
        if is_made:
            assert len(list(PackedBackup(to.read_bytes()).files())) > 5, step
            to.rename(tmp_path / "earlier")
        assert unfinished_backups(to.parent) == [to.with_name("table.backup.part")] * is_left
        plain_backup(data, to)
        assert "data/table.journal" in dict(PackedBackup(to.read_bytes()).files()), step
        to.unlink()
        # SQLite makes these two files when it reads a database, and the table at its start anew.
        now = {name: data for name, data in contents(data).items() if not _is_made_anew(name)}
        assert now == before, f"step {step} has changed the table's files"
        assert not unfinished_backups(to.parent), step
    assert states == {(False, False), (False, True), (True, True), (True, False)}


def _is_made_anew(name: str) -> bool:
    return name.endswith(("-shm", "-wal"))


def test_a_backup_onto_a_full_disk_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = table_folder(tmp_path / "data")
    write, room = os.write, [1000]

    def full(file: int, text: bytes) -> int:
        if not room[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        part = bytes(text[: room[0]])
        room[0] -= len(part)
        return write(file, part)

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(BackupError, match=r"No space left.*enough space"):
            plain_backup(data, tmp_path / "table.backup")
        with pytest.raises(BackupError, match="No space left"):
            make_identity(tmp_path / "backup.key")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]
    plain_backup(data, tmp_path / "table.backup")


def test_two_backups_to_one_file_at_the_same_time_do_not_mix(tmp_path: Path) -> None:
    data = table_folder(tmp_path / "data")
    to = tmp_path / "table.backup"
    with _locked(tmp_path / "table.backup.part", to) as other:
        os.write(other, b"\x1f\x8bhalf of another backup")
        with pytest.raises(BackupError, match="Another process writes"):
            plain_backup(data, to)
        assert not unfinished_backups(tmp_path), "it is in use"
    assert not to.exists()
    assert unfinished_backups(tmp_path) == [tmp_path / "table.backup.part"]
    plain_backup(data, to)
    assert not unfinished_backups(tmp_path)


def test_a_backup_is_made_on_a_usb_stick_whose_file_system_has_no_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*_: object) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", no_links)
    data = table_folder(tmp_path / "data")
    plain_backup(data, tmp_path / "table.backup")
    assert "data/table.journal" in dict(
        PackedBackup((tmp_path / "table.backup").read_bytes()).files()
    )
    assert not (tmp_path / "table.backup.part").exists()
