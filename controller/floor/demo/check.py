"""Compares the audit log of each table with the floor's database: exactly the same events."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from pathlib import Path

from sqlalchemy import Connection, select

from controller.floor.messages.topics import TableAddress
from controller.floor.store.errors import StoreUnavailableError
from controller.floor.store.floor_store import FloorStore
from controller.floor.store.schema import EVENTS, LOGS, TABLES

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
