"""What is wrong with a file, where, and what to do: one line a defect, all defects at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import NamedTuple

from rules.errors import WallwrightError

Path = tuple[str | int, ...]
"""The way to a value from the top of its file: keys, and positions in lists from 0."""

Lines = Mapping[Path, int]
"""The line, from 1, on which each value's key stands."""

_LONGEST = 48


class Finding(NamedTuple):
    """A defect of a value, before anybody knows in which line of which file it stands."""

    path: Path
    wrong: str
    cure: str


class ConfigError(WallwrightError, ValueError):
    """One defect, told as `file:line: path.of.key: what is wrong (offending value). What to do.`.

    `line` is None where the file as a whole is meant, `path` is empty where no key is.
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
    """Every defect of one file, in the file's order; its text is a line for each.

    What the loader raises. Whoever catches `ConfigError` has it, with the first defect's place.
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
    """Those findings at their lines; one about a missing key stands where its parent does."""
    return ConfigErrors(
        ConfigError(file, _line(lines, path), path, wrong, cure) for path, wrong, cure in findings
    )


def dotted(path: Path) -> str:
    """A path as people write it: `boards.base.channels.lid.pin`."""
    return ".".join(str(step) for step in path)


def shown(value: object) -> str:
    """An offending value as its file has it, shortened where it is long."""
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
    """A sentence that leads from a misspelt word to those that exist."""
    words = sorted(known)
    close = get_close_matches(wrong, words, n=1)
    if close:
        return f"Did you mean '{close[0]}'?"
    if len(words) == 1:
        return f"There is only '{words[0]}'."
    return f"Take one of {', '.join(words)}." if words else "Leave it out."


def _on_one_line(text: str) -> str:
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def _line(lines: Lines, path: Path) -> int | None:
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path)
