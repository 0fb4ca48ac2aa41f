"""Compares the figures of the floor's page with those of each table's own journal.

They come from different records: the floor's from the events in its database, the table's from its
journal. A process that is killed between the two records has an event for a set or a round that the
journal has not, or the other way round, so that each start permits a difference of one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from sqlalchemy import Connection, select

from controller.floor.figures.reading import read_figures
from controller.floor.figures.table_figures import TableFigures
from controller.floor.figures.window import Window
from controller.floor.messages.topics import TableAddress
from controller.floor.store.floor_store import FloorStore
from controller.floor.store.schema import TABLES
from controller.run.health.statistics import facts, statistics_of
from controller.run.journal import read_records

RANGE = timedelta(days=399)
"""The time range of the figures: all that the folder has."""


@dataclass(frozen=True)
class CountedFigures:
    """The counts that both records have. `jams` are recovered ones and those of a stop."""

    rounds: int
    tiles: int
    jams: int
    assists: int


NOTHING = CountedFigures(0, 0, 0, 0)
"""The counts of a table without records."""


@dataclass(frozen=True)
class JournalFigures:
    """The counts of a journal, the tiles of a set, and how often the service was started."""

    counts: CountedFigures
    set_size: int
    starts: int


@dataclass(frozen=True)
class FigureComparison:
    """The result for one table; `defect` is empty if the figures agree."""

    address: TableAddress
    floor: CountedFigures
    defect: str

    def __str__(self) -> str:
        if self.defect:
            return f"{self.address.table}: {self.defect}."
        shown = self.floor
        return (
            f"{self.address.table}: {shown.rounds} rounds, {shown.tiles} tiles, {shown.jams} jams"
            f" and {shown.assists} assists on the floor's page, as in its journal."
        )


def compare_figures(url: str, journals: Mapping[TableAddress, Path]) -> Iterator[FigureComparison]:
    """Compare each table, which does not run any more. Raises StoreUnavailableError."""
    now = datetime.now(UTC)
    store = FloorStore(url)
    try:
        found = store.read(partial(_figures, now=now))
    finally:
        store.close()
    for address, journal in journals.items():
        own, of_floor = journal_figures(journal), found.get(address, NOTHING)
        yield FigureComparison(address, of_floor, difference(of_floor, own))


def difference(floor: CountedFigures, journal: JournalFigures) -> str:
    """What differs by more than the starts of the table explain; empty if nothing does.

    A jam and an assist are recorded at once in both; only the last one may be missing.
    """
    permitted = {
        "rounds": 2 * (journal.starts + 1),
        "tiles": journal.set_size * (journal.starts + 1),
        "jams": 1,
        "assists": 1,
    }
    for name, most in permitted.items():
        shown, counted = getattr(floor, name), getattr(journal.counts, name)
        if abs(shown - counted) > most:
            return f"the floor's page has {shown} {name}, its journal {counted}"
    return ""


def journal_figures(journal: Path) -> JournalFigures:
    """The figures of a table's journal, as `wallwright stats` prints them."""
    if not journal.exists():
        return JournalFigures(NOTHING, 0, 0)
    own = facts(statistics_of(read_records(journal, None)))
    tiles, each = int(own["tiles"]), own["tiles_per_jam"]
    jams = round(tiles / each) if each else 0
    counts = CountedFigures(int(own["rounds"]), tiles, jams, int(own["assists"]))
    size = -(-tiles // int(own["sets"])) if own["sets"] else 0
    return JournalFigures(counts, size, int(own["runs"]))


def _figures(connection: Connection, now: datetime) -> dict[TableAddress, CountedFigures]:
    window = Window(now - RANGE, now + timedelta(minutes=1))
    figures: Mapping[int, TableFigures] = read_figures(connection, window, now)
    rows = connection.execute(select(TABLES.c.id, TABLES.c.floor, TABLES.c.name))
    return {
        TableAddress(row.floor, row.name): CountedFigures(
            figures[row.id].rounds,
            figures[row.id].tiles,
            figures[row.id].jams,
            figures[row.id].assists,
        )
        for row in rows
        if row.id in figures
    }
