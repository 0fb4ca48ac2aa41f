"""All trials of a table, in the order in which they run.

The trials of the dice and of the tile reader, which have controllers of their own, are here too.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from controller.upkeep.selftest.outputs import (
    axes,
    chain,
    magazine,
    relays,
    shown,
    travellers,
    turning,
)
from controller.upkeep.selftest.sensors import by_hand, measured, stops
from controller.upkeep.selftest.trial import DisagreementError, TableUnderTest, Trial


def dice(subject: TableUnderTest) -> Iterator[Trial]:
    """The trial of the dice unit: one throw, in which every die must show a face."""
    module = subject.table.modules.dice
    if module:
        yield Trial(
            "dice",
            module.unit,
            (module.unit,),
            "Watch the dome: the dice unit throws the dice.",
            f"a throw of {module.dice} dice",
            partial(_throw, subject, module.unit, module.dice),
            "Did this happen, and do the dice lie flat?",
            (module.unit,),
        )


async def _throw(subject: TableUnderTest, unit: str, number: int) -> str:
    """Throw the dice once; returns the evidence."""
    faces = (await subject.board(unit).throw(unit, number))[:number]
    if not all(1 <= face <= 6 for face in faces):
        raise DisagreementError(f"the unit read {' '.join(map(str, faces))}")
    return f"the dice show {' '.join(map(str, faces))}"


def reader(subject: TableUnderTest) -> Iterator[Trial]:
    """The trial of the tile reader: one scan, which must be answered, with a tag or without."""
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


async def _scan(subject: TableUnderTest, unit: str) -> str:
    """Scan once; returns the evidence."""
    tag = await subject.board(unit).scan(unit)
    return "the reader found no tag" if tag is None else f"the reader found the tag {tag:016X}"


def trials(subject: TableUnderTest) -> Iterator[Trial]:
    """All trials of a table. The emergency stop comes first, before any part moves."""
    yield from stops(subject)
    yield from by_hand(subject)
    yield from relays(subject)
    yield from shown(subject)
    yield from axes(subject)
    yield from travellers(subject)
    yield from chain(subject)
    yield from magazine(subject)
    yield from turning(subject)
    yield from dice(subject)
    yield from reader(subject)
    yield from measured(subject)
