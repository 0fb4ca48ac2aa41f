"""Backups of a floor service: its folder and SQLite by our command, PostgreSQL by its own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from controller.floor.store.floor_store import FloorStore
from controller.records.audit.notes import COSIGNATURE, new_key, read_key
from controller.records.backup.creating import BackupSources, create_backup
from controller.records.backup.restoring import RestoreTargets, restore_backup
from controller.records.backup.sealing import opened
from controller.service.user_roles import UserRole
from controller.web.api.accounts.identity import User
from controller.web.api.accounts.store import AccountStore
from tests.controller.floor.event_lines import batch_of, lines_of
from tests.controller.floor.postgres_process import PostgresProcess, program
from tests.controller.floor.store.conftest import stored_lines
from tests.controller.records.audit.logs_for_tests import log_of
from tests.controller.records.backup.table_folder import contents, plain_backup
from tests.controller.records.backup.test_creating import IDENTITY, SEALED

LINES = lines_of(40)


def stored(url: str, first: int, end: int) -> list[str]:
    """Store events of a table in a database as a floor service does; return all that it has."""
    store = FloorStore(url)
    store.open()
    store.take([batch_of(LINES, first, end)])
    found = stored_lines(store)
    store.close()
    return found


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The data folder of a floor service with an SQLite file."""
    folder = tmp_path / "floor"
    folder.mkdir(mode=0o700)
    assert len(stored(f"sqlite:///{folder / 'floor.db'}", 0, 20)) == 20
    new_key(folder / "requests.key", "floor-club")
    new_key(folder / "witness.key", "floor-club/witness", COSIGNATURE)
    accounts = AccountStore(folder)
    accounts.save_user(User("Ann", UserRole.TECHNICIAN, 1.0), "a hash")
    accounts.close()
    log_of(folder / "audit", 5).close()
    return folder


def test_a_restored_floor_goes_on_at_the_event_at_which_its_backup_was_made(
    data: Path, tmp_path: Path
) -> None:
    create_backup(BackupSources(data), tmp_path / "backup", SEALED, "0.2.0")
    assert len(stored(f"sqlite:///{data / 'floor.db'}", 20, 30)) == 30  # after the backup
    backup = opened((tmp_path / "backup").read_bytes(), None, [str(IDENTITY)])
    restore_backup(backup, RestoreTargets(tmp_path / "new"))
    for name in ("requests.key", "witness.key"):
        assert read_key(tmp_path / "new" / name).public == read_key(data / name).public
    # The table's outbox sends what the restored floor does not have.
    url = f"sqlite:///{tmp_path / 'new' / 'floor.db'}"
    assert stored(url, 20, 40) == LINES
    accounts = AccountStore(tmp_path / "new")
    assert [user.name for user in accounts.users()] == ["Ann"]
    accounts.close()


def test_a_plain_backup_of_a_floor_has_none_of_its_private_keys(data: Path, tmp_path: Path) -> None:
    plain_backup(data, tmp_path / "backup")
    restore_backup((tmp_path / "backup").read_bytes(), RestoreTargets(tmp_path / "new"))
    restored = contents(tmp_path / "new")
    assert "floor.db" in restored
    new = {"audit/key"}  # of the log that begins with the restore
    assert {name for name in restored if name.endswith("key")} == new


@pytest.mark.slow
def test_a_dump_of_postgresql_restores_a_floor_that_goes_on(
    postgres: PostgresProcess, tmp_path: Path
) -> None:
    before, after = postgres.new_database(), postgres.new_database()
    assert len(stored(before, 0, 20)) == 20
    dump = tmp_path / "floor.dump"
    plain = [url.replace("+psycopg", "") for url in (before, after)]
    dumped = [program("pg_dump"), "--format=custom", f"--file={dump}", plain[0]]
    restored = [program("pg_restore"), "--exit-on-error", f"--dbname={plain[1]}", str(dump)]
    for command in (dumped, restored):
        subprocess.run(command, check=True, capture_output=True)
    assert stored(after, 20, 40) == LINES
