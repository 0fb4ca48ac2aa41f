"""The records and the files of a table: journal, audit log, configuration, certificates, secrets.

The configuration's facts include what its boards answer; those of secret files are who may read
them.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from config.errors import ConfigError
from config.loader import check_file
from controller.records.audit.errors import AuditError, AuditLockedError, RefusedProofError
from controller.run.journal import JournalInUseError, JournalLockedError, Unfinished
from controller.run.journal.copies import Copies, paths_of
from controller.run.journal.history import unfinished_of
from controller.run.journal.lines import record_of
from controller.upkeep.doctor.fact_files import FactFiles

FOLDER = "/etc/wallwright"
"""The folder of the table's own files of an installed program."""


@dataclass(frozen=True)
class CheckedFile:
    """A file of a table or a game, its defects, and the certificates that it names."""

    file: str
    defects: tuple[str, ...] = ()
    certificates: tuple[Path, ...] = ()


Check = Callable[[Path], tuple[Path, ...]]
"""Checks a file and returns the certificates that it names. Raises ConfigError."""


def check_table_or_game(file: Path) -> tuple[Path, ...]:
    """Check the file of a table or a game, which names no certificate. Raises ConfigError."""
    check_file(file)
    return ()


@dataclass(frozen=True)
class CheckedTable:
    """A table with the chips of its boards, and the warnings about its pins."""

    name: str
    chips: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class CertificateFacts:
    """A certificate for TLS: its time in seconds since 1970, or why it cannot be read."""

    file: str
    begins: float = 0.0
    ends: float = 0.0
    defect: str = ""


@dataclass(frozen=True)
class MeasuredSupply:
    """The supply of a board as the board measures it, and the level of LOW_SUPPLY, in volts."""

    measured: float
    low: float
    uncalibrated: bool
    """Whether the measurement can be calibrated, and was not."""


@dataclass(frozen=True)
class BoardAnswer:
    """The answer of one board on a port."""

    serial: str
    address: int
    build: str
    key: str
    supply: MeasuredSupply | None = None
    """None if the board does not report it, or if its key is not known here."""


@dataclass(frozen=True)
class ProbedPort:
    """The boards that answered on a port, or why it was not asked."""

    port: str
    boards: tuple[BoardAnswer, ...] = ()
    refusal: str = ""
    is_missing: bool = False
    """Whether there is no device of this name."""


def read_configuration(
    files: FactFiles, given: Iterable[Path], check: Check = check_table_or_game
) -> tuple[CheckedFile, ...]:
    """The given files, and those in the folder of the installation, as `wallwright check` does."""
    folder = files.path(FOLDER)
    own = [folder / name for name in files.names(FOLDER) if name.endswith(".yaml")]
    return tuple(_checked(file, check) for file in (*given, *own))


def _checked(file: Path, check: Check) -> CheckedFile:
    try:
        certificates = check(file)
    except ConfigError as error:
        return CheckedFile(str(file), tuple(str(error).splitlines()))
    except OSError as error:
        return CheckedFile(str(file), (f"{file} cannot be read ({error.strerror}).",))
    return CheckedFile(str(file), certificates=certificates)


def read_certificate(file: Path) -> CertificateFacts:
    """The time of a certificate."""
    from cryptography import x509  # noqa: PLC0415 - only if a certificate is given

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about certificates of other programs
            found = x509.load_pem_x509_certificate(file.read_bytes())
        begins, ends = found.not_valid_before_utc, found.not_valid_after_utc
    except OSError as error:
        return CertificateFacts(str(file), defect=f"it cannot be read ({error.strerror})")
    except (ValueError, x509.UnsupportedGeneralNameType):
        return CertificateFacts(str(file), defect="it is not a certificate in a PEM file")
    return CertificateFacts(str(file), begins.timestamp(), ends.timestamp())


JOURNAL, AUDIT = "table.journal", "audit"
"""The journal and the folder of the audit log in a data folder."""
SECRETS = (
    "accounts.sqlite",
    "audit/key",
    "table.journal.chance-key",
    "touchscreen.token",
)
"""Files of a data folder that only their owner may read."""


