"""What a backup holds, of a stopped table and of one that is written meanwhile."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pyrage
import pytest

from controller.records.audit.log.audit_log import begun_log, opened_log
from controller.records.audit.log.log_folder import LogFolder
from controller.records.backup.archive import BackupError, PackedBackup
from controller.records.backup.creating import BackupSources, create_backup
from controller.records.backup.sealing import Sealing, opened
from controller.records.backup.snapshots import (
    LISTINGS,
    FolderSnapshot,
    audit_snapshot,
    database_copy,
    folder_snapshot,
    journal_snapshot,
)
from controller.run.journal import Journal
from controller.run.journal.copies import paths_of
from tests.controller.records.audit.logs_for_tests import entry
from tests.controller.records.backup.table_folder import plain_backup, table_folder

IDENTITY = pyrage.x25519.Identity.generate()
SEALED = Sealing(recipients=(str(IDENTITY.to_public()),))


def files_in(backup: bytes) -> dict[str, bytes]:
    return dict(PackedBackup(backup).files())


def snapshot(folder: Path) -> dict[str, bytes]:
    return folder_snapshot(folder, None, private=True, log_key=False).contents


def test_an_encrypted_backup_holds_records_keys_and_configuration(tmp_path: Path) -> None:
    data, to = table_folder(tmp_path / "data"), tmp_path / "backup"
    (tmp_path / "etc/identity").mkdir(parents=True)
    (tmp_path / "etc/identity/signers").write_text("root installs it")
    (tmp_path / "etc/table.yaml").write_text("name: robotic")
    (tmp_path / "etc/table.key").write_text("-----BEGIN PRIVATE KEY-----")
    (tmp_path / "keys").write_text("BASE0001 0102")
    sources = BackupSources(data, None, (tmp_path / "etc",), tmp_path / "keys")
    manifest = create_backup(sources, to, SEALED, "0.2.0")
    backup = to.read_bytes()
    assert to.stat().st_mode & 0o777 == 0o600
    assert b"Mei" not in backup
    files = files_in(opened(backup, None, [str(IDENTITY)]))
    assert set(files) == {
        *("configuration/table.key", "configuration/table.yaml", "keys/boards"),
        *("data/accounts.sqlite", "data/evening.db", "data/notes/floor.txt"),
        *("data/audit/events.jsonl", "data/audit/head", "data/audit/heads", "data/audit/tree"),
        *("data/table.journal", "data/table.journal.2", "data/table.journal.3"),
        *("data/table.journal.chance-key", "data/touchscreen.token"),
    }
    assert files["data/table.journal.3"] == (data / "table.journal").read_bytes()
    assert manifest.journal["records"] == 3
    assert [copy["state"] for copy in manifest.journal["copies"]] == ["intact"] * 3
    assert (manifest.audit["size"], manifest.audit["with_private_key"]) == (6, False)


def test_a_plain_backup_holds_no_private_key(tmp_path: Path) -> None:
    data = table_folder(tmp_path / "data")
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/table.key").write_text("-----BEGIN PRIVATE KEY-----")
    (tmp_path / "keys").write_text("BASE0001 0102")
    sources = BackupSources(data, None, (tmp_path / "etc",), tmp_path / "keys")
    manifest = create_backup(sources, tmp_path / "backup", Sealing(), "0.2.0")
    names = {file.name for file in manifest.files}
    assert not {name for name in names if "key" in name or "token" in name}
    assert "no private keys" in manifest.notes[0]
    with pytest.raises(BackupError, match="A plain backup holds no private key"):
        create_backup(BackupSources(data, log_key=True), tmp_path / "b2", Sealing(), "0.2.0")


def test_the_key_of_the_log_is_in_a_backup_only_if_it_is_wanted(tmp_path: Path) -> None:
    data = table_folder(tmp_path / "data")
    without = folder_snapshot(data, None, private=True, log_key=False)
    with_key = folder_snapshot(data, None, private=True, log_key=True)
    assert set(with_key.contents) - set(without.contents) == {"data/audit/key"}
    assert with_key.contents["data/audit/key"] == (data / "audit/key").read_bytes()


def test_a_file_that_is_there_is_never_replaced(tmp_path: Path) -> None:
    data = table_folder(tmp_path / "data")
    (tmp_path / "backup").write_text("an older backup")
    with pytest.raises(BackupError, match="already"):
        plain_backup(data, tmp_path / "backup")
    assert (tmp_path / "backup").read_text() == "an older backup"
    with pytest.raises(BackupError, match="no folder"):
        plain_backup(tmp_path / "nowhere", tmp_path / "b2")
    (tmp_path / "empty").mkdir()
    with pytest.raises(BackupError, match="has no records"):
        plain_backup(tmp_path / "empty", tmp_path / "b2")
    with pytest.raises(BackupError, match="cannot be written"):
        plain_backup(data, tmp_path / "nowhere" / "b")


def test_a_database_is_copied_at_its_last_transaction_while_it_is_written(tmp_path: Path) -> None:
    data = table_folder(tmp_path / "data")
    writer = sqlite3.connect(data / "evening.db", isolation_level=None)
    writer.execute("INSERT INTO preset VALUES ('done', '{}')")
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("INSERT INTO preset VALUES ('not done', '{}')")
    (tmp_path / "copy.db").write_bytes(snapshot(data)["data/evening.db"])
    writer.execute("ROLLBACK")
    writer.close()
    with sqlite3.connect(tmp_path / "copy.db") as copy:
        assert copy.execute("SELECT name FROM preset").fetchall() == [("done",)]
    copy.close()


def test_a_damaged_database_is_named_and_no_backup_is_made(tmp_path: Path) -> None:
    data = table_folder(tmp_path / "data")
    file = data / "evening.db"
    damaged = bytearray(file.read_bytes())
    damaged[4200:12000] = bytes(7800)
    file.write_bytes(damaged)
    with pytest.raises(BackupError, match=r"evening\.db"):
        plain_backup(data, tmp_path / "backup")
    assert not (tmp_path / "backup").exists()


def test_copies_of_the_journal_that_are_read_at_different_moments_give_the_common_part(
    tmp_path: Path,
) -> None:
    file = tmp_path / "table.journal"
    texts = []
    with Journal(file, "2030-01-01", {}) as journal:
        for step in range(6):
            journal.intend("top", float(step), {"step": step})
            texts.append(file.read_bytes())
    # A run has appended five batches between the first read and the last.
    for path, text in zip(paths_of(file), (texts[1], texts[3], texts[5]), strict=True):
        path.write_bytes(text)
    found = journal_snapshot(file, None)
    assert found is not None
    assert found.data == texts[1]
    assert [copy["state"] for copy in found.facts["copies"]] == ["intact"] * 3
    paths_of(file)[2].write_bytes(texts[5][:-7])  # half of a line is written
    found = journal_snapshot(file, None)
    assert found is not None
    assert found.data == texts[1]


def test_the_state_of_a_damaged_copy_is_noted_and_a_locked_journal_is_refused(
    tmp_path: Path,
) -> None:
    data = table_folder(tmp_path / "data")
    first, second, third = paths_of(data / "table.journal")
    whole = first.read_bytes()
    second.write_bytes(whole.replace(b"throw", b"thraw"))
    found = journal_snapshot(data / "table.journal", None)
    assert found is not None
    assert found.data == whole
    states = [copy["state"] for copy in found.facts["copies"]]
    assert (states[0], states[2]) == ("intact", "intact")
    assert "damaged at record 2" in states[1]
    for path in (first, third):
        path.write_bytes(whole.replace(b"throw", b"thraw"))
    with pytest.raises(BackupError, match="copy the folder instead"):
        plain_backup(data, tmp_path / "backup")


def test_the_log_is_copied_up_to_its_signed_head_while_events_are_added(tmp_path: Path) -> None:
    data = table_folder(tmp_path / "data")
    log = opened_log(LogFolder(data / "audit"))
    log.append([entry(50)])
    with (data / "audit/events.jsonl").open("ab") as file:
        file.write(b'{"details":{},"from":"half a li')
    files = snapshot(data)
    log.close()
    copy = tmp_path / "audit"
    copy.mkdir()
    for name in ("events.jsonl", "head", "heads", "tree"):
        (copy / name).write_bytes(files[f"data/audit/{name}"])
    (copy / "key").write_bytes((data / "audit/key").read_bytes())
    (copy / "key").chmod(0o600)
    again = opened_log(LogFolder(copy))
    assert (again.size, again.repairs) == (7, ())
    again.close()


def test_a_locked_log_is_copied_as_it_is_and_the_backup_says_so(tmp_path: Path) -> None:
    data = table_folder(tmp_path / "data")
    events = data / "audit/events.jsonl"
    events.write_bytes(events.read_bytes().replace(b"Mei", b"Bob", 1))
    manifest = plain_backup(data, tmp_path / "backup")
    assert "was locked when it was backed up" in manifest.notes[0]
    files = files_in((tmp_path / "backup").read_bytes())
    assert files["data/audit/events.jsonl"] == events.read_bytes()
    assert "data/audit/key" not in files


def test_links_locks_and_the_program_are_left_out(tmp_path: Path) -> None:
    data = table_folder(tmp_path / "data")
    (data / "link").symlink_to("/etc/passwd")
    os.mkfifo(data / "pipe")
    names = set(snapshot(data))
    assert not {name for name in names if "link" in name or "pipe" in name or "lock" in name}
    assert not {name for name in names if "program" in name}


def test_an_archived_journal_is_kept_once_if_its_copies_are_equal(tmp_path: Path) -> None:
    data = table_folder(tmp_path / "data")
    for name in ("table.journal.old", "table.journal.2.old"):
        (data / name).write_bytes(b"the lines of last year")
    (data / "table.journal.3.old").write_bytes(b"other lines")
    names = set(snapshot(data))
    assert {"data/table.journal.old", "data/table.journal.3.old"} <= names
    assert "data/table.journal.2.old" not in names


# While other files are added, renamed and removed


def at_copy_of(name: str, act: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Do something each time this file has been copied, before the later files are copied."""
    add = FolderSnapshot.add

    def add_and_act(found: FolderSnapshot, added: str, data: bytes, mode: int = 0o600) -> None:
        add(found, added, data, mode)
        if added == name:
            act()

    monkeypatch.setattr(FolderSnapshot, "add", add_and_act)


