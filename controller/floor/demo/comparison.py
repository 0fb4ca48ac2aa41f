"""Compares the records of each table with the floor's database: its audit log and its figures.

The events of the audit log have to be exactly those of the database. The figures of the floor's
page come from these events, those of the table from its journal. A process that is killed between
the two records has an event for a set or a round that the journal has not, or the other way round,
so that each start permits a difference of one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import zip_longest
from pathlib import Path

from sqlalchemy import Connection, select

from controller.floor.figures.reading import read_figures
from controller.floor.figures.table_figures import TableFigures, Window
from controller.floor.messages import TableAddress
from controller.floor.store.engine import StoreUnavailableError
from controller.floor.store.floor_store import FloorStore
from controller.floor.store.schema import EVENTS, LOGS, TABLES
from controller.run.health.statistics import statistics_of
from controller.run.journal import read_records

ARRIVING = 90.0
"""Seconds in which the events of a log have to reach the database: the table resends after 10 s,
and a table that was just killed connects again within a minute."""


@dataclass(frozen=True)
class LogComparison:
    """The result for one table: the events in its log and in the database, and what differs."""

    address: TableAddress
    in_log: int
    in_database: int
    defect: str = ""

    def __str__(self) -> str:
        same = self.defect or f"{self.in_log} events, all in the database, once and in order"
        return f"{self.address.table}: {same}."


def compare_log(lines: list[str], stored: list[tuple[int, str]]) -> str:
    """What differs between a log's lines and the stored numbers and lines; empty if nothing.

    The database may have more events than the lines: those that were written after reading.
    """
    for index, (line, row) in enumerate(zip_longest(lines, stored)):
        if line is None:
            break
        if row is None:
            return f"event {index} of the log and {len(lines) - index - 1} later ones are missing"
        if row[0] != index:
            return f"the database has event {row[0]} where {index} belongs"
        if row[1] != line:
            return f"event {index} differs from the log"
    numbers = [number for number, _ in stored]
    if numbers != list(range(len(stored))):
        return "the numbers of the later events have gaps or repetitions"
    return ""


def log_lines(file: Path) -> list[str]:
    """The complete lines of an audit log; none if it was not begun."""
    if not file.exists():
        return []
    lines = file.read_text("utf-8").split("\n")
    return lines[:-1]


def stored_events(connection: Connection, address: TableAddress) -> list[tuple[int, str]]:
    """The numbers and the lines of a table's newest log, in the order of the numbers."""
    newest = (
        select(LOGS.c.id)
        .join(TABLES, TABLES.c.id == LOGS.c.table_id)
        .where(TABLES.c.floor == address.floor, TABLES.c.name == address.table)
        .order_by(LOGS.c.id.desc())
        .limit(1)
    )
    rows = connection.execute(
        select(EVENTS.c.number, EVENTS.c.line)
        .where(EVENTS.c.log_id == newest.scalar_subquery())
        .order_by(EVENTS.c.number)
    )
    return [(row.number, row.line) for row in rows]


async def compare_logs(url: str, logs: Mapping[TableAddress, Path]) -> tuple[LogComparison, ...]:
    """Compare every log with the database, after its present events have had time to arrive."""
    wanted: dict[TableAddress, list[str]] = {}
    loop = asyncio.get_running_loop()
    end = loop.time() + ARRIVING
    store = FloorStore(url)
    try:
        while True:
            for address, file in logs.items():
                # A table that has just started begins its log later.
                wanted[address] = wanted.get(address) or log_lines(file)
            found = tuple(_compared(store, wanted))
            if not any(each.defect for each in found) or loop.time() > end:
                return found
            await asyncio.sleep(1.0)
    finally:
        store.close()


def _compared(
    store: FloorStore, wanted: Mapping[TableAddress, list[str]]
) -> Iterator[LogComparison]:
    for address, lines in wanted.items():
        try:
            stored = store.read(partial(stored_events, address=address))
        except StoreUnavailableError as error:
            yield LogComparison(address, len(lines), 0, str(error))
            continue
        defect = compare_log(lines, stored) if lines else "the table has not begun a log"
        yield LogComparison(address, len(lines), len(stored), defect)


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
    own = statistics_of(read_records(journal, None))
    counts = CountedFigures(own.rounds, own.tiles, own.counts.jams, own.counts.assists)
    size = -(-own.tiles // own.sets) if own.sets else 0
    return JournalFigures(counts, size, own.runs)


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
