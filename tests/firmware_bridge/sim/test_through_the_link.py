"""Builds a wall in virtual time through the link, codec, sessions, boards and plant."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random

import pytest

from config.loader import load_table
from firmware_bridge.board import Edges, Level, Reason
from firmware_bridge.boards.encoding import flags_of
from firmware_bridge.boards.serial_board import SerialBoard
from firmware_bridge.executor.virtual_board import KEY
from firmware_bridge.sim import clock
from firmware_bridge.sim.bench import Bench
from firmware_bridge.sim.line import memory_line
from firmware_bridge.sim.plant.machine import Plant
from firmware_bridge.wire.link import SerialLine
from tests.firmware_bridge.sim.rack import FACES, TILE

now = asyncio.get_running_loop


@asynccontextmanager
async def linked() -> AsyncIterator[tuple[Bench, dict[str, SerialBoard]]]:
    """Connect the robotic table to a line in memory; start its boards and take their leases."""
    table = load_table("robotic")
    here, there = memory_line()
    bench = Bench(Plant(table, TILE, FACES, 1, now()), there.write)
    there.connect(bench.receive, lambda _: None)
    line, random = SerialLine(here), Random(1)
    boards = {
        name: SerialBoard(name, board, line, KEY, lambda: random.randbytes(8), flags_of(table))
        for name, board in table.boards.items()
    }
    for board in boards.values():
        await board.start()
        await board.hold_lease()
    try:
        yield bench, boards
    finally:
        for board in boards.values():
            await board.close()
        line.close()
        bench.close()


def test_a_wall_of_17_stacks_is_built_and_raised_through_the_real_link() -> None:
    async def main() -> None:
        async with linked() as (bench, boards):
            base, plant = boards["base"], bench.plant
            assert plant.drum is not None
            plant.drum.pour([plant.boxes[0].take(tile) for tile in list(plant.boxes[0].tiles)])
            await base.set("drum", 700)
            await base.set("head0_belt", 600)
            for _ in range(17):
                wheel = await base.drive("head0_wheel", 600, Edges("head0_counter", 2), 30.0)
                assert (wheel.reason, wheel.count) == (Reason.EDGES, 2)
                push = await base.drive("head0_pusher", 500, Edges("head0_vane", 1), 2.0)
                assert push.reason is Reason.EDGES
            lift = await base.drive("lift0", 1000, Level("lift0_up"), 5.0)
            assert lift.reason is Reason.LEVEL
            assert lift.seconds == pytest.approx(2.505)
            assert plant.census()["felt"] == 34
            assert now().time() < 30

    clock.run(main())
