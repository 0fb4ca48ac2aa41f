"""Reads broken configuration files: edits of a shipped file, and the expected error messages.

    ## a pin used twice: tables/robotic
    - drum: {kind: motor, pin: 4,
    + drum: {kind: motor, pin: 2,
    > drum: | boards.base.channels.drum.pin: is already used by lid.pin (pin 2). Give ...

A `-` line is a fragment that occurs exactly once in the shipped file; the `+` line replaces it (an
empty `+` line removes it). Both can have several lines. A `>` line is an expected message: the
beginning of the line of the broken file to which it belongs, and the message without file and line
number. If several lines begin like that, the one nearest to the first edit is meant; an indent
counts if it is given.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import NamedTuple

import pytest

from config.errors import ConfigErrors
from config.loader import check_file

FOLDER = Path(__file__).parent / "broken"


class BrokenFile(NamedTuple):
    """One broken file: its edits (old, new), and its messages (beginning of the line, text)."""

    what: str
    file: str
    edits: tuple[tuple[str, str], ...]
    messages: tuple[tuple[str, str], ...]


def broken_files(name: str) -> list[BrokenFile]:
    """The broken files that a file in `broken/` describes, in order."""
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    return [_broken_file(part) for part in text.split("## ")[1:]]


def check_messages(broken: BrokenFile, folder: Path) -> None:
    """Writes the broken file, loads it, and compares every message with the expected one."""
    path = folder / "broken.yaml"
    text = _broken(broken)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigErrors) as raised:
        check_file(path)
    lines = _lines(broken, text)
    expected = [
        f"{path}:{line}: {message}"
        for line, (_, message) in zip(lines, broken.messages, strict=True)
    ]
    assert str(raised.value).splitlines() == expected


def _broken_file(part: str) -> BrokenFile:
    title, *lines = part.splitlines()
    what, _, file = title.rpartition(": ")
    edits: list[tuple[list[str], list[str]]] = []
    messages = []
    for line in lines:
        text = line[2:]
        match line[:1]:
            case "-":
                if not edits or edits[-1][1]:
                    edits.append(([], []))
                edits[-1][0].append(text)
            case "+":
                edits[-1][1].append(text)
            case ">":
                begins, _, message = text.partition(" | ")
                messages.append((begins, message))
    joined = tuple(("\n".join(old), "\n".join(new)) for old, new in edits)
    return BrokenFile(what, file, joined, tuple(messages))


def _shipped(broken: BrokenFile) -> str:
    return (resources.files("config") / f"{broken.file}.yaml").read_text(encoding="utf-8")


def _broken(broken: BrokenFile) -> str:
    text = _shipped(broken)
    for old, new in broken.edits:
        assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times in {broken.file}"
        text = text.replace(old, new)
    return text


def _lines(broken: BrokenFile, text: str) -> list[int]:
    """The line number, from 1, of each message."""
    before, after = _shipped(broken).splitlines(), text.splitlines()
    edited = next(n for n, (old, new) in enumerate(zip(before, after, strict=False)) if old != new)
    begun = [
        [
            n
            for n, line in enumerate(after)
            if line.startswith(begins) or line.strip().startswith(begins)
        ]
        for begins, _ in broken.messages
    ]
    return [1 + min(found, key=lambda n: abs(n - edited)) for found in begun]
