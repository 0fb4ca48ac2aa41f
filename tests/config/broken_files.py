"""Broken files as stories: which edits of a shipped file, and what one then reads, word by word.

    ## a pin used twice: tables/robotic
    - drum: {kind: motor, pin: 4,
    + drum: {kind: motor, pin: 2,
    > drum: | boards.base.channels.drum.pin: is taken by lid.pin (pin 2). Give ...

`-` is a fragment that stands in the shipped file exactly once, `+` what stands there instead (bare:
nothing); both may have several lines. `>` is a complaint: how the line begins that it is about (of
several such lines the one nearest to the first edit; an indent counts if it is given), and its
words after file and line.
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
    """One broken file: its edits (old, new), and its complaints (line begins, words)."""

    what: str
    file: str
    edits: tuple[tuple[str, str], ...]
    reads: tuple[tuple[str, str], ...]


def broken_files(name: str) -> list[BrokenFile]:
    """The stories of a file in `broken/`, in order."""
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    return [_broken_file(part) for part in text.split("## ")[1:]]


def prove(broken: BrokenFile, folder: Path) -> None:
    """Break the story's file, read it, compare every complaint with what the story says."""
    path = folder / "broken.yaml"
    text = _broken(broken)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigErrors) as raised:
        check_file(path)
    lines = _lines(broken, text)
    expected = [
        f"{path}:{line}: {says}" for line, (_, says) in zip(lines, broken.reads, strict=True)
    ]
    assert str(raised.value).splitlines() == expected


def _broken_file(part: str) -> BrokenFile:
    title, *lines = part.splitlines()
    what, _, file = title.rpartition(": ")
    edits: list[tuple[list[str], list[str]]] = []
    reads = []
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
                begins, _, says = text.partition(" | ")
                reads.append((begins, says))
    joined = tuple(("\n".join(old), "\n".join(new)) for old, new in edits)
    return BrokenFile(what, file, joined, tuple(reads))


def _shipped(broken: BrokenFile) -> str:
    return (resources.files("config") / f"{broken.file}.yaml").read_text(encoding="utf-8")


def _broken(broken: BrokenFile) -> str:
    text = _shipped(broken)
    for old, new in broken.edits:
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {broken.file}"
        text = text.replace(old, new)
    return text


def _lines(broken: BrokenFile, text: str) -> list[int]:
    """The line, from 1, of each complaint."""
    before, after = _shipped(broken).splitlines(), text.splitlines()
    edited = next(n for n, (old, new) in enumerate(zip(before, after, strict=False)) if old != new)
    begun = [
        [
            n
            for n, line in enumerate(after)
            if line.startswith(begins) or line.strip().startswith(begins)
        ]
        for begins, _ in broken.reads
    ]
    return [1 + min(found, key=lambda n: abs(n - edited)) for found in begun]
