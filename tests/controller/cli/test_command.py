"""The commands as click objects: their help pages, and the functions behind their options."""

from __future__ import annotations

import inspect
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

import click
import pytest

from controller.cli.application import app
from controller.cli.command import CliCommand, CommandGroup, PageContext, commands_of
from tests.controller.cli.conftest import COMMAND

PAGE = (
    "Play with --a-very-long-option, --another-quite-long-option and --the-third-of-these-options,"
    " which have to stay whole."
)


def every_command(command: click.Command = app, name: str = "") -> Iterator[tuple[str, CliCommand]]:
    """Every command that does something, with its words."""
    below = commands_of(command)
    if not below:
        assert isinstance(command, CliCommand)
        yield name, command
    for word, each in below.items():
        yield from every_command(each, f"{name} {word}".strip())


COMMANDS = dict(every_command())


def type_of(parameter: click.Parameter) -> tuple[Any, bool, bool]:
    """The type of a parameter's values, whether it has many, and whether it can be missing."""
    kinds: dict[str, Any] = {
        "integer": int,
        "integer range": int,
        "float": float,
        "path": Path,
        "boolean": bool,
    }
    kind = kinds.get(parameter.type.name, str)
    is_many = bool(getattr(parameter, "multiple", False)) or parameter.nargs == -1
    is_flag = bool(getattr(parameter, "is_flag", False))
    default = parameter.get_default(PageContext(app))
    can_miss = not (is_many or parameter.required or isinstance(default, str | int | float | Path))
    is_plain_flag = is_flag and not parameter.secondary_opts
    return kind, is_many, can_miss and not is_plain_flag


@pytest.mark.parametrize("name", COMMANDS)
def test_the_function_of_a_command_takes_its_options_in_their_types(name: str) -> None:
    command = COMMANDS[name]
    assert command.callback is not None
    hints = get_type_hints(command.callback)
    assert hints.pop("return") is int
    assert set(hints) == {each.name for each in command.params}
    for parameter in command.params:
        kind, is_many, can_miss = type_of(parameter)
        hint = hints[parameter.name]
        if is_many:
            assert hint == tuple[kind, ...], parameter.name
            continue
        members = set(get_args(hint)) or {hint}
        assert (type(None) in members) == can_miss, parameter.name
        plain = members - {type(None)}
        assert plain == {kind} or all(isinstance(each, str) for each in plain), parameter.name


@pytest.mark.parametrize("name", COMMANDS)
def test_a_page_of_help_is_at_most_80_columns_wide_and_has_every_option(name: str) -> None:
    command = COMMANDS[name]
    context = PageContext(command, info_name=f"wallwright {name}", terminal_width=80)
    page = click.unstyle(command.get_help(context))
    assert max(map(len, page.splitlines())) <= 80
    text = " ".join(page.split())
    assert " ".join(inspect.cleandoc(command.help or "").split()) in text
    for parameter in command.params:
        for option in parameter.opts if isinstance(parameter, click.Option) else ():
            assert re.search(rf"(?m)^  {option}\b", page)
        assert parameter.help
        assert " ".join(parameter.help.split()) in text


def test_a_line_of_a_page_does_not_end_within_an_option() -> None:
    command = CliCommand("play", help=PAGE, params=[click.Option(["--play"], help=PAGE)])
    words = click.unstyle(command.get_help(PageContext(command, terminal_width=60))).split()
    for option in re.findall(r"--[a-z-]+", PAGE):
        assert sum(word.strip(",") == option for word in words) == 2


@pytest.mark.parametrize(("variable", "is_styled"), [(None, True), ("NO_COLOR", False)])
def test_names_and_headings_are_styled_unless_the_user_wants_no_colours(
    variable: str | None, is_styled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    if variable is not None:
        monkeypatch.setenv(variable, "1")
    command = CliCommand("play", params=[click.Option(["--play"], help="Play.")])
    page = command.get_help(PageContext(command))
    assert (click.style("Options", bold=True) in page) == is_styled
    assert (click.style("--play TEXT", fg="cyan") in page) == is_styled


def test_a_page_that_is_not_printed_at_a_terminal_has_no_codes_of_colours() -> None:
    done = subprocess.run([*COMMAND, "plan", "-h"], capture_output=True, text=True, check=True)
    assert "\x1b" not in done.stdout


def test_a_group_lists_its_commands_in_their_order_and_names_one_that_is_missing() -> None:
    group = CommandGroup("two")
    for name in ("second", "first"):
        group.add_command(CliCommand(name, help="Do it.\n\nNot in the list."))
    page = click.unstyle(group.get_help(PageContext(group)))
    assert page.index("second") < page.index("first")
    assert "Not in the list" not in page
    assert list(commands_of(group)) == ["second", "first"]
