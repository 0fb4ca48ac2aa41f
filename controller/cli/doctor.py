"""`wallwright doctor`: whether the journal is whole, and what this machine has to offer a table."""

from __future__ import annotations

import json
import os
import platform
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table as Grid

from controller.cli.errors import BadInputError
from controller.cli.options import JournalCopy
from controller.cli.screen import screen
from controller.journal import JournalInUseError, JournalLockedError, Unfinished
from controller.journal.copies import Copies, paths_of
from controller.journal.history import unfinished_of
from controller.journal.lines import record_of

PLENTY = 100_000_000
"""Bytes that should be free on a journal's disk: more than a year of rounds."""


def doctor(
    journal: Annotated[
        Path | None, typer.Option(help="Look after this journal.", show_default=False)
    ] = None,
    journal_copy: JournalCopy = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, for programs.")] = False,
) -> int:
    """Look after a journal and this machine; exit code 1 if something is wrong."""
    if journal_copy is not None and journal is None:
        raise BadInputError(f"--journal-copy {journal_copy} needs the journal; add --journal FILE.")
    paths = () if journal is None else paths_of(journal, journal_copy)
    if paths and not any(path.exists() for path in paths):
        raise BadInputError(f"There is no journal {journal}; name one that a run has kept.")
    from serial.tools import list_ports

    told: dict[str, Any] = {
        "python": platform.python_version(),
        "ports": [
            {"port": port.device, "says": port.description}
            for port in sorted(list_ports.comports(), key=lambda port: port.device)
        ],
        "directories": _directories(paths or (Path("here"),)),
        "journal": _journal(paths) if paths else None,
    }
    told["wrong"] = list(_wrong(told))
    if as_json:
        print(json.dumps(told, indent=2))
    else:
        _show(told)
    return 1 if told["wrong"] else 0


def _directories(paths: tuple[Path, ...]) -> list[dict[str, Any]]:
    """Where the copies lie: whether that can be written, and how much room there is."""
    return [
        {
            "directory": str(directory),
            "writable": os.access(directory, os.W_OK),
            "free_bytes": shutil.disk_usage(directory).free,
        }
        for directory in dict.fromkeys(path.parent for path in paths)
    ]


def _journal(paths: tuple[Path, ...]) -> dict[str, Any]:
    """How the journal is; what is damaged and can be healed is, unless a run has it open."""
    told: dict[str, Any] = {
        "copies": [str(path) for path in paths],
        "devices": len({path.parent.stat().st_dev for path in paths}),
        "state": "whole",
        "records": None,
        "told": [],
        "unfinished": None,
    }
    if not all(os.access(path.parent, os.W_OK) for path in paths):
        return told | {"state": "not opened"}
    try:
        with Copies(paths) as copies:
            records = [record_of(line) for line in copies.lines()]
    except JournalLockedError as error:
        return told | {"state": "locked", "told": [str(error)]}
    except JournalInUseError:
        return told | {"state": "in use"}
    if copies.repairs:
        told |= {"state": "healed", "told": list(copies.repairs)}
    return told | {"records": len(records), "unfinished": _story(unfinished_of(records))}


def _story(left: Unfinished | None) -> dict[str, Any] | None:
    if left is None:
        return None
    last = [entry for entry in left.entries if not entry.confirmed][-1:]
    return {
        "started": left.started,
        "facts": left.facts,
        "steps": len(left.entries),
        "unconfirmed": [{"activity": entry.activity, "intent": entry.intent} for entry in last],
    }


def _wrong(told: Mapping[str, Any]) -> Iterator[str]:
    """What somebody should do something about, each as a sentence."""
    for directory in told["directories"]:
        name = directory["directory"]
        if not directory["writable"]:
            yield f"The directory {name} cannot be written; change its owner or choose another."
        if directory["free_bytes"] < PLENTY:
            free = directory["free_bytes"] // 1_000_000
            yield f"The disk of {name} has {free} MB left; free some of it."
    if told["journal"]:
        yield from told["journal"]["told"]


def _show(told: Mapping[str, Any]) -> None:
    grid = Grid.grid(padding=(0, 2))
    grid.add_column(style="bold")
    grid.add_column()
    for label, text in _lines(told):
        grid.add_row(label, text)
    screen().print(grid)
    for sentence in told["wrong"]:
        print(sentence)


def _lines(told: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "python", told["python"]
    for port in told["ports"] or [{"port": "none is attached", "says": ""}]:
        yield "serial port", f"{port['port']} {port['says']}".strip()
    for directory in told["directories"]:
        written = "writable" if directory["writable"] else "not writable"
        free = directory["free_bytes"] / 1e9
        yield "directory", f"{directory['directory']}: {written}, {free:.1f} GB free"
    if journal := told["journal"]:
        yield from _journal_lines(journal)


def _journal_lines(journal: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    records = "" if journal["records"] is None else f", {journal['records']} records"
    yield "journal", f"{journal['state']}{records}"
    for copy in journal["copies"]:
        yield "copy", copy
    if journal["devices"] == 1:
        yield (
            "devices",
            "one: all copies are lost with it; name another disk with --journal-copy",
        )
    else:
        yield "devices", str(journal["devices"])
    if journal["state"] == "in use":
        yield "", "A run has it open, and checks it by itself."
    elif (left := journal["unfinished"]) is None:
        yield "unfinished", "nothing"
    else:
        facts = ", ".join(f"{key} {value}" for key, value in left["facts"].items())
        yield "unfinished", f"the run of {left['started']} ({facts}), after {left['steps']} steps"
        for step in left["unconfirmed"]:
            yield "unconfirmed", f"{step['activity']}: {json.dumps(step['intent'])}"
