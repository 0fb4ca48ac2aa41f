"""The command line: `wallwright`. Errors are one sentence on standard error and what to do.

Exit code 0: done. 1: the table has a fault. 2: bad input, nothing was moved.
"""

from __future__ import annotations

import sys

import typer
from click.exceptions import (
    BadParameter,
    ClickException,
    MissingParameter,
    NoSuchOption,
    UsageError,
)

from config.errors import ConfigError
from controller.cli.board import board
from controller.cli.errors import BadInput
from controller.cli.lists import check, games, tables, version
from controller.cli.plan import plan
from controller.cli.run import run
from controller.cli.scan import scan
from controller.faults import TableFault
from controller.journal import JournalError
from rules.errors import RulesError

app = typer.Typer(
    name="wallwright",
    help="The open controller for automatic tile tables.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for command in (plan, run, board, check, tables, games, scan, version):
    app.command()(command)


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    try:
        code = app(args=arguments, prog_name="wallwright", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except (BadInput, RulesError, ConfigError, JournalError) as error:
        return _refuse(str(error))
    except ClickException as error:
        return _refuse(_sentence(error))
    except TableFault as fault:
        print(str(fault), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0


def _refuse(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return 2


def _sentence(error: ClickException) -> str:
    """Click's complaint in our words."""
    command = (
        error.ctx.command_path if isinstance(error, UsageError) and error.ctx else "wallwright"
    )
    ask = f"'{command} --help' lists what there is."
    match error:
        case NoSuchOption():
            return f"There is no option '{error.option_name}'; {ask}"
        case MissingParameter():
            name = error.param.human_readable_name if error.param else "an argument"
            return f"{name} is missing; {ask}"
        case BadParameter():
            name = error.param.opts[0] if error.param and error.param.opts else "a value"
            return f"{name}: {error.message.rstrip('.')}; {ask}"
    return f"{error.format_message().rstrip('.')}; {ask}"


if __name__ == "__main__":
    sys.exit(main())
