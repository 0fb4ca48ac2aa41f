"""The simulated tables of the demonstration: which table and which game each of them is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle, islice


@dataclass(frozen=True)
class DemoTable:
    """One table: its name in topics, its title, the shipped table and the game played on it."""

    name: str
    title: str
    table: str
    game: str
    number: int


KINDS = (
    ("robotic", "wenzhou"),
    ("classic", "filipino"),
    ("pai_gow", "pai_gow"),
    ("single_port", "muggins"),
    ("auto_deal", "wenzhou"),
    ("robotic", "da_san"),
    ("classic", "block"),
    ("auto_deal", "threes"),
    ("single_port", "sebastopol"),
    ("pai_gow", "bergen"),
    ("robotic", "filipino"),
    ("classic", "wenzhou"),
)
"""Shipped tables with games that can be set up on them; the thirteenth table begins again."""


def demo_tables(count: int) -> Iterator[DemoTable]:
    """The first tables of the demonstration."""
    for number, (table, game) in enumerate(islice(cycle(KINDS), count), 1):
        yield DemoTable(f"t{number:02}", f"Table {number}", table, game, number)
