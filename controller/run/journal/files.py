"""File operations of the journal: append and sync, truncate, replace by rename, lock."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from config import durable_files, file_locks
from config.durable_files import replace_file, write_all
from controller.run.journal.lines import JournalError, JournalInUseError


@dataclass(frozen=True)
class Append:
    """Appends text to the open file of one copy and syncs it.

    Raises OSError with the file's name; a part of the text may then be in the file.
    """

    path: Path
    file: int
    text: bytes

    def __call__(self) -> None:
        write_and_sync(self.path, self.file, self.text)

    def unsynced(self) -> None:
        """Append the text without a sync: for a simulated disk, which loses what it has to lose."""
        write_all(self.file, self.text)


@dataclass(frozen=True)
class Truncate:
    """Cuts the open file of one copy to a length and syncs it, after a failed append.

    Raises OSError with the file's name.
    """

    path: Path
    file: int
    size: int

    def __call__(self) -> None:
        try:
            durable_files.truncate(self.file, self.size)
        except OSError as error:
            error.filename = str(self.path)
            raise


def write_and_sync(path: Path, file: int, text: bytes) -> None:
    """Write the whole text and sync the file. Raises OSError with the file's name."""
    try:
        durable_files.append(file, text)
    except OSError as error:
        error.filename = str(path)
        raise


def replace_lines(path: Path, lines: Iterable[bytes]) -> None:
    """Replace a file's contents. A power cut leaves the old file or the new one. Raises OSError."""
    # Without this, the rename would replace a symbolic link instead of its target.
    path = path.resolve()
    try:
        replace_file(path, b"".join(line + b"\n" for line in lines))
    except OSError as error:
        error.filename = str(path)
        raise


class Locks:
    """Locks on all copies of a journal, which exclude every other run until `release`.

    Each copy has its own lock file, so two journals whose third copies are the same file cannot be
    open at the same time. Raises JournalInUseError if another run holds a lock, and JournalError if
    a lock file cannot be created.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self._held: list[tuple[Path, int]] = []
        try:
            for path in paths:
                self._held.append(_locked(path))
        except JournalError:
            self.release()
            raise

    def release(self) -> None:
        """Remove the lock files and release the locks. Idempotent."""
        while self._held:
            beside, lock = self._held.pop()
            # Removed while it is locked: a run that opened this file earlier and locks it later
            # notices the removal (`is_still_at`) and creates a new lock file.
            beside.unlink(missing_ok=True)
            os.close(lock)


def _locked(path: Path) -> tuple[Path, int]:
    """The lock file of one copy, open and locked."""
    path = path.resolve()  # Two links to one file then have one lock.
    beside = path.with_name(f"{path.name}.lock")
    while True:
        try:
            lock = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise JournalError(
                f"The journal {path} cannot be used ({error.strerror}); name a writable file with"
                " --journal."
            ) from error
        try:
            file_locks.lock(lock)
        except OSError as error:
            os.close(lock)
            raise JournalInUseError(
                f"Another run has the journal {path} open; wait for its end, or name another file"
                " with --journal."
            ) from error
        if file_locks.is_still_at(beside, lock):
            return beside, lock
        # The previous run removed this lock file after it was opened here; a new one is created.
        os.close(lock)
