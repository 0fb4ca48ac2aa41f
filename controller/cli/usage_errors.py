"""Converts click's errors about a command line to sentences with a next step."""

from __future__ import annotations

from collections.abc import Container, Sequence

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


def sentence(error: ClickException, arguments: Sequence[str], commands: Container[str]) -> str:
    """The error as a sentence, with a correction or the help command as the next step.

    `commands` are the words that can follow `wallwright`.
    """
    is_known = bool(arguments) and arguments[0] in commands
    command = f"wallwright {arguments[0]}" if is_known else "wallwright"
    next_step = f"see '{command} --help'."
    match error:
        case NoSuchCommand():
            assert error.ctx is not None
            assert isinstance(error.ctx.command, Group)
            known = error.ctx.command.list_commands(error.ctx)
            return unknown_name("command", error.command_name, known)
        case NoSuchOption():
            close = error.possibilities
            correction = f"did you mean '{close[0]}'?" if close else next_step
            return f"There is no option '{error.option_name}'; {correction}"
        case MissingParameter():
            return f"{_missing(error)} is missing; {next_step}"
        case BadParameter():
            name = error.param.opts[0] if error.param and error.param.opts else "a value"
            defect = error.message.rstrip(".").replace("a valid integer", "a whole number")
            return f"{name}: {defect}; {next_step}"
        case BadOptionUsage() if "requires an argument" in error.message:
            return f"{error.option_name} needs a value; {next_step}"
        case UsageError() if "unexpected extra argument" in error.message:
            spare = error.message[error.message.rfind("(") + 1 : error.message.rfind(")")]
            return f"Unexpected argument '{spare}'; leave it out, or {next_step}"
    return f"{error.format_message().rstrip('.')}; {next_step}"


def _missing(error: MissingParameter) -> str:
    """The name of the missing argument as in the help, or the option as it is typed."""
    if error.param is None:
        return "an argument"
    is_option = error.param.param_type_name == "option"
    return error.param.opts[0] if is_option else error.param.human_readable_name