@dataclass(frozen=True)
class JournalFacts:
    """The state of a journal: intact, repaired, locked, in use, missing or not opened."""

    copies: tuple[str, ...]
    devices: int
    state: str = "intact"
    records: int | None = None
    messages: tuple[str, ...] = ()
    unfinished: Unfinished | None = None


@dataclass(frozen=True)
class AuditFacts:
    """The state of an audit log: its size, its key, or why it is locked or cannot be read."""

    folder: str
    size: int = 0
    key: str = ""
    last_event: str = ""
    locked: str = ""
    unreadable: str = ""


@dataclass(frozen=True)
class SecretFile:
    """A file with a secret: its mode."""

    name: str
    mode: int


def read_journal(journal: Path, copy: Path | None) -> JournalFacts:
    """The state of a journal; damaged copies are repaired, unless a run has it open.

    Raises JournalError for a file that is not a journal.
    """
    paths = paths_of(journal, copy)
    names = tuple(str(path) for path in paths)
    devices = len({path.parent.stat().st_dev for path in paths})
    if not any(path.exists() for path in paths):
        return JournalFacts(names, devices, "missing")
    if not all(os.access(path.parent, os.W_OK) for path in paths) or _belongs_to_other(paths):
        return JournalFacts(names, devices, "not opened")
    try:
        with Copies(paths) as copies:
            records = [record_of(line) for line in copies.lines()]
    except JournalLockedError as error:
        return JournalFacts(names, devices, "locked", messages=(str(error),))
    except JournalInUseError:
        return JournalFacts(names, devices, "in use")
    state = "repaired" if copies.repairs else "intact"
    run = unfinished_of(records)
    return JournalFacts(names, devices, state, len(records), tuple(copies.repairs), run)


def _belongs_to_other(paths: Sequence[Path]) -> bool:
    """Whether another user owns a copy: a copy that root repairs could not be written by them."""
    return any(path.exists() and path.stat().st_uid != os.geteuid() for path in paths)


def journal_json(journal: JournalFacts) -> dict[str, Any]:
    """The state of a journal as JSON values, with the last unconfirmed step of a run."""
    run = journal.unfinished
    values: dict[str, Any] = {
        "copies": list(journal.copies),
        "devices": journal.devices,
        "state": journal.state,
        "records": journal.records,
        "messages": list(journal.messages),
        "unfinished": None,
    }
    if run is not None:
        # A cycle of random choices is unconfirmed until its round is over; no person has to check
        # it.
        steps = [entry for entry in run.entries if entry.activity != "chance"]
        last = [entry for entry in steps if not entry.confirmed][-1:]
        values["unfinished"] = {
            "started": run.started,
            "facts": run.facts,
            "steps": len(run.entries),
            "unconfirmed": [{"activity": each.activity, "intent": each.intent} for each in last],
        }
    return values


def read_audit(folder: Path) -> AuditFacts | None:
    """The state of an audit log, all of which is checked; None if there is none."""
    from controller.records.audit.log.log_folder import LogFolder  # noqa: PLC0415 - it needs cryptography
    from controller.records.audit.log.log_reader import checked_log  # noqa: PLC0415

    log = LogFolder(folder)
    try:
        if not log.exists:
            return None
        reader = checked_log(log)
        last = next(reader.events(reader.size - 1))
        return AuditFacts(str(folder), reader.size, str(reader.keys.latest), last.time)
    except AuditLockedError as error:
        return AuditFacts(str(folder), locked=str(error))
    except (AuditError, RefusedProofError, OSError) as error:
        return AuditFacts(str(folder), unreadable=str(error))


def read_secrets(files: Sequence[Path]) -> tuple[SecretFile, ...]:
    """The modes of the files that exist."""
    found = []
    for file in files:
        try:
            found.append(SecretFile(str(file), file.stat().st_mode & 0o777))
        except OSError:
            continue
    return tuple(found)


def latest_change(data: Path | None, journal: Path | None) -> tuple[float, str] | None:
    """The time of the latest change of a journal or an audit log, and its file."""
    files = [] if data is None else [data / JOURNAL, data / AUDIT / "events.jsonl"]
    files += [journal] if journal is not None else []
    found = []
    for file in files:
        try:
            found.append((file.stat().st_mtime, str(file)))
        except OSError:
            continue
    return max(found, default=None)
