"""A backup is restored as a whole, onto no running table, and the audit log does not fork."""

from __future__ import annotations

import errno
import json
import os
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import pytest

from controller.records.audit.log.audit_log import opened_log
from controller.records.audit.log.log_folder import LogFolder
from controller.records.audit.log.log_reader import checked_log
from controller.records.backup import replacing
from controller.records.backup.archive import BackupError, PackedBackup, packed
from controller.records.backup.creating import BackupSources, create_backup
from controller.records.backup.replacing import staging_of
from controller.records.backup.restoring import Restored, RestoreTargets, restore_backup
from controller.records.backup.sealing import opened
from controller.records.data_folder import locked_data_folder
from controller.run.journal import Journal, read_records
from controller.service.evening.evening_store import EveningStore
from controller.web.api.accounts.store import AccountStore
from tests.controller.records.audit.logs_for_tests import entry
from tests.controller.records.backup.table_folder import contents, plain_backup, table_folder
from tests.controller.records.backup.test_creating import IDENTITY, SEALED


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return table_folder(tmp_path / "data")


@pytest.fixture
def backup(data: Path, tmp_path: Path) -> bytes:
    """A backup with the key of the log, opened."""
    sources = BackupSources(data, log_key=True)
    create_backup(sources, tmp_path / "backup", SEALED, "0.2.0")
    return opened((tmp_path / "backup").read_bytes(), None, [str(IDENTITY)])


def test_everything_is_restored_and_a_new_log_names_the_earlier_one(
    data: Path, backup: bytes, tmp_path: Path
) -> None:
    to = tmp_path / "restored"
    done = restore_backup(backup, RestoreTargets(to))
    assert read_records(to / "table.journal") == read_records(data / "table.journal")
    assert (to / "table.journal.chance-key").read_bytes() == b"k" * 32
    assert (to / "table.journal.chance-key").stat().st_mode & 0o777 == 0o600
    with EveningStore(to / "evening.db") as store:
        assert store.session("s1") == {"names": ["Mei", "東"]}
        (kept,) = store.fact("last rounds")
        assert "event" not in kept, "a receipt would name an event of the new log"
    accounts = AccountStore(to)
    assert [user.name for user in accounts.users()] == ["Ann"]
    accounts.close()
    earlier, log = (checked_log(LogFolder(to / name)) for name in ("audit.before-restore", "audit"))
    assert (earlier.size, log.size) == (6, 1)
    assert log.checkpoint.origin != earlier.checkpoint.origin
    assert not (to / "audit.before-restore/key").exists()
    (begun,) = log.events()
    assert begun.details["earlier_log"] == {
        "origin": earlier.checkpoint.origin,
        "size": "6",
        "root": earlier.checkpoint.root.hex(),
        "key": str(earlier.keys.latest),
    }
    assert done.new_log == str(log.keys.latest)
    about = json.loads((to / "restored.json").read_text())
    assert about["backup"] == done.manifest.fingerprint == begun.details["backup"]
    assert not list(tmp_path.glob(".*"))
    opened_log(LogFolder(to / "audit")).close()


@pytest.mark.parametrize("log_key", [False, True])
def test_a_table_is_restored_a_third_time_and_keeps_each_earlier_log(
    data: Path, tmp_path: Path, *, log_key: bool
) -> None:
    """The data folder of a table that was restored contains the log of the first table already."""
    at_first = checked_log(LogFolder(data / "audit")).size
    done: list[Restored] = []
    for number in (1, 2, 3):
        create_backup(BackupSources(data, log_key=log_key), tmp_path / f"{number}", SEALED, "0.2.0")
        backup = opened((tmp_path / f"{number}").read_bytes(), None, [str(IDENTITY)])
        done.append(restore_backup(backup, RestoreTargets(data, replace=True)))
        opened_log(LogFolder(data / "audit")).close()  # the service starts, and the table is used
    names = [restored.earlier_log for restored in done]
    assert names == ["audit.before-restore", "audit.before-restore-2", "audit.before-restore-3"]
    logs = [checked_log(LogFolder(data / name)) for name in (*names, "audit")]
    assert logs[0].size == at_first
    for earlier, later in pairwise(logs):
        begun = next(later.events())
        assert begun.details["earlier_log"]["origin"] == earlier.checkpoint.origin
        assert begun.details["earlier_log"]["size"] == str(earlier.size)
    assert read_records(data / "table.journal")


def test_a_log_goes_on_with_its_own_key_only_if_that_is_wanted(
    backup: bytes, tmp_path: Path
) -> None:
    to = tmp_path / "restored"
    restore_backup(backup, RestoreTargets(to, continue_log=True))
    log = checked_log(LogFolder(to / "audit"))
    # The events of the test are of 2030: the clock jumped back before the restore.
    assert [event.what for event in log.events(6)] == ["clock_jumped", "backup_restored"]
    assert log.checkpoint.origin.startswith("wallwright/pai_gow/")


def test_a_log_does_not_go_on_twice_on_one_computer(
    data: Path, backup: bytes, tmp_path: Path
) -> None:
    before = contents(data)
    targets = RestoreTargets(data, replace=True, continue_log=True)
    with pytest.raises(BackupError, match="would make a second log"):
        restore_backup(backup, targets)
    assert contents(data) == before
    plain_backup(data, tmp_path / "plain")
    with pytest.raises(BackupError, match="no private key of the audit log"):
        restore_backup(
            (tmp_path / "plain").read_bytes(),
            RestoreTargets(tmp_path / "restored", continue_log=True),
        )


def test_a_folder_with_contents_is_moved_aside_only_if_that_is_wanted(
    data: Path, backup: bytes
) -> None:
    (data / "program/slot").unlink()
    (data / "program").rmdir()
    before = contents(data)
    with pytest.raises(BackupError, match="is not empty; add --replace"):
        restore_backup(backup, RestoreTargets(data))
    assert contents(data) == before
    done = restore_backup(backup, RestoreTargets(data, replace=True))
    (kept,) = done.kept
    assert before.items() <= contents(kept).items()
    assert (data / "restored.json").exists()
    assert not staging_of(data).exists()


def test_nothing_is_restored_onto_a_running_table(data: Path, backup: bytes) -> None:
    targets = RestoreTargets(data, replace=True)
    with locked_data_folder(data), pytest.raises(BackupError, match="Stop the service first"):
        restore_backup(backup, targets)
    with (
        Journal(data / "table.journal", "2031-01-01", {}),
        pytest.raises(BackupError, match="Another run has the journal"),
    ):
        restore_backup(backup, targets)
    log = opened_log(LogFolder(data / "audit"))
    with pytest.raises(BackupError, match="Another process writes the audit log"):
        restore_backup(backup, targets)
    log.close()
    restore_backup(backup, targets)


def test_the_slots_of_the_program_are_not_moved_away(data: Path, backup: bytes) -> None:
    (data / "program/current").symlink_to("a")
    with pytest.raises(BackupError, match="contains the slots of the program"):
        restore_backup(backup, RestoreTargets(data, replace=True))
    assert (data / "program/slot").exists()


def test_without_the_journal_the_table_begins_anew_with_its_sessions(
    backup: bytes, tmp_path: Path
) -> None:
    to = tmp_path / "restored"
    restore_backup(backup, RestoreTargets(to, with_journal=False))
    assert not list(to.glob("table.journal*"))
    assert (to / "evening.db").exists()


def test_a_third_copy_on_another_disk_is_moved_aside(backup: bytes, tmp_path: Path) -> None:
    disk, to = tmp_path / "disk", tmp_path / "restored"
    disk.mkdir()
    (disk / "table.journal.3").write_bytes(b"lines after the backup")
    done = restore_backup(backup, RestoreTargets(to, journal_copy=disk))
    (kept,) = done.kept
    assert kept.read_bytes() == b"lines after the backup"
    assert not (to / "table.journal.3").exists()
    with Journal(to / "table.journal", "2031-01-01", {}, disk):
        assert (disk / "table.journal.3").exists()


def test_configuration_and_keys_are_restored_to_folders_of_their_own(
    data: Path, tmp_path: Path
) -> None:
    (tmp_path / "table.yaml").write_text("name: robotic")
    (tmp_path / "keys").write_text("BASE0001 0102")
    sources = BackupSources(data, None, (tmp_path / "table.yaml",), tmp_path / "keys")
    create_backup(sources, tmp_path / "backup", SEALED, "0.2.0")
    plain = opened((tmp_path / "backup").read_bytes(), None, [str(IDENTITY)])
    targets = RestoreTargets(tmp_path / "to", None, tmp_path / "etc", tmp_path / "board_keys")
    restore_backup(plain, targets)
    assert contents(tmp_path / "etc") == {"table.yaml": b"name: robotic"}
    assert contents(tmp_path / "board_keys") == {"boards": b"BASE0001 0102"}
    restore_backup(plain, RestoreTargets(tmp_path / "to2"))
    assert not (tmp_path / "to2/keys").exists()


