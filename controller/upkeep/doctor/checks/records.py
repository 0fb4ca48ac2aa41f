"""Checks of the records and the files of a table."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from controller.upkeep.doctor.facts import Facts
from controller.upkeep.doctor.facts.records import CertificateFacts
from controller.upkeep.doctor.finding import DoctorCheck, Observed, note, ok, problem, seen

GROUP = "Records and files"
SOON = 30 * 86_400.0
"""Seconds before the end of a certificate from which it should be renewed."""


def _journal(facts: Facts) -> Iterator[Observed]:
    journal = facts.journal
    if journal is None:
        return
    name = journal.copies[0]
    match journal.state:
        case "missing":
            yield ok(f"There is no journal {name} yet.")
        case "in use":
            yield ok(f"The journal {name} is in use: a run has it open, and checks it.")
        case "not opened":
            yield seen("not_opened", f"The journal {name} was not opened: another user owns it.")
        case "locked" | "repaired" as state:
            for message in journal.messages:
                yield seen(state, message)
        case _:
            yield ok(f"The journal {name} is intact, {journal.records} records.")


def _unfinished(facts: Facts) -> Iterator[Observed]:
    if facts.journal is None or facts.journal.records is None:
        return
    run = facts.journal.unfinished
    if run is None:
        yield ok("The journal has no unfinished run.")
    else:
        values = ", ".join(f"{key} {value}" for key, value in run.facts.items())
        yield seen("run", f"A run is unfinished: started {run.started} ({values}).")


def _audit(facts: Facts) -> Iterator[Observed]:
    audit = facts.audit
    if audit is None:
        return
    if audit.locked:
        yield seen("locked", audit.locked)
    elif audit.unreadable:
        yield seen("unreadable", audit.unreadable)
    else:
        yield ok(
            f"The audit log is intact: {audit.size} events, the last of {audit.last_event}; key"
            f" {audit.key}."
        )


def _secrets(facts: Facts) -> Iterator[Observed]:
    for file in facts.secrets:
        if file.mode & 0o077:
            what = f"{file.name} can be used by other users (mode {file.mode:04o})."
            yield seen("open", what, file=file.name)
        else:
            yield ok(f"{file.name} can be used by its owner only.")


def _files(facts: Facts) -> Iterator[Observed]:
    for file in facts.files:
        for defect in file.defects:
            yield seen("defect", defect, file=file.file)
        if not file.defects:
            yield ok(f"{file.file} has no defect.")


def _table(facts: Facts) -> Iterator[Observed]:
    table = facts.table
    if table is None:
        return
    for warning in table.warnings:
        yield seen("warning", warning)
    chips = ", ".join(f"{name} {chip}" for name, chip in table.chips.items())
    yield ok(f"The table {table.name}: {chips}.")


def _certificates(facts: Facts) -> Iterator[Observed]:
    for found in facts.certificates:
        yield _certificate(found, facts.clock.now)


def _certificate(found: CertificateFacts, now: float) -> Observed:
    subject = f"The certificate {found.file}"
    if found.defect:
        return seen("defect", f"{subject}: {found.defect}.")
    if now > found.ends:
        return seen("expired", f"{subject} has expired: {_day(found.ends)}.")
    if now < found.begins:
        return seen("early", f"{subject} is valid from {_day(found.begins)} on.")
    if now > found.ends - SOON:
        return seen("soon", f"{subject} expires on {_day(found.ends)}.")
    return ok(f"{subject} is valid until {_day(found.ends)}.")


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")


CHECKS = (
    DoctorCheck(
        "journal",
        GROUP,
        "All copies of the journal agree.",
        _journal,
        {
            "repaired": problem(
                "a copy was damaged", "It is repaired; if this is repeated, replace the disk."
            ),
            "locked": problem("no intact copy is left", "Do what the reported sentence says."),
            "not_opened": problem(
                "the journal cannot be opened", "Run the command as the user of the service."
            ),
        },
    ),
    DoctorCheck(
        "unfinished_run",
        GROUP,
        "A run that was interrupted is resumed by the next start.",
        _unfinished,
        {"run": note("a run is unfinished", "Start the table with the same command; it resumes.")},
    ),
    DoctorCheck(
        "audit_log",
        GROUP,
        "Every event agrees with the signed head.",
        _audit,
        {
            "locked": problem("the log is inconsistent", "Do what the reported sentence says."),
            "unreadable": problem(
                "the log cannot be read", "Run the command as the user of the service."
            ),
        },
    ),
    DoctorCheck(
        "secret_files",
        GROUP,
        "Keys, tokens, accounts and the data folder belong to their owner only.",
        _secrets,
        {"open": problem("other users can read or change a file", "Type: chmod go= {file}.")},
    ),
    DoctorCheck(
        "table_files",
        GROUP,
        "Files of tables, games and a floor's table have no defect.",
        _files,
        {
            "defect": problem(
                "a file has a defect", "Correct it, then look again: wallwright check {file}."
            )
        },
    ),
    DoctorCheck(
        "table_pins",
        GROUP,
        "The pins of the table's boards have no state at boot that a person should know of.",
        _table,
        {"warning": note("a pin has one", "Follow the sentence, or choose another pin.")},
    ),
    DoctorCheck(
        "certificate",
        GROUP,
        "The certificates for TLS, also the one for a floor, are valid for 30 days or more.",
        _certificates,
        {
            "expired": problem("it has expired", "Renew it, then start the service again."),
            "early": problem(
                "it is not valid yet", "Look at the computer's clock, or at the certificate."
            ),
            "soon": note("it expires within 30 days", "Renew it, then start the service again."),
            "defect": problem("it cannot be used", "Name a certificate as a PEM file."),
        },
    ),
)
