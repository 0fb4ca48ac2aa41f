"""Trials of units with their own controller: the dice and the tile reader."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from controller.selftest.subject import Subject
from controller.selftest.trial import DisagreementError, Trial


def dice(subject: Subject) -> Iterator[Trial]:
    """One throw: every die must show a face."""
    module = subject.table.modules.dice
    if module:
        yield Trial(
            "dice",
            module.unit,
            (module.unit,),
            "Watch the dome: it shakes the dice.",
            f"a throw of {module.dice} dice",
            partial(_throw, subject, module.unit, module.dice),
            "Did it, and do the dice lie flat?",
            (module.unit,),
        )


async def _throw(subject: Subject, unit: str, number: int) -> str:
    faces = (await subject.board(unit).throw(unit, number))[:number]
    if not all(1 <= face <= 6 for face in faces):
        raise DisagreementError(f"the reader saw {' '.join(map(str, faces))}")
    return f"the dice show {' '.join(map(str, faces))}"


def reader(subject: Subject) -> Iterator[Trial]:
    """One scan: the reader must answer, with a tag or without."""
    module = subject.table.modules.reader
    if module:
        yield Trial(
            "reader",
            module.unit,
            (module.unit,),
            "Hold a tile before the reader, or none; it is read once.",
            "one scan",
            partial(_scan, subject, module.unit),
        )


async def _scan(subject: Subject, unit: str) -> str:
    tag = await subject.board(unit).scan(unit)
    return "it answers, and sees no tag" if tag is None else f"it reads the tag {tag:016X}"
