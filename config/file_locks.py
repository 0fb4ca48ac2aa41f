"""Locks on open files and folders, which exclude other processes. No other module calls `flock`.

The operating system releases a lock when the file is closed, also at the end of a process that was
killed. A lock on a file excludes other openings of the same file, also in the same process.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from pathlib import Path


def lock(file: int) -> None:
    """Lock an open file or folder until it is closed, without waiting.

    Raises BlockingIOError if another opening of the file has the lock, and OSError for a file
    system that has no locks.
    """
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_still_at(path: Path, file: int) -> bool:
    """Whether a path still names this open file.

    Between the opening and the locking of a file, the process that had the lock can have removed
    it; a lock on a removed file excludes no other process.
    """
    try:
        return os.path.samestat(path.stat(), os.fstat(file))
    except FileNotFoundError:
        return False


def waiting_command(command: list[str], path: Path, seconds: int) -> list[str]:
    """The command that first waits for the lock of a file, and holds it until it ends.

    The file is created if it is missing. The command fails with exit code 1 if the lock is not
    free within `seconds`. A computer without the program `flock` runs the command without a lock.
    """
    if program := shutil.which("flock"):
        return [program, "--wait", str(seconds), str(path), *command]
    return command
