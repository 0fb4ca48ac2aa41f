"""Writes the manual pages from the command line: one of the program and one of each command."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import click

from controller.cli.application import COMMANDS, app
from controller.cli.command import commands_of

PLACE = "usr/share/man/man1"
_EXIT_CODES = (
    ("0", "The command succeeded."),
    ("1", "The table has a fault, or a check failed."),
    ("2", "Bad input; nothing was moved."),
    ("128+n", "The signal n ended the command: 130 after Ctrl-C."),
)
_FILES = (
    ("/etc/wallwright/serve.conf", "The options with which the service of this computer starts."),
    (
        "/var/lib/wallwright/data",
        "The journal, the sessions, the users, the audit log and the keys of the boards.",
    ),
)


def write_pages(root: Path, version: str, epoch: int) -> None:
    """Write every page below `root`, compressed. `epoch` is the date of the pages in seconds."""
    day = datetime.fromtimestamp(epoch, UTC).strftime("%Y-%m-%d")
    folder = root / PLACE
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages(version, day):
        file = folder / f"{name}.1.gz"
        file.write_bytes(gzip.compress(text.encode("utf-8"), 9, mtime=0))


def pages(version: str, day: str) -> Iterator[tuple[str, str]]:
    """Each page: its name without the section, and its text in the language of man(7)."""
    yield "wallwright", _overview(version, day)
    for name, command in commands_of(app).items():
        if isinstance(command, click.Group):
            page = _group(name, command, version, day)
        else:
            page = _single(name, command, version, day)
        yield f"wallwright-{name}", page


def _overview(version: str, day: str) -> str:
    lines = [
        *_head("wallwright", "open controller for automatic tile tables", version, day),
        ".SH SYNOPSIS",
        r"\fBwallwright\fR \fICOMMAND\fR [\fIOPTION\fR]... [\fIARGUMENT\fR]...",
        ".SH DESCRIPTION",
        "Drives an automatic table for mahjong, pai gow or dominoes: shuffles the tiles, builds",
        "the walls, deals by the rules of the game and follows the play.",
        ".SH COMMANDS",
    ]
    for name, (_, line) in COMMANDS.items():
        lines += [".TP", rf".BR wallwright\-{_option(name)} (1)", _text(line)]
    lines += [".SH EXIT STATUS", *_rows(_EXIT_CODES), ".SH FILES", *_rows(_FILES)]
    lines += [".SH SEE ALSO", ".BR journalctl (1),", ".BR systemctl (1)"]
    return "\n".join(lines) + "\n"


def _single(name: str, command: click.Command, version: str, day: str) -> str:
    lines = _head(f"wallwright-{name}", _brief(command), version, day)
    lines += [".SH SYNOPSIS", *_usage(f"wallwright {name}", command)]
    lines += [".SH DESCRIPTION", *_paragraphs(command.help or "")]
    lines += [".SH OPTIONS", *_parameters(command)]
    return "\n".join([*lines, *_tail()]) + "\n"


def _group(name: str, group: click.Group, version: str, day: str) -> str:
    lines = _head(f"wallwright-{name}", _brief(group), version, day)
    lines += [".SH SYNOPSIS"]
    for number, (word, command) in enumerate(commands_of(group).items()):
        lines += [*([".br"] if number else []), *_usage(f"wallwright {name} {word}", command)]
    lines += [".SH DESCRIPTION", *_paragraphs(group.help or ""), ".SH COMMANDS"]
    for word, command in commands_of(group).items():
        lines += [f".SS wallwright {name} {_option(word)}", *_paragraphs(command.help or "")]
        lines += _parameters(command)
    return "\n".join([*lines, *_tail()]) + "\n"


def _head(name: str, brief: str, version: str, day: str) -> list[str]:
    title = name.upper().replace("-", r"\-")
    return [
        f'.TH {title} 1 "{day}" "wallwright {version}" "Wallwright"',
        ".nh",
        ".SH NAME",
        rf"{name.replace('-', chr(92) + '-')} \- {_text(brief)}",
    ]


def _tail() -> list[str]:
    return [".SH EXIT STATUS", *_rows(_EXIT_CODES), ".SH SEE ALSO", ".BR wallwright (1)"]


def _brief(command: click.Command) -> str:
    """The first sentence of a command's help, in the form of a manual's title line."""
    first = (command.help or "").split("\n\n")[0].replace("\n", " ").rstrip(".")
    return first[:1].lower() + first[1:]


def _usage(line: str, command: click.Command) -> list[str]:
    arguments = [_metavar(each, command) for each in command.params if _is_argument(each)]
    words = "".join(rf" \fI{_text(word)}\fR" for word in arguments)
    return [rf"\fB{_option(line)}\fR [\fIOPTION\fR]...{words}"]


def _parameters(command: click.Command) -> list[str]:
    lines: list[str] = []
    for parameter in command.params:
        help_text = str(getattr(parameter, "help", None) or "")
        if getattr(parameter, "hidden", False):
            continue
        if _is_argument(parameter):
            lines += [".TP", rf".I {_text(_metavar(parameter, command))}", _text(help_text)]
            continue
        names = ", ".join(rf"\fB{_option(name)}\fR" for name in parameter.opts)
        is_flag = bool(getattr(parameter, "is_flag", False))
        value = "" if is_flag else rf" \fI{_text(_metavar(parameter, command))}\fR"
        if parameter.secondary_opts:
            names += ", " + ", ".join(rf"\fB{_option(n)}\fR" for n in parameter.secondary_opts)
        lines += [".TP", names + value, _text(f"{help_text}{_default(parameter)}")]
    lines += [".TP", r"\fB\-h\fR, \fB\-\-help\fR", "Print the help of the command."]
    return lines


def _default(parameter: click.Parameter) -> str:
    """The default as ` Default: VALUE.`; "" if the option has none to show."""
    shown = getattr(parameter, "show_default", None)
    if isinstance(shown, str):
        return f" Default: {shown}."
    is_flag = bool(getattr(parameter, "is_flag", False))
    default = parameter.default
    if shown is False or is_flag or not isinstance(default, str | int | float):
        return ""
    return f" Default: {default}."


def _metavar(parameter: click.Parameter, command: click.Command) -> str:
    return parameter.make_metavar(click.Context(command))


def _is_argument(parameter: click.Parameter) -> bool:
    return parameter.param_type_name == "argument"


def _paragraphs(text: str) -> list[str]:
    lines: list[str] = []
    for number, paragraph in enumerate(text.strip().split("\n\n")):
        joined = " ".join(paragraph.replace("\b", "").split())
        lines += [*([".PP"] if number else []), _text(joined)]
    return lines


def _rows(rows: tuple[tuple[str, str], ...]) -> list[str]:
    lines: list[str] = []
    for left, right in rows:
        lines += [".TP", rf".B {_text(left)}", _text(right)]
    return lines


def _option(name: str) -> str:
    return name.replace("-", r"\-")


def _text(text: str) -> str:
    """A text without characters that man(7) takes as commands; option names keep their hyphens."""
    escaped = text.replace("\\", r"\e").replace("--", r"\-\-").replace('"', r"\(dq")
    return rf"\&{escaped}" if escaped.startswith((".", "'")) else escaped
