"""The command line: `wallwright`. Errors are one sentence on standard error and what to do.

Exit code 0: done. 1: the table has a fault. 2: bad input, nothing was moved.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer
from click.exceptions import ClickException

from config.errors import ConfigError
from config.layout.staging import DoesNotFit
from controller.cli.board import board
from controller.cli.chaos import chaos
from controller.cli.check import check
from controller.cli.doctor import doctor
from controller.cli.errors import BadInput
from controller.cli.explain import explain
from controller.cli.firmware import firmware
from controller.cli.judge import judge
from controller.cli.lab import lab
from controller.cli.lists import games, tables, version
from controller.cli.plan import plan
from controller.cli.replay import replay
from controller.cli.run import run
from controller.cli.scan import scan
from controller.cli.selftest import selftest
from controller.cli.stats import stats
from controller.cli.usage import sentence
from controller.cli.wiring import wiring
from controller.journal import JournalError
from rules.errors import RulesError

COMMANDS = (
    plan,
    run,
    replay,
    judge,
    board,
    chaos,
    check,
    wiring,
    tables,
    games,
    scan,
    selftest,
    doctor,
    explain,
    stats,
    version,
)
INTERRUPTED = 130
"""The exit code of whatever Ctrl-C ends before a table runs; a running one stops safely, with 0."""

app = typer.Typer(name="wallwright", add_completion=False, pretty_exceptions_enable=False)
for command in COMMANDS:
    app.command()(command)
app.add_typer(lab)
app.add_typer(firmware)
NAMES = (*(command.__name__ for command in COMMANDS), "lab", "firmware")


def _say_version(wanted: bool) -> None:
    if wanted:
        version()
        raise typer.Exit


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


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns its exit code. Without a command it prints help."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        code = app(args=given or ["--help"], prog_name="wallwright", standalone_mode=False)
        sys.stdout.flush()
    except (BadInput, RulesError, ConfigError, DoesNotFit, JournalError) as error:
        return _refuse(str(error))
    except ClickException as error:
        return _refuse(sentence(error, given, NAMES))
    except (KeyboardInterrupt, typer.Abort):
        print(file=sys.stderr)
        return INTERRUPTED
    except (BrokenPipeError, SystemExit):
        # Whoever read this has seen enough; click and rich leave by SystemExit when that happens.
        _close_output()
        return 0
    except OSError as error:
        _close_output()
        return _refuse(f"The output cannot be written ({error.strerror}); send it elsewhere.")
    return code if isinstance(code, int) else 0


def _refuse(words: str) -> int:
    print(words, file=sys.stderr)
    return 2


def _close_output() -> None:
    """What still waits to be written goes nowhere, so that leaving does not fail over it."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


if __name__ == "__main__":
    sys.exit(main())
