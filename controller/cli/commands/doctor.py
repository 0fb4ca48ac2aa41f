"""`wallwright doctor`: checks the computer, the program and the records of a table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from config.board_profiles import chip_of
from config.validation.checks import table_warnings
from controller.cli.errors import BadInputError, no_journal
from controller.cli.options import completion
from controller.cli.options.any_file import named_certificates
from controller.cli.options.lookup import table_named
from controller.cli.options.shared import JournalCopy
from controller.cli.terminal.screen import screen
from controller.run.journal.copies import paths_of
from controller.upkeep.doctor.fact_files import FactFiles
from controller.upkeep.doctor.facts import UNIT, Subjects, read_facts
from controller.upkeep.doctor.facts.ports import read_lines
from controller.upkeep.doctor.facts.records import (
    JOURNAL,
    BoardAnswer,
    CheckedTable,
    MeasuredSupply,
    ProbedPort,
)
from controller.upkeep.doctor.finding import FindingSeverity
from controller.upkeep.doctor.report import as_json as report_as_json
from controller.upkeep.doctor.report import as_lines, findings_of

if TYPE_CHECKING:
    from controller.cli.commands.scan import Scanned
    from firmware_bridge.commissioning.device_keys import DeviceKeys
    from firmware_bridge.commissioning.probe import ProbeAnswer

WIDEST = 80
"""Columns of the report: longer lines are hard to read."""


def doctor(
    data: Annotated[
        Path | None,
        typer.Option(
            help="Check this data folder of a service: its disk, journal, audit log and secret"
            " files.",
            show_default=False,
        ),
    ] = None,
    journal: Annotated[
        Path | None,
        typer.Option(
            help="Check this journal, and repair damaged copies from intact ones.",
            show_default=False,
        ),
    ] = None,
    journal_copy: JournalCopy = None,
    table: Annotated[
        str | None,
        typer.Option(
            help="List the boards of this table, and warn about their pins and current limits.",
            show_default=False,
            autocompletion=completion.tables,
        ),
    ] = None,
    check: Annotated[
        list[Path] | None,
        typer.Option(
            help="Check this file of a table, a game or a floor's table too; those in"
            " /etc/wallwright are always checked.",
            show_default=False,
        ),
    ] = None,
    port: Annotated[
        list[str] | None,
        typer.Option(
            help="Ask the boards on this port for their firmware and key; a port that is in use is"
            " left alone.",
            show_default=False,
        ),
    ] = None,
    keys: Annotated[
        Path | None,
        typer.Option(
            help="The file with the keys of the boards.",
            show_default="~/.config/wallwright/keys",
        ),
    ] = None,
    cert: Annotated[
        list[Path] | None,
        typer.Option(
            help="Check the time of this certificate, a PEM file; the one that a floor's file names"
            " is always checked.",
            show_default=False,
        ),
    ] = None,
    unit: Annotated[str, typer.Option(help="The service's unit of systemd.")] = UNIT,
    shows_all: Annotated[
        bool, typer.Option("--all", help="Print also what is in order or not known here.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> int:
    """Check the computer, the program and a table's records; exit code 1 for a problem."""
    if journal_copy is not None and journal is None and data is None:
        raise BadInputError(f"`--journal-copy {journal_copy}` needs a journal; add --journal FILE.")
    if journal is not None and data is not None:
        raise BadInputError("The journal of `--data` is in its folder; leave out --journal.")
    if data is not None and data.exists() and not data.is_dir():
        raise BadInputError(f"`--data {data}` is not a folder; name the data folder of a service.")
    if journal is not None and not any(path.exists() for path in paths_of(journal, journal_copy)):
        raise BadInputError(no_journal(journal))
    files = FactFiles()
    from firmware_bridge.commissioning.device_keys import default_file  # it loads the serial port

    kept = (keys or default_file(),)
    subjects = Subjects(
        data=data,
        journal=journal,
        journal_copy=journal_copy,
        files=tuple(check or ()),
        check=named_certificates,
        table=None if table is None else _table(table),
        probed=_probed(files, port or (), journal or (data / JOURNAL if data else None), keys),
        certificates=tuple(cert or ()),
        secrets=kept,
        unit=unit if "." in unit else f"{unit}.service",
    )
    facts = read_facts(subjects, files)
    findings = findings_of(facts)
    if as_json:
        print(json.dumps(report_as_json(facts, findings), indent=2))
    else:
        for line in as_lines(findings, min(screen().width, WIDEST), full=shows_all):
            print(line)
    return 1 if any(found.severity is FindingSeverity.PROBLEM for found in findings) else 0


def _table(given: str) -> CheckedTable:
    """A table's boards with their chips, and the warnings about their pins."""
    machine = table_named(given)
    warnings = tuple(str(each) for each in table_warnings(machine))
    chips = {name: chip_of(board) for name, board in machine.boards.items()}
    return CheckedTable(machine.name, chips, warnings)


def _probed(
    files: FactFiles, ports: Sequence[str], journal: Path | None, keys: Path | None
) -> tuple[ProbedPort, ...]:
    """The answers of the boards on these ports. A port that another program uses is skipped."""
    if not ports:
        return ()
    from controller.cli.commands.scan import scanned_port
    from controller.cli.options.boards import keys_of
    from controller.run.journal import JournalInUseError
    from controller.run.journal.copies import Locks

    known = keys_of(keys)
    if journal is not None and journal.exists():
        try:
            Locks(paths_of(journal)).release()
        except JournalInUseError:
            why = "a table runs with this journal, and the port can be its own"
            return tuple(ProbedPort(port, refusal=why) for port in ports)
    held = {port.name: port.holders for port in read_lines(files).ports}
    return tuple(
        ProbedPort(port, is_missing=True)
        if not files.path(port).exists()
        else ProbedPort(port, refusal=f"it is open in another program: {held[port][0].command}")
        if held.get(port)
        else _answers(scanned_port(port), known)
        for port in ports
    )


def _answers(scanned: Scanned, known: DeviceKeys) -> ProbedPort:
    from controller.cli.commands.scan import facts

    if scanned.refusal is not None:
        return ProbedPort(scanned.port, refusal=scanned.refusal)
    boards = facts(scanned, known)["boards"]
    assert isinstance(boards, list)
    return ProbedPort(
        scanned.port,
        tuple(
            BoardAnswer(
                each["serial"],
                each["address"],
                each["state_of_build"] or "",
                each["key"] or "",
                _supply_of(scanned.port, answer, known),
            )
            for each, answer in zip(boards, scanned.answers, strict=True)
        ),
    )


def _supply_of(port: str, answer: ProbeAnswer, known: DeviceKeys) -> MeasuredSupply | None:
    from controller.cli.runs.supply_calibration import reported_by
    from firmware_bridge.commissioning.flashing import FlashingError

    try:
        found = reported_by(port, answer, known)
    except FlashingError:
        return None  # the board has answered just before; the next check of the port says why
    if found is None:
        return None
    report, chip = found
    return MeasuredSupply(report.volts, chip.supply.low, not report.reference_mv)
