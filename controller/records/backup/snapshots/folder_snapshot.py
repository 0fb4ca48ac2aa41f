"""A copy of a data folder: databases, the journal, the audit log, and every other file.

A service may write, rename and remove files meanwhile. The folder is therefore listed before and
after it is copied, and copied again if the names differ: a file that got another name between its
listing and its copy would otherwise be missing.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from controller.records.audit.log.log_folder import LogFolder
from controller.records.audit.notes.signing_key import is_key_file
from controller.records.backup.manifest import DATA, MOST_BYTES, BackupError
from controller.records.backup.snapshots.audit_snapshot import audit_snapshot
from controller.records.backup.snapshots.journal_snapshot import JournalSnapshot, journal_snapshot
from controller.records.backup.snapshots.listing import files_of
from controller.run.journal.reconcile import read_copy

JOURNAL, AUDIT = "table.journal", "audit"
SQLITE = b"SQLite format 3\0"
TRIES = 20
"""Copies of the databases, until the journal has not changed meanwhile."""
LISTINGS = 10
"""Copies of the folder, until no file was added, renamed or removed meanwhile."""
PRIVATE = (f"{JOURNAL}.chance-key", "touchscreen.token")
"""Files that only an encrypted backup holds; so are signing keys, such as those of a floor."""
SLOTS = "program"
"""The folder of the update slots: the program is installed again, not restored."""


@dataclass
class FolderSnapshot:
    """Contents by name in the backup, their modes, copies of other files, and what is known."""

    contents: dict[str, bytes] = field(default_factory=dict)
    modes: dict[str, int] = field(default_factory=dict)
    same_as: dict[str, str] = field(default_factory=dict)
    journal: Mapping[str, Any] = field(default_factory=dict)
    audit: Mapping[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def add(self, name: str, data: bytes, mode: int = 0o600) -> None:
        """Add a file. Raises BackupError if the backup gets too large."""
        self.contents[name], self.modes[name] = data, mode
        if sum(map(len, self.contents.values())) > MOST_BYTES:
            raise BackupError(
                f"The files have more than {MOST_BYTES} bytes, which one backup cannot hold; begin"
                " a new journal, and keep the old one elsewhere."
            )


def folder_snapshot(
    folder: Path, directory: Path | None, *, private: bool, log_key: bool
) -> FolderSnapshot:
    """A consistent copy of a data folder. `directory` has the third copy of the journal.

    `private` includes the keys of sealed shares and of the touchscreen, `log_key` the private key
    of the audit log. Raises BackupError.
    """
    if not folder.is_dir():
        raise BackupError(f"There is no folder {folder}; name the data folder of a service.")
    try:
        found = _unchanged(folder, directory, private=private, log_key=log_key)
    except OSError as error:
        raise BackupError(
            f"{error.filename or folder} cannot be read ({error.strerror}); run the command as the"
            " user of the service."
        ) from error
    if not found.contents:
        raise BackupError(f"The folder {folder} has no records; name the data folder of a service.")
    return found


def _unchanged(
    folder: Path, directory: Path | None, *, private: bool, log_key: bool
) -> FolderSnapshot:
    """A copy during which no file got another name. Raises BackupError, and OSError."""
    for _ in range(LISTINGS):
        files = _files(folder)
        try:
            found = _copied(folder, files, directory, private=private, log_key=log_key)
        except FileNotFoundError:
            continue  # removed, or renamed: only a new listing can tell
        if _files(folder) == files:
            return found
    raise BackupError(
        f"Files of the folder {folder} were added, renamed or removed during each of {LISTINGS}"
        " copies; stop what does that, then repeat the command."
    )


def _copied(
    folder: Path, files: list[Path], directory: Path | None, *, private: bool, log_key: bool
) -> FolderSnapshot:
    """A copy of the listed files, of the journal and of the audit log."""
    found = FolderSnapshot()
    databases, journal = _databases_and_journal(folder, files, directory)
    for name, data in databases.items():
        found.add(f"{DATA}/{name}", data)
    if journal is not None:
        found.add(f"{DATA}/{JOURNAL}", journal.data, 0o644)
        for copy in (f"{JOURNAL}.2", f"{JOURNAL}.3"):
            found.same_as[f"{DATA}/{copy}"] = f"{DATA}/{JOURNAL}"
        found.journal = journal.facts
    _add_log(folder, found, log_key=log_key)
    for file in _others(folder, files, set(databases)):
        name, data = str(file.relative_to(folder)), file.read_bytes()
        is_private = name in PRIVATE or is_key_file(data)
        if (private or not is_private) and (log_key or not _is_log_key(file)):
            found.add(f"{DATA}/{name}", data, file.stat().st_mode & 0o777)
    return found


def _databases_and_journal(
    folder: Path, files: list[Path], directory: Path | None
) -> tuple[dict[str, bytes], JournalSnapshot | None]:
    """Copies of the databases and of the journal at the same state of the journal.

    After a restart the journal must not be older than the databases. If the journal changes in
    every try, the databases are a moment older, as after a power cut.
    """
    sources = [file for file in files if _is_database(file)]
    path = folder / JOURNAL
    databases: dict[str, bytes] = {}
    for _ in range(TRIES):
        before = _state(path)
        databases = {str(file.relative_to(folder)): database_copy(file) for file in sources}
        if _state(path) == before:
            break
    return databases, journal_snapshot(path, directory)


def database_copy(file: Path) -> bytes:
    """A consistent copy of an SQLite file, also while it is written.

    Raises BackupError, and FileNotFoundError.
    """
    try:
        with (
            closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as source,
            closing(sqlite3.connect(":memory:")) as copy,
        ):
            source.backup(copy)
            (state,) = copy.execute("PRAGMA integrity_check(1)").fetchone()
            if state != "ok":
                raise BackupError(f"The database {file} is damaged ({state}); restore it first.")
            return copy.serialize()
    except sqlite3.Error as error:
        if not file.exists():
            missing = os.strerror(errno.ENOENT)
            raise FileNotFoundError(errno.ENOENT, missing, str(file)) from error
        raise BackupError(f"The database {file} cannot be copied ({error}).") from error


def _state(journal: Path) -> tuple[int, int] | None:
    try:
        state = journal.stat()
    except OSError:
        return None
    return state.st_ino, state.st_size


def _add_log(folder: Path, found: FolderSnapshot, *, log_key: bool) -> None:
    log = audit_snapshot(LogFolder(folder / AUDIT), with_key=log_key)
    if log is None:
        return
    for name, data in log.files.items():
        found.add(f"{DATA}/{AUDIT}/{name}", data)
    found.audit = log.facts
    found.notes += log.notes


def _others(folder: Path, files: list[Path], databases: set[str]) -> Iterator[Path]:
    """The listed files that are neither a database nor the journal.

    The second and third copies of an archived journal are left out if they equal the first.
    """
    journal = {JOURNAL, f"{JOURNAL}.2", f"{JOURNAL}.3"}
    for file in files:
        name = file.relative_to(folder)
        if str(name) in databases | journal:
            continue
        if name.name.startswith((f"{JOURNAL}.2.", f"{JOURNAL}.3.")):
            first = file.with_name(f"{JOURNAL}.{name.name.removeprefix(f'{JOURNAL}.')[2:]}")
            if read_copy(first).data == file.read_bytes():
                continue
        yield file


def _files(folder: Path) -> list[Path]:
    """The files of a data folder, without the audit log, which is copied as a whole."""
    return files_of(folder, without=(SLOTS, AUDIT))


def _is_log_key(file: Path) -> bool:
    """Whether a file is the private key of a log that was moved away, to be kept as evidence."""
    log = LogFolder(file.parent)
    return file in (log.key, log.next_key) and log.events.exists()


def _is_database(file: Path) -> bool:
    with file.open("rb") as stream:
        return stream.read(len(SQLITE)) == SQLITE