def test_a_log_in_the_making_is_left_out_with_its_private_key(tmp_path: Path) -> None:
    data = table_folder(tmp_path / "data")
    (data / "audit").rename(data / "audit.new")  # the computer has stopped before the log had begun
    manifest = plain_backup(data, tmp_path / "backup")
    assert not {file.name for file in manifest.files if "audit" in file.name}
    assert not {name for name in snapshot(data) if "audit" in name}


def test_a_log_that_is_begun_during_a_backup_does_not_end_the_backup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = table_folder(tmp_path / "data")
    (data / "a").write_text("the first file")
    (data / "audit").rename(data / "audit.new")

    def begin() -> None:
        if (data / "audit.new").exists():
            (data / "audit.new").rename(data / "audit")

    at_copy_of("data/a", begin, monkeypatch)
    files = snapshot(data)
    assert (data / "audit").exists()
    assert {"data/a", "data/notes/floor.txt"} <= set(files)
    assert not {name for name in files if "audit.new" in name}


def test_the_key_of_a_log_that_was_moved_away_is_in_no_plain_backup(tmp_path: Path) -> None:
    data = table_folder(tmp_path / "data")
    (data / "audit").rename(data / "audit.locked")  # as the sentence of a locked log asks for
    begun_log(LogFolder(data / "audit"), "robotic", entry(1)).close()
    names = {file.name for file in plain_backup(data, tmp_path / "backup").files}
    assert "data/audit.locked/events.jsonl" in names
    assert not {name for name in names | set(snapshot(data)) if name.endswith("key")} - {
        "data/table.journal.chance-key"
    }
    with_key = folder_snapshot(data, None, private=True, log_key=True).contents
    assert {"data/audit/key", "data/audit.locked/key"} <= set(with_key)


