from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection

from controller.floor.page.figures_source import FRESH, SHARE, FiguresSource
from firmware_bridge.sim.clock import run
from tests.controller.floor.page.fake_floor import NOW, FakeFloor, fake_floor

Result = TypeVar("Result")


class SlowFloor(FakeFloor):
    """A floor whose queries take `takes` seconds of the virtual clock, and are counted."""

    takes = 0.0
    queries = 0

    async def read(self, query: Callable[[Connection], Result]) -> Result:
        """Run a query in this thread."""
        self.queries += 1
        await asyncio.sleep(self.takes)
        with self.engine.begin() as connection:
            return query(connection)


def queries(folder: Path, takes: float, waits: tuple[float, ...]) -> int:
    """The number of queries for figures that are asked for after these waits."""
    floor = SlowFloor(fake_floor(folder).engine)
    floor.takes = takes

    async def ask() -> None:
        source = FiguresSource(floor)
        for wait in waits:
            await asyncio.sleep(wait)
            now = NOW + timedelta(seconds=asyncio.get_running_loop().time())
            await asyncio.gather(*(source.of_last_hours(8, now) for _ in range(20)))

    try:
        run(ask())
    finally:
        floor.worker.close()
        floor.engine.dispose()
    return floor.queries


def test_many_pages_share_the_figures_for_some_seconds(tmp_path: Path) -> None:
    assert queries(tmp_path, 0.1, (0, 1, 1)) == 1
    assert queries(tmp_path, 0.1, (0, FRESH + 1)) == 2


def test_figures_that_take_long_are_computed_seldom(tmp_path: Path) -> None:
    assert queries(tmp_path, 10.0, (0, FRESH + 1, FRESH + 1)) == 1
    assert queries(tmp_path, 10.0, (0, 10.0 * SHARE + 1)) == 2
