"""Makes the data folder of a service with one of each kind of file."""

from __future__ import annotations

from pathlib import Path

from controller.records.backup.archive import BackupManifest
from controller.records.backup.creating import BackupSources, create_backup
from controller.records.backup.sealing import Sealing
from controller.run.journal import Journal
from controller.service.evening.evening_store import EveningStore
from controller.service.user_roles import UserRole
from controller.web.api.accounts.identity import User
from controller.web.api.accounts.store import AccountStore
from tests.controller.records.audit.logs_for_tests import log_of

CHANCE_KEY = b"k" * 32
LAST_ROUNDS = [{"session": "s1", "number": 1, "event": 3, "chance": None}]


def table_folder(folder: Path, *, events: int = 5) -> Path:
    """Return a new data folder with a journal, two databases, a log and secrets."""
    folder.mkdir(mode=0o700)
    with Journal(folder / "table.journal", "2030-01-01T12:00:00+00:00", {"table": "robotic"}) as it:
        it.confirm(it.intend("top", 1.0, {"step": "throw"}), 2.0, [3, 5])
    with EveningStore(folder / "evening.db") as store:
        store.put_session("s1", "2030-01-01", "", "wenzhou", {"names": ["Mei", "東"]})
        store.put_fact("last rounds", LAST_ROUNDS)
    accounts = AccountStore(folder)
    accounts.save_user(User("Ann", UserRole.TECHNICIAN, 1.0), "a hash")
    accounts.close()
    log_of(folder / "audit", events).close()
    for name, data in (("touchscreen.token", b"t" * 40), ("table.journal.chance-key", CHANCE_KEY)):
        (folder / name).write_bytes(data)
        (folder / name).chmod(0o600)
    (folder / "table.journal.lock").touch()
    (folder / "program").mkdir()
    (folder / "program" / "slot").write_text("a program")
    (folder / "notes").mkdir()
    (folder / "notes" / "floor.txt").write_text("table 4, by the window")
    return folder


def plain_backup(data: Path, to: Path) -> BackupManifest:
    """Make a backup without encryption, which takes no time."""
    return create_backup(BackupSources(data), to, Sealing(), "0.2.0")


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder with its contents."""
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }
