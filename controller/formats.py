"""The versions of the formats of the files in a data folder."""

from __future__ import annotations

from collections.abc import Mapping


def data_formats() -> Mapping[str, int]:
    """The versions of the formats of files in a data folder, by name."""
    from controller.api.accounts.store import VERSION as ACCOUNTS  # noqa: PLC0415 - only when asked
    from controller.audit.log.key_chain import LOG_FORMAT  # noqa: PLC0415
    from controller.journal.lines import JOURNAL_FORMAT  # noqa: PLC0415
    from controller.service.evening.evening_store import SCHEMA_VERSION  # noqa: PLC0415

    return {
        "accounts": ACCOUNTS,
        "audit_log": number_of(LOG_FORMAT),
        "journal": JOURNAL_FORMAT,
        "sessions": SCHEMA_VERSION,
    }


def number_of(name: str) -> int:
    """The version at the end of a format's name, such as 1 of `wallwright-backup/1`."""
    return int(name.replace("/", " ").rsplit(" ", 1)[1])
