"""Click's complaints about a command line, in our words."""

from __future__ import annotations

from collections.abc import Sequence

from click import Group
from click.exceptions import (
    BadOptionUsage,
    BadParameter,
    ClickException,
    MissingParameter,
    NoSuchCommand,
    NoSuchOption,
    UsageError,
)

from controller.cli.errors import unknown_name


def sentence(error: ClickException, arguments: Sequence[str], commands: Sequence[str]) -> str:
    """What is wrong with these arguments, and which help says more."""
    command = f"wallwright {arguments[0]}" if {*arguments[:1]} & {*commands} else "wallwright"
    ask = f"'{command} --help' lists what there is."
    match error:
        case NoSuchCommand():
            group = error.ctx.command if error.ctx else None
            known = group.commands if isinstance(group, Group) and group.commands else commands
            return unknown_name("command", error.command_name, known)
        case NoSuchOption():
            close = error.possibilities
            meant = f"did you mean '{close[0]}'?" if close else ask
            return f"There is no option '{error.option_name}'; {meant}"
        case MissingParameter():
            return f"{_missing(error)} is missing; {ask}"
        case BadParameter():
            name = error.param.opts[0] if error.param and error.param.opts else "a value"
            wrong = error.message.rstrip(".").replace("a valid integer", "a whole number")
            return f"{name}: {wrong}; {ask}"
        case BadOptionUsage() if "requires an argument" in error.message:
            return f"{error.option_name} needs a value; {ask}"
        case UsageError() if "unexpected extra argument" in error.message:
            spare = error.message[error.message.rfind("(") + 1 : error.message.rfind(")")]
            return f"'{spare}' is one argument too many; {ask}"
    return f"{error.format_message().rstrip('.')}; {ask}"


def _missing(error: MissingParameter) -> str:
    """An argument by its name in the help, an option as one types it."""
    if error.param is None:
        return "an argument"
    is_option = error.param.param_type_name == "option"
    return error.param.opts[0] if is_option else error.param.human_readable_name
