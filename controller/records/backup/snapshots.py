"""Consistent copies of a table's records, also while the table runs.

A service may write, rename and remove files meanwhile. A folder is therefore listed before and
after it is copied, and copied again if the names differ: a file that got another name between its
listing and its copy would otherwise be missing. The audit log is copied up to one signed head, and
of the journal the verified lines with the state of each copy on disk.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from controller.records.audit.errors import AuditError, AuditLockedError, RefusedProofError
from controller.records.audit.log.log_folder import LogFolder, kept_line
from controller.records.audit.log.log_reader import LogReader, checked_log
from controller.records.audit.notes import Checkpoint, is_key_file, read_key
from controller.records.audit.tree import HASH_SIZE, nodes_of
from controller.records.backup.archive import DATA, MOST_BYTES, BackupError
from controller.run.journal import JournalError, JournalLockedError
from controller.run.journal.copies import paths_of
from controller.run.journal.history import unfinished_of
from controller.run.journal.lines import GENESIS, chain_of, follows, record_of, start_of
from controller.run.journal.reconcile import Copy, defect_of, read_copy, text_of, verified_lines

UNFINISHED = (".new", ".part")
"""Ends of the names of files and folders that a program renames when they are complete."""
LEFT_OUT = (".lock", "-wal", "-shm", "-journal", *UNFINISHED)
"""Ends of the names of files that a program makes anew."""


def files_of(folder: Path, *, without: tuple[str, ...] = ()) -> list[Path]:
    """The regular files of a folder that a backup holds, sorted.

    Folders that are not complete, and the folders `without` in `folder` itself, are not opened: a
    folder can be renamed at any time, and an audit log in the making has its private key in it.
    """
    found: list[Path] = []
    for place, folders, names in os.walk(folder):
        is_top = Path(place) == folder
        folders[:] = [
            name
            for name in folders
            if not name.endswith(UNFINISHED) and not (is_top and name in without)
        ]
        found += [
            file
            for name in names
            if not name.endswith(LEFT_OUT)
            and not (file := Path(place, name)).is_symlink()
            and file.is_file()
        ]
    return sorted(found)


JOURNAL_TRIES = 10
"""Reads of the three copies, until two of them agree: a run can write between two reads."""


@dataclass(frozen=True)
class JournalSnapshot:
    """The lines of a journal as one file, and what is known of them."""

    data: bytes
    facts: dict[str, Any]


def journal_snapshot(journal: Path, directory: Path | None) -> JournalSnapshot | None:
    """The journal; None if there is none. `directory` has its third copy.

    Raises BackupError if the copies do not contain one verified sequence of records.
    """
    try:
        paths = paths_of(journal, directory)
        if not any(path.exists() for path in paths):
            return None
        lines, copies = _consistent(paths)
        records = [record_of(line) for line in lines]
        run = unfinished_of(records)
    except JournalLockedError as error:
        raise BackupError(
            f"{error} A backup of a locked journal would lose evidence: copy the folder instead."
        ) from error
    except JournalError as error:
        raise BackupError(str(error)) from error
    facts = {
        "records": len(records),
        "unfinished": None if run is None else run.started,
        "copies": [
            {"name": copy.path.name, "state": defect_of(copy, lines) or "intact"} for copy in copies
        ],
    }
    return JournalSnapshot(text_of(lines), facts)


def _consistent(paths: tuple[Path, ...]) -> tuple[tuple[bytes, ...], list[Copy]]:
    """Verified lines, and the copies cut to the same length as far as they agree.

    While a run appends, a copy that is read later has more lines. Each copy that verifies by itself
    is cut to the shortest one of them; what remains is judged as at the start of a run.
    """
    error: JournalError | None = None
    for _ in range(JOURNAL_TRIES):
        copies = [read_copy(path) for path in paths]
        whole = [copy for copy in copies if _verifies(copy.lines)]
        if whole:
            count = min(len(copy.lines) for copy in whole)
            lines = whole[0].lines[:count]
            if all(copy.lines[:count] == lines for copy in whole):
                cut = [
                    Copy(copy.path, text_of(lines)) if copy in whole else copy for copy in copies
                ]
                if len(whole) == len(copies):
                    return lines, cut
        try:
            return verified_lines(copies), copies
        except JournalError as found:
            error = found
    assert error is not None
    raise error


def _verifies(lines: tuple[bytes, ...]) -> bool:
    """Whether the chain of all lines verifies."""
    if not lines or start_of(lines[0]) is None:
        return False
    chain = start_of(lines[0]) or GENESIS
    for line in lines:
        if not follows(line, chain):
            return False
        chain = chain_of(line)
    return True


AUDIT_TRIES = 5
"""Reads of what can change meanwhile: the key by a rotation, the witnessed heads by a witness."""


@dataclass(frozen=True)
class AuditSnapshot:
    """The files of a log by their names in its folder, and what is known of them."""

    files: dict[str, bytes]
    facts: dict[str, Any]
    notes: tuple[str, ...] = ()


def audit_snapshot(folder: LogFolder, *, with_key: bool) -> AuditSnapshot | None:
    """The log; None if there is none. A log that contradicts itself is copied as it is.

    Raises BackupError if it cannot be read.
    """
    try:
        if not folder.exists:
            return None
        reader = checked_log(folder)
        return _up_to_head(folder, reader, with_key=with_key)
    except AuditLockedError as error:
        return AuditSnapshot(
            _all_files(folder),
            {"locked": str(error)},
            (f"The audit log was locked when it was backed up, and was copied as it is: {error}",),
        )
    except (AuditError, RefusedProofError, OSError) as error:
        raise BackupError(f"The audit log {folder.path} cannot be backed up: {error}") from error


def _up_to_head(folder: LogFolder, reader: LogReader, *, with_key: bool) -> AuditSnapshot:
    heads, _ = folder.read_heads()
    kept = [note for note in heads if Checkpoint.parsed(note.text).size <= reader.size]
    files = {
        "events.jsonl": b"".join(reader.lines(0, reader.size)),
        "head": str(reader.head).encode(),
        "heads": b"".join(kept_line(note) for note in kept),
        "tree": folder.tree.read_bytes()[: HASH_SIZE * nodes_of(reader.size)],
    }
    if folder.removed.exists():
        files["removed"] = folder.removed.read_bytes()
    files |= _witnessed(folder)
    if with_key:
        files["key"] = _key(folder, reader)
    facts = {
        "origin": reader.checkpoint.origin,
        "size": reader.size,
        "root": reader.checkpoint.root.hex(),
        "key": str(reader.keys.latest),
        "with_private_key": with_key,
    }
    return AuditSnapshot(files, facts)


def _key(folder: LogFolder, reader: LogReader) -> bytes:
    """The private key that belongs to the last event. Raises AuditError."""
    for _ in range(AUDIT_TRIES):
        data = folder.key.read_bytes()
        if read_key(folder.key).public == reader.keys.latest and folder.key.read_bytes() == data:
            return data
    raise AuditError("its private key is not the one that its events name; try again.")


def _witnessed(folder: LogFolder) -> dict[str, bytes]:
    """The witnessed heads. A later one of the same day replaces an earlier one, whose file goes.

    Raises AuditError.
    """
    for _ in range(AUDIT_TRIES):
        with suppress(FileNotFoundError):
            return {
                str(file.relative_to(folder.path)): file.read_bytes()
                for file in files_of(folder.witnessed)
            }
    raise AuditError("its witnessed heads were removed while they were read; try again.")


def _all_files(folder: LogFolder) -> dict[str, bytes]:
    """Every file of the folder but the private key and the lock."""
    return {
        str(file.relative_to(folder.path)): file.read_bytes()
        for file in files_of(folder.path)
        if file.name not in ("key", "key.next", "lock")
    }


JOURNAL, AUDIT = "table.journal", "audit"
SQLITE = b"SQLite format 3\0"
DATABASE_TRIES = 20
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
    """A copy during which no file was renamed. Raises BackupError, and OSError."""
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
        " copies; stop the program that does so, then repeat the command."
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
    for _ in range(DATABASE_TRIES):
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