@pytest.mark.parametrize("name", ["notes/table.txt", "a_first_name.txt"])
def test_a_file_that_gets_another_name_during_a_backup_is_in_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new name sorts after or before the file at whose copy it is renamed."""
    data = table_folder(tmp_path / "data")
    (data / "b").write_text("copied first")
    floor = data / "notes/floor.txt"

    def rename() -> None:
        if floor.exists():
            floor.rename(data / name)

    at_copy_of("data/b", rename, monkeypatch)
    files = snapshot(data)
    assert files[f"data/{name}"] == b"table 4, by the window"
    assert "data/notes/floor.txt" not in files


def test_a_database_that_gets_another_name_during_a_backup_is_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = table_folder(tmp_path / "data")
    module = "controller.records.backup.snapshots"
    copied: list[Path] = []

    def copy_and_rename(file: Path) -> bytes:
        copied.append(file)
        if len(copied) == 2:
            file.rename(file.with_name("last_evening.db"))
        return database_copy(file)

    monkeypatch.setattr(f"{module}.database_copy", copy_and_rename)
    files = snapshot(data)
    assert [file.name for file in copied[:2]] == ["accounts.sqlite", "evening.db"]
    assert "data/last_evening.db" in files and "data/evening.db" not in files


def test_a_folder_that_changes_all_the_time_is_named_and_no_backup_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = table_folder(tmp_path / "data")
    copies: list[int] = []

    def change() -> None:
        copies.append(len(copies))
        (data / f"z{len(copies)}").touch()

    at_copy_of("data/notes/floor.txt", change, monkeypatch)
    with pytest.raises(BackupError, match="added, renamed or removed during each of 10 copies"):
        plain_backup(data, tmp_path / "backup")
    assert len(copies) == LISTINGS == 10
    assert not (tmp_path / "backup").exists()


def test_a_witnessed_head_that_a_later_one_replaces_does_not_end_the_backup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = table_folder(tmp_path / "data")
    witnessed = data / "audit/witnessed"
    witnessed.mkdir()
    for name in ("1.note", "2.note", "3.note.new"):
        (witnessed / name).write_text(name)
    read = Path.read_bytes

    def read_and_replace(file: Path) -> bytes:
        contents = read(file)
        if file.name == "1.note" and (witnessed / "2.note").exists():
            (witnessed / "3.note.new").rename(witnessed / "3.note")
            (witnessed / "2.note").unlink()
        return contents

    monkeypatch.setattr(Path, "read_bytes", read_and_replace)
    found = audit_snapshot(LogFolder(data / "audit"), with_key=False)
    assert found is not None
    heads = {name: data for name, data in found.files.items() if "witnessed" in name}
    assert heads == {"witnessed/1.note": b"1.note", "witnessed/3.note": b"3.note.new"}
