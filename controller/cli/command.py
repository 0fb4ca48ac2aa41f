"""The commands as click objects: their help pages, and groups whose commands are loaded late."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

import click

from controller.cli.imports import without_collections

HELP_OPTIONS = ("-h", "--help")
"""The options that print the help page of a command."""


_WHOLE = "\N{NON-BREAKING HYPHEN}"
"""Replaces a hyphen while a text is wrapped, so that no line ends within an option's name."""


class HelpPage(click.HelpFormatter):
    """The text of a help page; at a terminal its headings are bold and its names are cyan."""

    def getvalue(self) -> str:
        """The page as text."""
        return super().getvalue().replace(_WHOLE, "-")

    def write_text(self, text: str) -> None:
        """Write paragraphs."""
        super().write_text(text.replace("-", _WHOLE))

    def write_heading(self, heading: str) -> None:
        """Write the title of a list."""
        super().write_heading(_styled(heading, bold=True))

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2
    ) -> None:
        """Write a list of names with their texts."""
        styled = [(_styled(name, fg="cyan"), text.replace("-", _WHOLE)) for name, text in rows]
        super().write_dl(styled, col_max, col_spacing)


def _styled(text: str, **style: Any) -> str:
    """A text with codes of colours, which click removes if the output is not a terminal."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    return click.style(text, **style)


class PageContext(click.Context):
    """The context of a command, with the format of its help page."""

    formatter_class = HelpPage


class CliCommand(click.Command):
    """A command; its help page shows every default, and `-h` prints it like `--help`."""

    context_class = PageContext

    def __init__(self, name: str | None, **attributes: Any) -> None:
        attributes["context_settings"] = {
            "help_option_names": list(HELP_OPTIONS),
            "show_default": True,
        }
        super().__init__(name, **attributes)

    def get_short_help_str(self, limit: int = 45) -> str:
        """The first paragraph of the help, whole: a list of commands wraps it."""
        return " ".join((self.help or "").split("\n\n")[0].split())


class CommandGroup(CliCommand, click.Group):
    """A group of commands, which are in its own module."""

    command_class = CliCommand

    def __init__(self, name: str | None, **attributes: Any) -> None:
        super().__init__(name, no_args_is_help=False, **attributes)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The name of every command, in the order of their definitions."""
        return list(self.commands)

    def loaded(self, name: str) -> click.Command:
        """The command with this name. Raises KeyError."""
        return self.commands[name]


class LazyGroup(CommandGroup):
    """A group that imports a command's module when the command is run, completed or described.

    `modules` has for each command its module in `package` and its line in the list of commands.
    The command is the attribute with the command's name in this module.
    """

    def __init__(
        self, name: str, package: str, modules: Mapping[str, tuple[str, str]], **attributes: Any
    ) -> None:
        super().__init__(name, **attributes)
        self.package = package
        self.modules = modules

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The name of every command, in the order of `modules`."""
        return list(self.modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command with its name and its line only; `resolve_command` imports its module."""
        if cmd_name not in self.modules:
            return None
        return CliCommand(cmd_name, help=self.modules[cmd_name][1])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Import the command's module; return the name, the command and its arguments."""
        name, found, rest = super().resolve_command(ctx, args)
        return name, found if found is None or name is None else self.loaded(name), rest

    def loaded(self, name: str) -> click.Command:
        """Import the module of a command and return the command. Raises KeyError."""
        module = f"{self.package}.{self.modules[name][0]}"
        with without_collections():
            found = getattr(import_module(module), name.replace("-", "_"))
        assert isinstance(found, click.Command)
        return found


def commands_of(command: click.Command) -> Mapping[str, click.Command]:
    """The commands of a group by name, with their modules imported; none of a single command."""
    if not isinstance(command, CommandGroup):
        return {}
    return {name: command.loaded(name) for name in command.list_commands(PageContext(command))}
