"""Makes a backup of a table: its records, its configuration and the keys of its boards."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from controller.durable_files import sync_folder
from controller.records.backup.errors import BackupError
from controller.records.backup.manifest import (
    BOARD_KEYS,
    CONFIGURATION,
    BackupManifest,
    StoredFile,
)
from controller.records.backup.packing import packed
from controller.records.backup.sealing import Sealing, sealed
from controller.records.backup.snapshots.folder_snapshot import FolderSnapshot, folder_snapshot
from controller.records.formats import data_formats

IDENTITY = "identity"
"""The folder of the configuration with the trusted signers: root installs it, no backup does."""
_PRIVATE_KEY = b"PRIVATE KEY-----"


@dataclass(frozen=True)
class BackupSources:
    """What to back up. `journal_copy` has the third copy of the journal.

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


def _write(to: Path, data: bytes) -> None:
    """Write a new file; a power cut leaves no file of this name, or the whole."""
    part = to.with_name(f"{to.name}.part")
    try:
        part.unlink(missing_ok=True)
        file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(file, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        # A link fails if the name was taken meanwhile; a rename would replace that file.
        os.link(part, to)
        part.unlink()
        sync_folder(to.parent)
    except OSError as error:
        raise BackupError(
            f"The backup {to} cannot be written ({error.strerror}); name a new file in a folder"
            " with enough space."
        ) from error
