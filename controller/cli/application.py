"""The list of commands. A command's module is imported when the command is run or completed."""

from __future__ import annotations

import click

from controller.cli.command import LazyGroup

COMMANDS = {
    "plan": (
        "plan",
        "Print the whole set-up of a game: walls, break, deal, indicator, replacements.",
    ),
    "run": (
        "run",
        "Run a table: gather, shuffle, build, raise, throw, deal, turn up, play, collect.",
    ),
    "serve": (
        "serve",
        "Keep a table running through the evening, with its API and its panel, until stopped.",
    ),
    "install": (
        "install",
        "Set up the service of this computer: table, ports, files in /etc/wallwright, start.",
    ),
    "monitor": (
        "monitor",
        "Show a table's status in the terminal: prompts, seats, scores, counts, last events.",
    ),
    "replay": (
        "replay",
        "Replay a record: how each hand ended, every payment, and the scores after it.",
    ),
    "judge": (
        "replay",
        "Judge a claim: whether it is valid, why, its class, and every payment.",
    ),
    "board": (
        "board",
        "Run a virtual board until Ctrl-C; 'run --port PATH' drives it like a real one.",
    ),
    "chaos": (
        "chaos",
        "Play random rounds with injected faults; exit code 1 if a round fails its checks.",
    ),
    "check": (
        "check",
        "Check configuration files: print each defect with file:line, key and correction.",
    ),
    "wiring": (
        "wiring",
        "Print every pin of a table's boards with its connection and its safe value.",
    ),
    "boards": (
        "boards",
        "List the board profiles, or every pin of one with its abilities and its state at boot.",
    ),
    "tables": (
        "tables_and_games",
        "List the tables that come with the program, and the modules of each.",
    ),
    "games": (
        "tables_and_games",
        "List the games, and the tables on which each can be set up.",
    ),
    "scan": (
        "scan",
        "List serial ports and the boards on them, with serial number, firmware, key and limits.",
    ),
    "selftest": (
        "selftest",
        "Test every channel of a table, one after another, while a person watches.",
    ),
    "learn": (
        "learn",
        "Find out what each wire of a table does, one motor at a time, and propose its file.",
    ),
    "floor": (
        "floor",
        "Run the floor service of many tables, retire tables, and issue certificates.",
    ),
    "doctor": (
        "doctor",
        "Check the computer, the program and a table's records; exit code 1 for a problem.",
    ),
    "backup": (
        "backup",
        "Make, show and restore backups of a table.",
    ),
    "explain": (
        "explain",
        "Explain a fault code: its meaning, how the table reacts, and who may clear it.",
    ),
    "stats": (
        "stats",
        "Print a table's statistics from its journal: jams, assists, faults, wear, drift, storage.",
    ),
    "audit": (
        "audit",
        "Show or export a service's audit log, have it witnessed, or change its key.",
    ),
    "verify": (
        "verify",
        "Verify a bundle of the audit log or a receipt, offline; exit code 1 if it is refused.",
    ),
    "version": (
        "versions",
        "Print the program's version, and the identity of its signed manifest.",
    ),
    "identity": (
        "identity",
        "Make and check the signed manifest of the program; answer a challenge.",
    ),
    "update": (
        "update",
        "Make, check, install, confirm and roll back signed updates.",
    ),
    "casino": (
        "casino",
        "Print a casino host's codes for events; answer checks of the program.",
    ),
    "lab": (
        "lab",
        "Print probabilities of the games and results of strategies.",
    ),
    "firmware": (
        "firmware",
        "Build, flash and verify the boards' firmware; provision boards.",
    ),
}
"""For each command: its module in `commands`, and its line in the list of commands.

The line repeats the first sentence of the command's docstring; a test compares the two.
"""


def _print_version(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        from controller.cli.commands.version import version

        version()
        context.exit()


def _completion(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    """Install the completion of the user's shell, or print its script."""
    if wanted and not context.resilient_parsing:
        from controller.cli.completion_scripts import install_completion, script_of, shell_of_user

        if parameter.name == "show_completion":
            print(script_of(shell_of_user()), end="")
        else:
            print(f"{install_completion(shell_of_user())} completes commands in a new terminal.")
        context.exit()


app = LazyGroup(
    "wallwright",
    "controller.cli.commands",
    COMMANDS,
    help="The open controller for automatic tile tables.",
    params=[
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_print_version,
            help="Print the program's version, as 'wallwright version' does.",
        ),
        click.Option(
            ["--install-completion"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_completion,
            help="Install completion for the current shell.",
        ),
        click.Option(
            ["--show-completion"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_completion,
            help="Show completion for the current shell, to copy it or customize the installation.",
        ),
    ],
)