@pytest.mark.parametrize("name", ["accounts", "audit_log", "journal", "sessions", "unheard_of"])
def test_files_of_a_newer_format_are_refused_and_nothing_is_changed(
    backup: bytes, tmp_path: Path, name: str
) -> None:
    given = PackedBackup(backup)
    newer = replace(given.manifest, formats={**given.manifest.formats, name: 99})
    again = packed(newer, dict(given.files()))
    with pytest.raises(BackupError, match=f"has the format {name} 99, and this program reads"):
        restore_backup(again, RestoreTargets(tmp_path / "to"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["backup", "data"]


def test_a_backup_with_a_damaged_record_is_refused_and_leaves_nothing(
    backup: bytes, tmp_path: Path
) -> None:
    """The hashes agree here: the files were damaged before the backup was made."""
    given = PackedBackup(backup)
    files = dict(given.files())
    for name, wrong in (("data/table.journal", b"throw"), ("data/audit/events.jsonl", b"Mei")):
        data = files[name].replace(wrong, b"x" * len(wrong))
        digest = sha256(data).hexdigest()
        stored = tuple(
            replace(file, sha256=digest) if name in (file.name, file.same_as) else file
            for file in given.manifest.files
        )
        again = packed(replace(given.manifest, files=stored), {**files, name: data})
        targets = RestoreTargets(tmp_path / "to", continue_log=True)
        with pytest.raises(BackupError, match="of the backup cannot be used"):
            restore_backup(again, targets)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["backup", "data"]


def test_a_folder_that_cannot_be_written_is_named(backup: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BackupError, match="is not a folder"):
        restore_backup(backup, RestoreTargets(tmp_path / "file", replace=True))
    with pytest.raises(BackupError, match="cannot be written"):
        restore_backup(backup, RestoreTargets(tmp_path / "file" / "data"))


def test_the_mark_of_an_interrupted_restore_does_not_make_a_folder_deletable(
    data: Path, backup: bytes
) -> None:
    (data / replacing.MARK).touch()
    done = restore_backup(backup, RestoreTargets(data, replace=True))
    assert not (done.kept[0] / replacing.MARK).exists()


def test_a_mount_point_is_refused_and_nothing_is_prepared(backup: bytes) -> None:
    with pytest.raises(BackupError, match="is a mount point"):
        restore_backup(backup, RestoreTargets(Path("/proc"), replace=True))


def test_a_folder_that_cannot_be_exchanged_stays_and_nothing_is_left_beside_it(
    data: Path, backup: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {name: text for name, text in contents(data).items() if not name.endswith("lock")}
    rename = Path.rename

    def renamed(path: Path, target: Path) -> Path:
        if path == data:
            raise OSError(errno.EBUSY, "Device or resource busy", str(target))
        return rename(path, target)

    with monkeypatch.context() as patch:
        patch.setattr(replacing, "_exchange", lambda one, other: False)
        patch.setattr(Path, "rename", renamed)
        with pytest.raises(BackupError, match="the data folder was not changed"):
            restore_backup(backup, RestoreTargets(data, replace=True))
    assert before.items() <= contents(data).items()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["backup", "data"]
    with monkeypatch.context() as patch:
        patch.setattr(replacing, "_exchange", lambda one, other: False)
        done = restore_backup(backup, RestoreTargets(data, replace=True))
    assert before.items() <= contents(done.kept[0]).items()
    assert (data / "restored.json").exists()
    assert not (data / replacing.MARK).exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
def test_root_gives_the_files_to_the_owner_of_the_folder_that_they_replace(
    data: Path, backup: bytes
) -> None:
    os.chown(data, 990, 991)
    restore_backup(backup, RestoreTargets(data, replace=True))
    assert {(path.stat().st_uid, path.stat().st_gid) for path in (data, *data.rglob("*"))} == {
        (990, 991)
    }


def test_events_of_the_restored_log_go_on(backup: bytes, tmp_path: Path) -> None:
    restore_backup(backup, RestoreTargets(tmp_path / "to"))
    log = opened_log(LogFolder(tmp_path / "to/audit"))
    log.append([entry(900_000_000)])
    log.close()
    assert checked_log(LogFolder(tmp_path / "to/audit")).size >= 2
