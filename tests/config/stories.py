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


class Story(NamedTuple):
    """One broken file: its edits (old, new), and its complaints (line begins, words)."""

    what: str
    file: str
    edits: tuple[tuple[str, str], ...]
    reads: tuple[tuple[str, str], ...]


def stories(name: str) -> list[Story]:
    """The stories of a file in `broken/`, in order."""
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    return [_story(part) for part in text.split("## ")[1:]]


def prove(story: Story, folder: Path) -> None:
    """Break the story's file, read it, compare every complaint with what the story says."""
    path = folder / "broken.yaml"
    text = _broken(story)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigErrors) as raised:
        check_file(path)
    lines = _lines(story, text)
    expected = [
        f"{path}:{line}: {says}" for line, (_, says) in zip(lines, story.reads, strict=True)
    ]
    assert str(raised.value).splitlines() == expected


def _story(part: str) -> Story:
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
    return Story(what, file, joined, tuple(reads))


def _shipped(story: Story) -> str:
    return (resources.files("config") / f"{story.file}.yaml").read_text(encoding="utf-8")


def _broken(story: Story) -> str:
    text = _shipped(story)
    for old, new in story.edits:
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {story.file}"
        text = text.replace(old, new)
    return text


def _lines(story: Story, text: str) -> list[int]:
    """The line, from 1, of each complaint."""
    before, after = _shipped(story).splitlines(), text.splitlines()
    edited = next(n for n, (old, new) in enumerate(zip(before, after, strict=False)) if old != new)
    begun = [
        [
            n
            for n, line in enumerate(after)
            if line.startswith(begins) or line.strip().startswith(begins)
        ]
        for begins, _ in story.reads
    ]
    return [1 + min(found, key=lambda n: abs(n - edited)) for found in begun]
