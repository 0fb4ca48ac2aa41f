"""The lock of a service's data folder: one service uses it, or one restore, at a time.

The lock is on the folder itself, so it needs no file. The operating system releases it when the
process ends, however it ends.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from config import file_locks
from rules.errors import WallwrightError


class DataFolderInUseError(WallwrightError):
    """Another process uses the data folder."""


@contextmanager
def locked_data_folder(folder: Path) -> Iterator[None]:
    """Hold the lock of a data folder. Raises DataFolderInUseError, and OSError without a folder."""
    held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            file_locks.lock(held)
        except OSError as error:
            # A file system without locks: the locks of the journal and the log remain.
            if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
                raise DataFolderInUseError(
                    f"Another service or a restore uses the folder {folder}; stop it first, or name"
                    " another folder with --data."
                ) from error
        yield
    finally:
        os.close(held)
