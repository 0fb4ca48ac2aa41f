"""The versions of the formats of the files in a data folder, and names that several writers share.

The module imports nothing heavy, so that each writer of a file can name its version from here.
"""

from __future__ import annotations

from collections.abc import Mapping

from controller.run.journal.lines import JOURNAL_FORMAT

LOG_FORMAT = "wallwright-audit-log/1"
"""Format of the audit log, named in its first event."""
ACCOUNTS_FORMAT = 3
"""Version of the tables in `accounts.sqlite`, kept in the file's `user_version`."""
SESSIONS_FORMAT = 1
"""Version of the tables in `evening.db`, kept in the file's `user_version`."""
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
