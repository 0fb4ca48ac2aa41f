"""`wallwright doctor`: checks plug-ins, serial ports, disks, a journal, and a table's pins."""

from __future__ import annotations

import json
import os
import platform
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table as Grid

from config.boards import chip_of
from config.validation.checks import table_warnings
from controller.cli.errors import BadInputError, no_journal
from controller.cli.options import completion
from controller.cli.options.lookup import table_named
from controller.cli.options.shared import JournalCopy
from controller.cli.terminal.screen import screen
from controller.identity.boot import software_identity
from controller.journal import JournalInUseError, JournalLockedError, Unfinished
from controller.journal.copies import Copies, paths_of
from controller.journal.history import unfinished_of
from controller.journal.lines import record_of
from rules.games import PLUGINS

ENOUGH = 100_000_000
"""Bytes that should be free on a journal's disk: more than a year of rounds."""


def doctor(
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
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> int:
    """Check plug-ins, ports, disks, a journal and a table's pins; exit code 1 for a problem."""
    if journal_copy is not None and journal is None:
        raise BadInputError(f"`--journal-copy {journal_copy}` needs a journal; add --journal FILE.")
    paths = () if journal is None else paths_of(journal, journal_copy)
    if journal is not None and not any(path.exists() for path in paths):
        raise BadInputError(no_journal(journal))
    from serial.tools import list_ports

    report: dict[str, Any] = {
        "python": platform.python_version(),
        "identity": software_identity(),
        "plugins": {
            "installed": [name for name in PLUGINS if not PLUGINS.is_own(name)],
            "broken": list(PLUGINS.broken),
        },
        "ports": [
            {"port": port.device, "description": port.description}
            for port in sorted(list_ports.comports(), key=lambda port: port.device)
        ],
        "directories": _directories([path.parent for path in paths] or [Path()]),
        "journal": _journal(paths) if paths else None,
        "table": None if table is None else _table(table),
    }
    report["problems"] = list(_problems(report))
    if as_json:
        print(json.dumps(report, indent=2))
    else:
        _print_report(report)
    return 1 if report["problems"] else 0


def _table(given: str) -> dict[str, Any]:
    """A table's boards with their profiles, and the warnings about their pins."""
    machine = table_named(given)
    warnings = [str(each) for each in table_warnings(machine)]
    chips = {name: chip_of(board) for name, board in machine.boards.items()}
    return {"table": machine.name, "boards": chips, "warnings": warnings}


def _directories(directories: Iterable[Path]) -> list[dict[str, Any]]:
    """For each directory: whether it is writable, and the free space of its disk in bytes."""
    return [
        {
            "directory": str(directory),
            "writable": os.access(directory, os.W_OK),
            "free_bytes": shutil.disk_usage(directory).free,
        }
        for directory in dict.fromkeys(directories)
    ]


def _journal(paths: tuple[Path, ...]) -> dict[str, Any]:
    """The state of a journal. Damaged copies are repaired, unless a run has the journal open."""
    report: dict[str, Any] = {
        "copies": [str(path) for path in paths],
        "devices": len({path.parent.stat().st_dev for path in paths}),
        "state": "intact",
        "records": None,
        "messages": [],
        "unfinished": None,
    }
    if not all(os.access(path.parent, os.W_OK) for path in paths):
        return report | {"state": "not opened"}
    try:
        with Copies(paths) as copies:
            records = [record_of(line) for line in copies.lines()]
    except JournalLockedError as error:
        return report | {"state": "locked", "messages": [str(error)]}
    except JournalInUseError:
        return report | {"state": "in use"}
    if copies.repairs:
        report |= {"state": "repaired", "messages": list(copies.repairs)}
    return report | {"records": len(records), "unfinished": _unfinished(unfinished_of(records))}


def _unfinished(run: Unfinished | None) -> dict[str, Any] | None:
    """The unfinished run of a journal as JSON values, with its last unconfirmed step."""
    if run is None:
        return None
    # A cycle of random choices is unconfirmed until its round is over; nobody has to check it.
    steps = [entry for entry in run.entries if entry.activity != "chance"]
    last = [entry for entry in steps if not entry.confirmed][-1:]
    return {
        "started": run.started,
        "facts": run.facts,
        "steps": len(run.entries),
        "unconfirmed": [{"activity": entry.activity, "intent": entry.intent} for entry in last],
    }


def _problems(report: Mapping[str, Any]) -> Iterator[str]:
    """Each problem that a person should solve, as a sentence with its solution."""
    yield from report["plugins"]["broken"]
    for directory in report["directories"]:
        name = directory["directory"]
        if not directory["writable"]:
            yield f"The directory {name} is not writable; change its owner or choose another."
        if directory["free_bytes"] < ENOUGH:
            free = directory["free_bytes"] // 1_000_000
            yield (
                f"The disk of {name} has {free} MB of free space, and {ENOUGH // 1_000_000} MB are"
                " recommended; delete files."
            )
    if report["journal"]:
        yield from report["journal"]["messages"]


def _print_report(report: Mapping[str, Any]) -> None:
    grid = Grid.grid(padding=(0, 2))
    grid.add_column(style="bold")
    grid.add_column()
    for label, text in _lines(report):
        grid.add_row(label, text)
    screen().print(grid)
    for sentence in report["problems"]:
        print(sentence)


def _lines(report: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "python", report["python"]
    yield "identity", report["identity"]
    plugins = report["plugins"]
    yield "plug-ins", ", ".join(plugins["installed"]) or "none is installed"
    if plugins["broken"]:
        yield "broken", f"{len(plugins['broken'])}, listed below"
    for port in report["ports"] or [{"port": "none is attached", "description": ""}]:
        yield "serial port", f"{port['port']} {port['description']}".strip()
    for directory in report["directories"]:
        writable = "writable" if directory["writable"] else "not writable"
        free = directory["free_bytes"] / 1e9
        yield "directory", f"{directory['directory']}: {writable}, {free:.1f} GB free"
    if journal := report["journal"]:
        yield from _journal_lines(journal)
    if table := report["table"]:
        chips = ", ".join(f"{name} {chip}" for name, chip in table["boards"].items())
        yield "table", f"{table['table']}: {chips}"
        for warning in table["warnings"]:
            yield "warning", warning


def _journal_lines(journal: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    records = "" if journal["records"] is None else f", {journal['records']} records"
    yield "journal", f"{journal['state']}{records}"
    for copy in journal["copies"]:
        yield "copy", copy
    if journal["devices"] == 1:
        yield (
            "devices",
            "1: if it fails, all copies are lost; name another disk with --journal-copy",
        )
    else:
        yield "devices", str(journal["devices"])
    if journal["state"] == "in use":
        yield "", "A run has the journal open, and checks it."
    elif (run := journal["unfinished"]) is None:
        yield "unfinished run", "none"
    else:
        facts = ", ".join(f"{key} {value}" for key, value in run["facts"].items())
        yield "unfinished run", f"started {run['started']} ({facts}), after {run['steps']} steps"
        for step in run["unconfirmed"]:
            yield "unconfirmed", f"{step['activity']}: {json.dumps(step['intent'])}"
