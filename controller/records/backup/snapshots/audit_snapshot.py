"""A copy of the audit log up to one signed head, also while a service appends to it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from controller.records.audit.errors import AuditError, AuditLockedError, RefusedProofError
from controller.records.audit.log.log_folder import LogFolder, kept_line
from controller.records.audit.log.log_reader import LogReader, checked_log
from controller.records.audit.notes.checkpoint import Checkpoint
from controller.records.audit.notes.signing_key import read_key
from controller.records.audit.tree.hashing import HASH_SIZE
from controller.records.audit.tree.stored_nodes import nodes_of
from controller.records.backup.manifest import BackupError
from controller.records.backup.snapshots.listing import files_of

TRIES = 5
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
    for _ in range(TRIES):
        data = folder.key.read_bytes()
        if read_key(folder.key).public == reader.keys.latest and folder.key.read_bytes() == data:
            return data
    raise AuditError("its private key is not the one that its events name; try again.")


def _witnessed(folder: LogFolder) -> dict[str, bytes]:
    """The witnessed heads. A later one of the same day replaces an earlier one, whose file goes.

    Raises AuditError.
    """
    for _ in range(TRIES):
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
