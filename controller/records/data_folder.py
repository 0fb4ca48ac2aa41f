"""The data folder of a service: its lock, and the versions of the formats of its files.

One service uses the folder, or one restore, at a time. The lock is on the folder itself, so it
needs no file. The operating system releases it when the process ends, however it ends.

The module imports nothing heavy, so that each writer of a file can name its version from here.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from config import file_locks
from controller.run.journal.lines import JOURNAL_FORMAT
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


LOG_FORMAT = "wallwright-audit-log/1"
"""Format of the audit log, named in its first event."""
ACCOUNTS_FORMAT = 3
"""Version of the tables in `accounts.sqlite`, kept in the file's `user_version`."""
SESSIONS_FORMAT = 1
"""Version of the tables in `evening.db`, kept in the file's `user_version`."""
AUDIT_FOLDER = "audit"
"""The folder of the audit log in the data folder."""
ANCHOR = "audit anchor"
"""Name of the fact in `evening.db` that has the size and the root of the audit log."""
ENDED = "audit logs ended"
"""Name of the fact in `evening.db` that has the origins of earlier audit logs, which a restore or a
person replaced."""


def data_formats() -> Mapping[str, int]:
    """The versions of the formats of files in a data folder, by name."""
    return {
        "accounts": ACCOUNTS_FORMAT,
        "audit_log": number_of(LOG_FORMAT),
        "journal": JOURNAL_FORMAT,
        "sessions": SESSIONS_FORMAT,
    }


def number_of(name: str) -> int:
    """The version at the end of a format's name, such as 1 of `wallwright-backup/1`."""
    return int(name.replace("/", " ").rsplit(" ", 1)[1])
