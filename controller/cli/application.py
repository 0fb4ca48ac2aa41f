"""The commands by name; each one's module is imported when that command is run or completed."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import click
import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

from controller.cli.version import version

COMMANDS = {
    "plan": (
        "plan",
        "Print the whole set-up of a game: walls, break, deal, indicator, replacements.",
    ),
    "run": (
        "run",
        "Run a table: gather, shuffle, build, raise, throw, deal, turn up, play, collect.",
    ),
    "replay": (
        "replay",
        "Play a record again: how each hand ended, every payment, the scores after it.",
    ),
    "judge": (
        "judge",
        "Judge a claim: whether it stands, why, its class, and every payment.",
    ),
    "board": (
        "board",
        "Run a virtual board until Ctrl-C; 'run --port PATH' drives it like a real one.",
    ),
    "chaos": (
        "chaos",
        "Play random rounds under random mishaps and check them; exit code 1 if one is wrong.",
    ),
    "check": (
        "check",
        "Check configuration files; every defect with file:line, the key, and what to do.",
    ),
    "wiring": (
        "wiring",
        "Print every pin of a table's boards: what is connected to it, and its safe value.",
    ),
    "tables": (
        "tables_and_games",
        "List the tables that come with the program, and what each can do.",
    ),
    "games": (
        "tables_and_games",
        "List the games, and on which tables each can be set up.",
    ),
    "scan": (
        "scan",
        "List serial ports and the boards on them: who they are, how old their firmware is.",
    ),
    "selftest": (
        "selftest",
        "Try every channel of a table, one after another, while a person watches.",
    ),
    "doctor": (
        "doctor",
        "Look after a journal and this machine; exit code 1 if something is wrong.",
    ),
    "explain": (
        "explain",
        "Say what a fault's code means, what the table does about it, and who may clear it.",
    ),
    "stats": (
        "stats",
        "Print a table's own figures from its journal: jams, assists, faults, wear, drift.",
    ),
    "version": (
        "version",
        "Print the program's version.",
    ),
    "lab": (
        "lab",
        "Figures of the games: probabilities and strategies.",
    ),
    "firmware": (
        "firmware",
        "The boards' firmware: build, flash, verify, provision.",
    ),
}
"""Each command's module in this package, and its line in the list of commands (a test compares)."""
NAMES = tuple(COMMANDS)


class LazyGroup(TyperGroup):
    """The commands, each of which is imported when it is used; the list needs none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every name, in the order of the list."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command's name and its line; what it does is imported by `resolve_command`."""
        if cmd_name not in COMMANDS:
            return None
        return TyperCommand(cmd_name, help=COMMANDS[cmd_name][1], rich_markup_mode="rich")

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command itself, imported, and the rest of its arguments."""
        name, found, rest = super().resolve_command(ctx, args)
        return name, found if found is None or name is None else loaded(name), rest


def loaded(name: str) -> click.Command:
    """A command with its module imported."""
    entry: Any = getattr(import_module(f"controller.cli.{COMMANDS[name][0]}"), name)
    if isinstance(entry, typer.Typer):
        return get_group(entry)
    single = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    single.command(name)(entry)
    return get_command(single)


def _say_version(wanted: bool) -> None:
    if wanted:
        version()
        raise typer.Exit


app = typer.Typer(
    name="wallwright",
    cls=LazyGroup,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def wallwright(
    shows_version: Annotated[
        bool,
        typer.Option(
            "--version",
            is_eager=True,
            callback=_say_version,
            help="Print the program's version, as 'wallwright version' does.",
        ),
    ] = False,
) -> None:
    """The open controller for automatic tile tables."""
