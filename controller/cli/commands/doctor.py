"""`wallwright doctor`: checks the computer, the program and the records of a table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click

from config.board_profiles import chip_of
from config.validation.checks import table_warnings
from controller.cli.command import CliCommand
from controller.cli.errors import BadInputError, no_journal
from controller.cli.options import completion
from controller.cli.options.any_file import named_certificates
from controller.cli.options.lookup import table_named
from controller.cli.options.shared import PATH, journal_copy_option, json_option
from controller.cli.terminal.screen import screen
from controller.run.journal.copies import paths_of
from controller.upkeep.doctor.fact_files import FactFiles
from controller.upkeep.doctor.facts import UNIT, Subjects, read_facts
from controller.upkeep.doctor.facts.records import (
    JOURNAL,
    CheckedTable,
    ProbedPort,
)
from controller.upkeep.doctor.finding import FindingSeverity
from controller.upkeep.doctor.report import as_json as report_as_json
from controller.upkeep.doctor.report import as_lines, findings_of
from firmware_bridge.commissioning.key_files import keys_file

WIDEST = 80
"""Columns of the report: longer lines are hard to read."""


@click.command(cls=CliCommand)
@click.option(
    "--data",
    type=PATH,
    help="Check this data folder of a service: its disk, journal, audit log and secret files.",
)
@click.option(
    "--journal", type=PATH, help="Check this journal, and repair damaged copies from intact ones."
)
@journal_copy_option
@click.option(
    "--table",
    shell_complete=completion.tables,
    help="List the boards of this table, and warn about their pins and current limits.",
)
@click.option(
    "--check",
    type=PATH,
    multiple=True,
    help="Check this file of a table, a game or a floor's table too; those in"
    " /etc/wallwright are always checked.",
)
@click.option(
    "--port",
    shell_complete=completion.files,
    multiple=True,
    help="Ask the boards on this port for their firmware and key; a port that is in use is"
    " left alone.",
)
@click.option(
    "--keys",
    type=PATH,
    show_default="~/.config/wallwright/keys",
    help="The file with the keys of the boards.",
)
@click.option(
    "--cert",
    type=PATH,
    multiple=True,
    help="Check the time of this certificate, a PEM file; the one that a floor's file names"
    " is always checked.",
)
@click.option("--unit", default=UNIT, help="The service's unit of systemd.")
@click.option(
    "--all", "shows_all", is_flag=True, help="Print also what is in order or not known here."
)
@json_option
def doctor(
    data: Path | None,
    journal: Path | None,
    journal_copy: Path | None,
    table: str | None,
    check: tuple[Path, ...],
    port: tuple[str, ...],
    keys: Path | None,
    cert: tuple[Path, ...],
    unit: str,
    shows_all: bool,
    as_json: bool,
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
    kept = (keys or keys_file(),)
    subjects = Subjects(
        data=data,
        journal=journal,
        journal_copy=journal_copy,
        files=check,
        check=named_certificates,
        table=None if table is None else _table(table),
        probed=_probed(files, port, journal or (data / JOURNAL if data else None), keys),
        certificates=cert,
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
    """The answers of the boards on these ports; only for them the serial port is imported."""
    if not ports:
        return ()
    from controller.cli.runs.probed_ports import probed_ports

    return probed_ports(files, ports, journal, keys)
