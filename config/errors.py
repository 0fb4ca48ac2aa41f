"""Configuration errors: every defect of a file, each with its line, its key and the next step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import NamedTuple

from rules.errors import WallwrightError

Path = tuple[str | int, ...]
"""The path of a value from the top of its file: keys, and positions in lists from 0."""

Lines = Mapping[Path, int]
"""The line, from 1, of each value's key."""

_LONGEST = 48


class Finding(NamedTuple):
    """A defect of a value, before it is located in a line of a file."""

    path: Path
    wrong: str
    cure: str


class TableWarning(NamedTuple):
    """A value of a valid table whose consequence a person should know."""

    board: str | None
    """The board of the value; None for a value of a module."""
    key: str
    """The path of the value, below its board if it has one, such as `channels.ready`."""
    text: str

    def __str__(self) -> str:
        return f"{f'boards.{self.board}.' if self.board else ''}{self.key}: {self.text}"


class ConfigError(WallwrightError, ValueError):
    """One defect of a file: `file:line: path.of.key: the defect (offending value). Next step.`.

    `line` is None for a defect of the whole file; `path` is empty for a defect without a key.
    """

    def __init__(self, file: str, line: int | None, path: Path, wrong: str, cure: str) -> None:
        place = file if line is None else f"{file}:{line}"
        key = f"{dotted(path)}: " if path else ""
        super().__init__(_on_one_line(f"{place}: {key}{wrong}. {cure}"))
        self.file = file
        self.line = line
        self.path = path
        self.wrong = wrong
        self.cure = cure


class ConfigErrors(ConfigError):
    """Every defect of one file, in the file's order; its text has one line for each.

    Raised by the loader. It is a `ConfigError` with the file, line and path of the first defect.
    """

    def __init__(self, errors: Iterable[ConfigError]) -> None:
        self.errors = tuple(sorted(errors, key=lambda error: error.line or 0))
        first = self.errors[0]
        super().__init__(first.file, first.line, first.path, first.wrong, first.cure)
        self.args = ("\n".join(str(error) for error in self.errors),)

    def __iter__(self) -> Iterator[ConfigError]:
        return iter(self.errors)

    def __len__(self) -> int:
        return len(self.errors)


def located(file: str, lines: Lines, findings: Iterable[Finding]) -> ConfigErrors:
    """Returns the findings with their lines; a missing key gets the line of its parent."""
    return ConfigErrors(
        ConfigError(file, _line(lines, path), path, wrong, cure) for path, wrong, cure in findings
    )


def dotted(path: Path) -> str:
    """A path as dotted text: `boards.base.channels.lid.pin`."""
    return ".".join(str(step) for step in path)


def shown(value: object) -> str:
    """Quotes an offending value as the file has it, shortened if it is long."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "true" if value else "false"
        case dict():
            return "a mapping"
        case list() | tuple():
            return "a list"
    text = str(value)
    shortened = text if len(text) <= _LONGEST else text[:_LONGEST] + "..."
    return repr(shortened) if isinstance(value, str) else shortened


def instead(wrong: str, known: Iterable[str]) -> str:
    """Returns a sentence that suggests known words in place of an unknown one."""
    words = sorted(known)
    close = get_close_matches(wrong, words, n=1)
    if close:
        return f"Did you mean '{close[0]}'?"
    if len(words) == 1:
        return f"There is only '{words[0]}'."
    return f"Give one of {', '.join(words)}." if words else "Leave it out."


def _on_one_line(text: str) -> str:
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def _line(lines: Lines, path: Path) -> int | None:
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path)
