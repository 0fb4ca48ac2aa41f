"""Writes the table of docs/reference/COMMANDS.md: each command and what its help says first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import click

from controller.cli.application import app
from controller.cli.command import commands_of
from tools.fit_matrices import with_blocks

READ_MORE: Mapping[str, str] = {
    "plan": "start/GUIDE.md#2-plan-on-paper",
    "run": "start/GUIDE.md#1-watch-a-table-deal",
    "serve": "operate/SERVICE.md",
    "install": "start/INSTALL.md",
    "monitor": "operate/MONITOR.md",
    "replay": "start/GUIDE.md#4-play-at-the-table",
    "judge": "operate/CASES.md",
    "board": "build/VIRTUAL_BOARDS.md",
    "chaos": "regulate/CHAOS.md",
    "check": "build/CONFIGURATION.md",
    "wiring": "build/BENCH.md#the-table-as-a-file",
    "boards": "build/BOARDS.md",
    "tables": "start/TABLES.md",
    "games": "start/TABLES.md#which-game-on-which-table",
    "scan": "build/BENCH.md#the-first-hour",
    "selftest": "build/BENCH.md#the-first-hour",
    "learn": "build/RETROFIT.md",
    "floor": "floor/FLOOR.md",
    "doctor": "operate/DOCTOR.md",
    "backup": "operate/BACKUP.md",
    "explain": "operate/FAULTS.md",
    "stats": "start/TABLES.md#when-something-goes-wrong",
    "audit": "regulate/AUDIT.md",
    "verify": "regulate/AUDIT.md",
    "version": "reference/COMPATIBILITY.md",
    "identity": "operate/SERVICE.md#a-signed-installation",
    "update": "operate/UPDATES.md",
    "casino": "floor/CASINO_HOST.md",
    "lab": "build/LABORATORY.md",
    "firmware": "build/BENCH.md#the-first-hour",
}
"""For each top command: the page in `docs` that describes it, with a heading if it is a part."""


def page() -> str:
    """Return the text of docs/reference/COMMANDS.md with the current table of commands."""
    return with_blocks("docs/reference/COMMANDS.md", {"commands": _table})


def _table() -> Iterator[str]:
    yield "| command | what it does | page |"
    yield "|---|---|---|"
    for name, command in commands_of(app).items():
        link = READ_MORE[name]
        title = link.split("/")[1].split(".")[0]
        yield f"| `{name}` | {first_sentence(command)} | [{title}](../{link}) |"
        yield from _parts(name, command)


def _parts(name: str, command: click.Command) -> Iterator[str]:
    """Yield a row for each command of a group, and of the groups in it."""
    for word, part in commands_of(command).items():
        if not part.hidden:
            yield f"| `{name} {word}` | {first_sentence(part)} | |"
            yield from _parts(f"{name} {word}", part)


def first_sentence(command: click.Command) -> str:
    """Return the first sentence of a command's help, on one line."""
    paragraph = " ".join((command.help or "").split("\n\n")[0].split())
    return re.split(r"(?<=\.) (?=[A-Z`'])", paragraph)[0].replace("|", r"\|")
