"""The file operations below the journal: append and sync, take back, replace by rename, lock."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from controller.journal.lines import JournalError, JournalInUseError


@dataclass(frozen=True)
class Append:
    """Appends text to one copy's open file and syncs it.

    Raises OSError with the file's name; then a part of the text may be in the file.
    """

    path: Path
    file: int
    text: bytes

    def __call__(self) -> None:
        write_and_sync(self.path, self.file, self.text)


@dataclass(frozen=True)
class TakeBack:
    """Cuts one copy's open file to a length and syncs it, after an append that failed."""

    path: Path
    file: int
    size: int

    def __call__(self) -> None:
        try:
            os.ftruncate(self.file, self.size)
            os.fdatasync(self.file)
        except OSError as error:
            error.filename = str(self.path)
            raise


def write_and_sync(path: Path, file: int, text: bytes) -> None:
    """Write all of the text and wait for the disk. Raises OSError with the file's name."""
    rest = memoryview(text)
    try:
        while rest:
            rest = rest[os.write(file, rest) :]
        os.fdatasync(file)
    except OSError as error:
        error.filename = str(path)
        raise


def replace_file(path: Path, lines: Iterable[bytes]) -> None:
    """Give a file these lines. A power cut leaves the old file or the new one. Raises OSError.

    The new file is synced before it is renamed into its place, and the directory after that:
    without the second sync a power cut can undo the rename although later writes were synced.
    """
    path = path.resolve()  # a symbolic link stays one
    beside = path.with_name(f"{path.name}.new")
    file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
    try:
        write_and_sync(beside, file, b"".join(line + b"\n" for line in lines))
    finally:
        os.close(file)
    beside.replace(path)
    directory = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


class Locks:
    """The locks of all copies, held against every other run until `release`.

    Each copy has its own lock file, so two journals that share the directory of their third copy
    cannot be open at the same time. Raises JournalInUse, or JournalError for a place where no lock
    file can be made.
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
        """Remove the lock files and let them go. Idempotent."""
        while self._held:
            beside, lock = self._held.pop()
            # Removed while it is still locked: a run that waits to open it sees that it is gone.
            beside.unlink(missing_ok=True)
            os.close(lock)


def _locked(path: Path) -> tuple[Path, int]:
    """One copy's lock file, open and locked."""
    path = path.resolve()  # two names of one file have one lock
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
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(lock)
            raise JournalInUseError(
                f"Another run has the journal {path} open; wait for its end, or name another file"
                " with --journal."
            ) from error
        if _is_still(beside, lock):
            return beside, lock
        os.close(lock)  # the run before removed this file after it was opened here


def _is_still(path: Path, file: int) -> bool:
    """Whether a path still names this open file."""
    try:
        return os.path.samestat(path.stat(), os.fstat(file))
    except FileNotFoundError:
        return False
