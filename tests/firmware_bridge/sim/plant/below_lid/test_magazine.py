"""Tests the simulated magazine: one tile a pocket, strokes, and orders that it cannot execute."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from config.schema import TileSize
from firmware_bridge.board import Edges, Ended, Level, Reason
from tests.firmware_bridge.sim.plant.below_lid.head_actions import fill
from tests.firmware_bridge.sim.rack import Rack, run_scenario, with_faults
from tests.sorted_table import SORTED, TILES

STEP, STROKE = 0.08, 0.3
PASSED = 0.25
"""Seconds after which a tile has left the counter."""


def scenario(main: Callable[[Rack], Coroutine[Any, Any, None]], *faults: str) -> Rack:
    """Run a scenario with the set in the drum of the example table, and constant durations."""
    plant = with_faults(*faults) | {"tile": TileSize(length_mm=50, width_mm=25, height_mm=15)}

    async def filled(rack: Rack) -> None:
        fill(rack, TILES)
        await main(rack)

    return run_scenario(filled, str(SORTED), faces=("face",) * TILES, **plant)


async def turn(rack: Rack, pockets: int) -> Ended:
    """Turn the carousel by this number of pockets."""
    value = 1000 if pockets > 0 else -1000
    return await rack.drive("magazine", value, Edges("magazine_vane", abs(pockets)), 5.0)


async def load(rack: Rack) -> Ended:
    """Let one tile fall into the pocket at the inlet."""
    ended = await rack.drive("head0_wheel", 600, Edges("head0_counter", 1), 30.0)
    await asyncio.sleep(PASSED)
    return ended


async def strike(rack: Rack) -> Ended:
    """Make one stroke of the ejector."""
    return await rack.drive("ejector", 1000, Edges("ejector_withdrawn", 1), 2.0)


def test_a_tile_stays_in_its_pocket_until_a_stroke_pushes_it_out() -> None:
    async def main(rack: Rack) -> None:
        await load(rack)
        await turn(rack, 1)
        await load(rack)
        assert (rack.plant.census()["magazine"], rack.plant.census()["head 0"]) == (2, 0)
        first, second = rack.plant.heads[0].holders[1].tiles
        await turn(rack, -1)
        ended = await strike(rack)
        assert (ended.reason, round(ended.seconds, 2)) == (Reason.EDGES, STROKE)
        assert rack.plant.heads[0].waiting.tiles == [first]
        await turn(rack, 1)
        await strike(rack)
        assert rack.plant.heads[0].waiting.tiles == [first, second]
        await strike(rack)
        assert len(rack.plant.heads[0].waiting) == 2, "the pocket is empty"

    scenario(main)


@pytest.mark.parametrize(("pockets", "home"), [(5, 0), (-3, 0), (32, 1)])
def test_a_turn_takes_a_step_for_each_pocket_and_home_is_active_at_pocket_0(
    pockets: int, home: int
) -> None:
    async def main(rack: Rack) -> None:
        assert (rack.read("magazine_home"), rack.read("magazine_vane")) == (1, 1)
        ended = await turn(rack, pockets)
        assert (ended.reason, ended.count) == (Reason.EDGES, abs(pockets))
        assert ended.seconds == pytest.approx(abs(pockets) * STEP, abs=0.005)
        assert (rack.read("magazine_home"), rack.read("magazine_vane")) == (home, 1)
        if not home:
            back = await rack.drive("magazine", -1000, Level("magazine_home"), 5.0)
            assert back.seconds == pytest.approx(pockets % 32 * STEP, abs=0.005)

    scenario(main)


async def _turn_into_a_stroke(rack: Rack) -> Ended:
    await load(rack)
    await rack.pulse("ejector", 1000, STROKE / 2)
    return await turn(rack, 1)


async def _turn_at_a_tile(rack: Rack) -> Ended:
    await rack.drive("head0_wheel", 600, Edges("head0_counter", 1), 30.0)
    return await turn(rack, 1)


async def _strike_between_pockets(rack: Rack) -> Ended:
    await rack.pulse("magazine", 1000, STEP / 2)
    return await strike(rack)


async def _load_between_pockets(rack: Rack) -> Ended:
    await rack.pulse("magazine", 1000, STEP / 2)
    return await rack.drive("head0_wheel", 600, Edges("head0_vane", 1), 5.0)


@pytest.mark.parametrize(
    "order", [_turn_into_a_stroke, _turn_at_a_tile, _strike_between_pockets, _load_between_pockets]
)
def test_an_order_that_would_break_a_tile_is_impossible(
    order: Callable[[Rack], Coroutine[Any, Any, Ended]],
) -> None:
    async def main(rack: Rack) -> None:
        assert (await order(rack)).reason is Reason.FAULT
        assert sum(rack.plant.census().values()) == TILES

    scenario(main)


def test_a_hanging_tile_falls_at_a_later_stroke_or_after_a_person_straightens_it() -> None:
    async def main(rack: Rack) -> None:
        await load(rack)
        for waiting in (0, 0, 1):
            await strike(rack)
            assert len(rack.plant.heads[0].waiting) == waiting
        await turn(rack, 1)
        await load(rack)
        await strike(rack)
        assert rack.plant.repair("MAGAZINE", "magazine")
        await strike(rack)
        assert len(rack.plant.heads[0].waiting) == 2

    scenario(main, "held_tile:magazine#1~2", "held_tile:magazine#1~9")


def test_two_tiles_in_one_pocket_fall_together_and_are_counted_twice() -> None:
    async def main(rack: Rack) -> None:
        await load(rack)
        await asyncio.sleep(PASSED)
        await rack.drive("ejector", 1000, Edges("magazine_passed", 2), 2.0)
        assert len(rack.plant.heads[0].waiting) == 2

    scenario(main, "double_feed:head0#1")
