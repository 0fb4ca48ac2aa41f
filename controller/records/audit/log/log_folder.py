"""The files of a log in one folder, and how each is written.

| file | contents | written |
|---|---|---|
| `events.jsonl` | one line for each event | appended and synced |
| `tree` | the stored nodes of the hash tree, 32 bytes each | appended; rebuilt from the events |
| `head` | the last signed head | replaced by rename, synced |
| `heads` | signed heads that are kept, one JSON text a line | appended and synced |
| `key` | the private key, mode 0600 | at the beginning and by a rotation |
| `lock` | excludes a second writer | |
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from config import file_locks
from controller.records.audit.errors import AuditError, AuditLockedError, RefusedProofError
from controller.records.audit.notes import SignedNote

KEPT_EVERY = 1000
"""A head is kept at least once in this number of events."""


@dataclass(frozen=True)
class LogFolder:
    """The paths of a log's files."""

    path: Path

    @property
    def events(self) -> Path:
        return self.path / "events.jsonl"

    @property
    def tree(self) -> Path:
        return self.path / "tree"

    @property
    def head(self) -> Path:
        return self.path / "head"

    @property
    def heads(self) -> Path:
        return self.path / "heads"

    @property
    def key(self) -> Path:
        return self.path / "key"

    @property
    def next_key(self) -> Path:
        """The key of a rotation that is in progress."""
        return self.path / "key.next"

    @property
    def removed(self) -> Path:
        """Bytes that were cut off after a power cut, kept for people to look at."""
        return self.path / "removed"

    @property
    def witnessed(self) -> Path:
        """The folder of cosigned heads."""
        return self.path / "witnessed"

    @property
    def exists(self) -> bool:
        """Whether a log was begun here."""
        return self.path.is_dir() and any(
            file.exists() for file in (self.events, self.head, self.key)
        )

    def require_regular_files(self) -> None:
        """Raise AuditLockedError for a pipe, a device or a folder in place of a file.

        To open a pipe blocks until another process opens its other end.
        """
        for file in (self.events, self.tree, self.head, self.heads, self.key, self.next_key):
            if os.path.lexists(file) and not file.is_file():
                raise self.locked(f"its {file.name} is not a regular file")

    def read_head(self) -> SignedNote:
        """The last signed head. Raises AuditLockedError."""
        try:
            return SignedNote.parsed(self.head.read_text("utf-8"))
        except (OSError, ValueError, RefusedProofError) as error:
            raise self.locked(f"its signed head is missing or damaged ({error})") from error

    def read_heads(self) -> tuple[list[SignedNote], int]:
        """The kept heads, and the bytes of the file that hold them.

        A last line without a newline is left out: a power cut can tear it. Raises AuditLockedError.
        """
        try:
            data = self.heads.read_bytes() if self.heads.exists() else b""
            *lines, _ = data.split(b"\n")
            notes = [_kept_head(line) for line in lines]
        except (OSError, ValueError, TypeError, AttributeError, RefusedProofError) as error:
            raise self.locked(f"a kept head is damaged ({error})") from error
        return notes, data.rfind(b"\n") + 1

    def locked(self, reason: str) -> AuditLockedError:
        """The error of a log that contradicts itself."""
        return AuditLockedError(
            f"The audit log {self.path} is locked: {reason}. Nothing was changed. Put back an"
            " intact copy of the folder, or move the folder away, keep it as evidence, and begin a"
            " new log with `wallwright audit begin`."
        )

    def unusable(self, error: OSError) -> AuditError:
        """The error of a file operation."""
        return AuditError(
            f"The audit log {self.path} cannot be used ({error.strerror}); free space on its disk,"
            " or correct the folder's owner."
        )


@contextmanager
def refusing_damage(file: Path) -> Iterator[None]:
    """Raise AuditError with the file's name if the file, another party's reply, is damaged."""
    try:
        yield
    except (OSError, ValueError, RefusedProofError) as error:
        raise AuditError(
            f"{file} is damaged ({error}). Put back an intact copy, or move it away; bundles then "
            "lack its proofs."
        ) from error


def kept_line(note: SignedNote) -> bytes:
    """The line of a kept head."""
    return json.dumps(str(note), ensure_ascii=True).encode() + b"\n"


def _kept_head(line: bytes) -> SignedNote:
    note = SignedNote.parsed(json.loads(line))
    if kept_line(note) != line + b"\n":
        raise RefusedProofError("a line does not have the format of a head")
    return note


class FolderLock:
    """Excludes every other writer of a log until `release`. Raises AuditError."""

    def __init__(self, folder: LogFolder) -> None:
        try:
            self._file = os.open(folder.path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise folder.unusable(error) from error
        try:
            file_locks.lock(self._file)
        except OSError as error:
            os.close(self._file)
            raise AuditError(
                f"Another process writes the audit log {folder.path}; stop the service first."
            ) from error

    def release(self) -> None:
        """Let others write."""
        os.close(self._file)
