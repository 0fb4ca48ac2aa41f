"""Makes a backup of a table: its records, its configuration and the keys of its boards."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from config import file_locks
from config.durable_files import sync, sync_folder, write_all
from controller.records.backup.archive import (
    BOARD_KEYS,
    CONFIGURATION,
    GZIP,
    BackupError,
    BackupManifest,
    StoredFile,
    packed,
)
from controller.records.backup.sealing import AGE, Sealing, sealed
from controller.records.backup.snapshots import FolderSnapshot, folder_snapshot
from controller.records.data_folder import data_formats

IDENTITY = "identity"
"""The folder of the configuration with the trusted signers: root installs it, no backup does."""
PART = ".part"
"""End of the name of a backup that is being written."""
_PRIVATE_KEY = b"PRIVATE KEY-----"


@dataclass(frozen=True)
class BackupSources:
    """The sources of a backup. `journal_copy` has the third copy of the journal.

    `configuration` are files and folders; `keys` is the file with the keys of the boards.
    """

    data: Path
    journal_copy: Path | None = None
    configuration: tuple[Path, ...] = ()
    keys: Path | None = None
    log_key: bool = False
    """Whether to include the private key of the audit log."""


def create_backup(
    sources: BackupSources, to: Path, sealing: Sealing, program: str
) -> BackupManifest:
    """Write a backup to a new file with mode 0600. Raises BackupError.

    A plain backup holds no private key. The table may run meanwhile.
    """
    if to.exists():
        raise BackupError(f"There is a file {to} already; name a new file.")
    if sealing.is_plain and sources.log_key:
        raise BackupError("A plain backup holds no private key; encrypt it, or leave out the key.")
    private = not sealing.is_plain
    found = folder_snapshot(
        sources.data, sources.journal_copy, private=private, log_key=sources.log_key
    )
    for path in sources.configuration:
        _add_configuration(found, path, private=private)
    if private and sources.keys is not None and sources.keys.exists():
        found.add(BOARD_KEYS, _read(sources.keys))
    if not private:
        found.notes.append(
            "The backup is plain: it has no private keys and no keys of boards. A round in progress"
            " cannot go on from it; restore it with --without-journal then."
        )
    manifest = _manifest(found, program)
    _write(to, sealed(packed(manifest, found.contents), sealing))
    return manifest


def _manifest(found: FolderSnapshot, program: str) -> BackupManifest:
    files: dict[str, StoredFile] = {}
    for name in sorted(found.contents):
        data = found.contents[name]
        digest = sha256(data).hexdigest()
        files[name] = StoredFile(name, len(data), digest, found.modes[name])
    for name, original in found.same_as.items():
        first = files[original]
        files[name] = StoredFile(name, first.size, first.sha256, first.mode, original)
    return BackupManifest(
        datetime.now(UTC).isoformat(timespec="seconds"),
        program,
        dict(data_formats()),
        tuple(files.values()),
        found.journal,
        found.audit,
        tuple(found.notes),
    )


def _add_configuration(found: FolderSnapshot, path: Path, *, private: bool) -> None:
    if path.is_dir():
        files: Sequence[Path] = [file for file in sorted(path.rglob("*")) if file.is_file()]
        names = [str(file.relative_to(path)) for file in files]
    else:
        files, names = [path], [path.name]
    for file, name in zip(files, names, strict=True):
        if name.split("/")[0] == IDENTITY or file.is_symlink():
            continue
        data = _read(file)
        stored = f"{CONFIGURATION}/{name}"
        if stored in found.contents:
            raise BackupError(f"Two files of the configuration have the name {name}; rename one.")
        if private or _PRIVATE_KEY not in data:
            found.add(stored, data, file.stat().st_mode & 0o777)


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise BackupError(
            f"{file} cannot be read ({error.strerror}); name another file, or run the command as"
            " its owner."
        ) from error


def unfinished_backups(folder: Path) -> list[Path]:
    """The files that interrupted backups have left in a folder, sorted; none is in use."""
    left: list[Path] = []
    for part in sorted(folder.glob(f"*{PART}")):
        try:
            with part.open("rb") as file:
                file_locks.lock(file.fileno())
                begin = file.read(len(AGE))
        except OSError:
            continue
        if not begin or begin.startswith((AGE, GZIP)):
            left.append(part)
    return left


def _write(to: Path, data: bytes) -> None:
    """Write a new file; a power cut leaves no file of this name or the complete one.

    The part that an interrupted backup has left is written anew. Raises BackupError.
    """
    part = to.with_name(f"{to.name}{PART}")
    try:
        with _locked(part, to) as file:
            try:
                write_all(file, data)
                sync(file)
                _give_name(part, to)
            finally:
                part.unlink(missing_ok=True)
            sync_folder(to.parent)
    except OSError as error:
        raise BackupError(
            f"The backup {to} cannot be written ({error.strerror}); name a new file in a folder"
            " with enough space."
        ) from error


@contextmanager
def _locked(part: Path, to: Path) -> Iterator[int]:
    """Open the unfinished file of a backup, empty and locked against a second backup.

    Raises BackupError if another process writes it, and OSError.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    file = os.open(part, flags, 0o600)
    try:
        try:
            file_locks.lock(file)
            is_ours = file_locks.is_still_at(part, file)
        except BlockingIOError:
            is_ours = False
        if not is_ours:
            raise BackupError(
                f"Another process writes the backup {to} at this moment; wait for its end, or name"
                " another file."
            )
        os.fchmod(file, 0o600)
        os.ftruncate(file, 0)
        yield file
    finally:
        os.close(file)


def _give_name(part: Path, to: Path) -> None:
    """Give a complete backup its name, if no file has it. Raises OSError."""
    try:
        # A link fails if the name was taken meanwhile; a rename would replace that file.
        os.link(part, to)
    except OSError as error:
        # File systems of USB sticks have no links.
        if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS):
            raise
        if to.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(to)) from error
        part.rename(to)
