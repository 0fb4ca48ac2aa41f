"""Keeps updates and sessions apart: one lock on one file, held by the one or the other.

The operating system releases the lock when the process ends, however it ends.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from config import file_locks
from controller.upkeep.update.update_error import UpdateError

FILE = "session.lock"


class SessionLock:
    """The lock in the folder of the updates. It needs no right to write the file."""

    def __init__(self, root: Path) -> None:
        self._file = root / FILE
        self._descriptor: int | None = None

    def hold(self) -> bool:
        """Take the lock, or keep it; False if another process has it."""
        if self._descriptor is not None:
            return True
        descriptor = os.open(self._file, os.O_RDONLY | os.O_CLOEXEC)
        try:
            file_locks.lock(descriptor)
        except OSError:
            os.close(descriptor)
            return False
        self._descriptor = descriptor
        return True

    def release(self) -> None:
        """Release the lock, if it is held."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def lock_of(program: Path) -> SessionLock | None:
    """The lock of the slots in which a program is; None if it is in no slot.

    Raises UpdateError for a lock that this user cannot hold: the first session would fail.
    """
    root = program.parent
    file = root / FILE
    if not file.exists():
        return None
    if not os.access(file, os.R_OK):
        raise UpdateError(
            f"{file} cannot be read by the user of the service. Give it the service's group: sudo"
            f" chgrp GROUP {file}; sudo chmod 640 {file}."
        )
    return SessionLock(root)


@contextmanager
def without_session(root: Path) -> Iterator[None]:
    """Hold the lock for an update. Raises UpdateError while a session is in progress."""
    lock = SessionLock(root)
    try:
        held = lock.hold()
    except OSError as error:
        raise UpdateError(
            f"{root / FILE} cannot be opened ({error.strerror}). Prepare the folder: wallwright"
            " update prepare."
        ) from error
    if not held:
        raise UpdateError(
            "A session is in progress at the table, or another update; no update is installed now."
            " End the session first."
        )
    try:
        yield
    finally:
        lock.release()
