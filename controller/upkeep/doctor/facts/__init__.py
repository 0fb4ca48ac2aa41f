"""Facts of a computer and of the table's records: frozen values, read in one place.

`read_facts` reads them from a root folder. A fact that cannot be read is None; no fact raises an
error. Checks (`controller.upkeep.doctor.checks`) are functions of these values only.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from controller.upkeep.doctor.fact_files import FactFiles
from controller.upkeep.doctor.facts.computer import (
    ClockFacts,
    LoadFacts,
    PowerFacts,
    UnitFacts,
    read_clock,
    read_load,
    read_power,
    read_unit,
)
from controller.upkeep.doctor.facts.disks import FolderFacts, read_folders
from controller.upkeep.doctor.facts.ports import (
    LineFacts,
    PinFacts,
    UserFacts,
    read_lines,
    read_pins,
    read_user,
)
from controller.upkeep.doctor.facts.program import ProgramFacts, read_program
from controller.upkeep.doctor.facts.records import (
    AUDIT,
    JOURNAL,
    SECRETS,
    AuditFacts,
    CertificateFacts,
    Check,
    CheckedFile,
    CheckedTable,
    JournalFacts,
    ProbedPort,
    SecretFile,
    check_table_or_game,
    latest_change,
    read_audit,
    read_certificate,
    read_configuration,
    read_journal,
    read_secrets,
)

UNIT = "wallwright.service"


@dataclass(frozen=True)
class Subjects:
    """The subjects to examine besides the computer. `data` is the data folder of a service."""

    data: Path | None = None
    journal: Path | None = None
    journal_copy: Path | None = None
    files: tuple[Path, ...] = ()
    """Files of tables and games."""
    check: Check = check_table_or_game
    """Checks each of these files, and those in the folder of the installation."""
    table: CheckedTable | None = None
    probed: tuple[ProbedPort, ...] = ()
    certificates: tuple[Path, ...] = ()
    """More certificates than those that a file names."""
    secrets: tuple[Path, ...] = ()
    """More files that only their owner may read, such as keys of boards."""
    unit: str = UNIT


@dataclass(frozen=True)
class Facts:
    """All facts. Facts that were not requested are None or empty."""

    program: ProgramFacts
    user: UserFacts
    lines: LineFacts
    pins: PinFacts
    clock: ClockFacts
    folders: tuple[FolderFacts, ...]
    power: PowerFacts
    load: LoadFacts
    unit: UnitFacts
    journal: JournalFacts | None = None
    audit: AuditFacts | None = None
    secrets: tuple[SecretFile, ...] = ()
    files: tuple[CheckedFile, ...] = ()
    table: CheckedTable | None = None
    probed: tuple[ProbedPort, ...] = ()
    certificates: tuple[CertificateFacts, ...] = ()


def read_facts(subjects: Subjects, files: FactFiles) -> Facts:
    """Read everything once. Raises JournalError for a file that is not a journal."""
    data = subjects.data
    journal = subjects.journal or (data / JOURNAL if data is not None else None)
    # Before anything is opened: a repair writes the journal.
    latest = latest_change(data, journal)
    folders = [folder for folder in (data, subjects.journal_copy) if folder is not None]
    if subjects.journal is not None:
        folders.insert(0, subjects.journal.parent)
    checked = read_configuration(files, subjects.files, subjects.check)
    named = (certificate for file in checked for certificate in file.certificates)
    secrets = (*(data / name for name in SECRETS), data) if data is not None else ()
    return Facts(
        program=read_program(files),
        user=read_user(files),
        lines=read_lines(files),
        pins=read_pins(files),
        clock=read_clock(files, latest),
        folders=read_folders(files, folders or [Path()]),
        power=read_power(files),
        load=read_load(files, subjects.unit),
        unit=read_unit(files, subjects.unit),
        journal=_journal(journal, subjects),
        audit=read_audit(data / AUDIT) if data is not None else None,
        secrets=read_secrets((*secrets, *subjects.secrets)),
        files=checked,
        table=subjects.table,
        probed=subjects.probed,
        certificates=tuple(
            read_certificate(file) for file in dict.fromkeys((*subjects.certificates, *named))
        ),
    )


def _journal(journal: Path | None, subjects: Subjects) -> JournalFacts | None:
    if journal is None or not journal.parent.is_dir():
        return None
    return read_journal(journal, subjects.journal_copy)
