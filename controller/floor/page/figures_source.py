"""Figures of the room for pages and reports; the same time range is computed once for all pages."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection

from controller.floor.figures.reading import read_figures
from controller.floor.figures.table_figures import TableFigures, Window, together
from controller.floor.server.port import FloorPort
from controller.floor.store.table_changes import floor_tables

FRESH = 15.0
"""Seconds for which the figures of a range that ends now are used again."""
SHARE = 10
"""They are used for this many times as long as they took to compute, if that is longer: a large
floor then spends at most a tenth of the time on figures."""
HOURS = (1, 8, 24, 168)
"""Ranges that end now, hours."""


@dataclass(frozen=True)
class NamedFigures:
    """The figures of one table with its name in topics and its title.

    `retired` is when the table left the floor, None for a table in use.
    """

    name: str
    title: str
    figures: TableFigures
    retired: datetime | None = None


@dataclass(frozen=True)
class RoomFigures:
    """The figures of every table of a floor in a time range, and of all of them together."""

    window: Window
    tables: tuple[NamedFigures, ...]

    @property
    def room(self) -> TableFigures:
        """The figures of all tables together."""
        return together(table.figures for table in self.tables)

    def as_json(self) -> Mapping[str, object]:
        """The figures as a JSON object."""
        return {
            "begin": _text(self.window.begin),
            "end": _text(self.window.end),
            "room": self.room.as_json(),
            "tables": {
                table.name: {
                    "title": table.title,
                    "retired": "" if table.retired is None else _text(table.retired),
                    **table.figures.as_json(),
                }
                for table in self.tables
            },
        }


class FiguresSource:
    """Reads figures from the floor's database."""

    def __init__(self, port: FloorPort) -> None:
        self._port = port
        self._recent: dict[int, tuple[float, RoomFigures]] = {}
        """The last figures of each range, and until which time of the event loop they are used."""
        self._locks = {hours: asyncio.Lock() for hours in HOURS}

    def forget(self) -> None:
        """Compute all figures anew: a table was retired, taken back or renamed."""
        self._recent.clear()

    async def of_window(self, window: Window, now: datetime) -> RoomFigures:
        """The figures of a time range. Raises WallwrightError without the database."""
        floor = self._port.room.floor
        return await self._port.read(
            lambda connection: read_room_figures(connection, floor, window, now)
        )

    async def of_last_hours(self, hours: int, now: datetime) -> RoomFigures:
        """The figures of the last hours, one of `HOURS`; they can be some seconds old."""
        clock = asyncio.get_running_loop().time
        async with self._locks[hours]:
            until, kept = self._recent.get(hours, (0.0, None))
            begun = clock()
            if kept is None or begun > until:
                kept = await self.of_window(Window(now - timedelta(hours=hours), now), now)
                until = clock() + max(FRESH, SHARE * (clock() - begun))
                self._recent[hours] = (until, kept)
            return kept


def read_room_figures(
    connection: Connection, floor: str, window: Window, now: datetime
) -> RoomFigures:
    """Read the figures of a floor's tables. `now` ends what still lasts.

    A retired table is one of them only if it has figures in the time range.
    """
    figures = read_figures(connection, window, now)
    found = (
        NamedFigures(
            table.address.table,
            table.title,
            figures.get(table.key, TableFigures()),
            table.retired,
        )
        for table in floor_tables(connection, floor)
    )
    tables = tuple(each for each in found if each.retired is None or each.figures != TableFigures())
    return RoomFigures(window, tables)


def _text(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
