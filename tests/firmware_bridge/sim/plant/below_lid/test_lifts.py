"""Tests the simulated lifts, lid and flipper: motions, switches and impossible orders."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.board import Ended, Level, Reason
from firmware_bridge.sim.plant.tiles import Tile
from tests.firmware_bridge.sim.rack import Rack, run_scenario


def stack(rack: Rack, side: int, stacks: int, height: int = 2) -> list[list[Tile]]:
    """Push stacks of tiles from a box into a tray; return the tray's stacks."""
    tray = rack.plant.trays[side]
    box = next(box for box in rack.plant.boxes if len(box) >= stacks * height)
    for _ in range(stacks):
        tray.push(box.tiles[:height])
    return list(tray.stacks)


async def lift(rack: Rack, side: int, up: bool) -> Ended:
    value, end = (1000, "up") if up else (-1000, "down")
    return await rack.drive(f"lift{side}", value, Level(f"lift{side}_{end}"), 5.0)


def test_a_wall_rises_with_its_first_stack_as_column_1_on_the_owners_right() -> None:
    async def main(rack: Rack) -> None:
        stacks = stack(rack, 2, 17)
        assert await lift(rack, 2, up=True) == Ended(Reason.LEVEL, 0, 2.505)
        for column, tiles in enumerate(stacks, start=1):
            spot = rack.plant.field.wall(2, column, 17)
            assert rack.plant.felt.top_tile(spot) is tiles[-1]
        assert rack.plant.census()["felt"] == 34

    run_scenario(main)


def test_a_lift_does_not_sink_under_a_raised_wall() -> None:
    async def main(rack: Rack) -> None:
        stack(rack, 0, 17)
        await lift(rack, 0, up=True)
        assert (await lift(rack, 0, up=False)).reason is Reason.FAULT
        assert rack.boards["base"].refusals == ["lift 0 cannot sink: its wall still stands on it."]
        assert rack.read("lift0_up") == 1

    run_scenario(main)


def test_a_lift_sinks_after_its_wall_has_been_removed() -> None:
    async def main(rack: Rack) -> None:
        stack(rack, 0, 17)
        await lift(rack, 0, up=True)
        assert rack.plant.drum is not None
        rack.plant.drum.pour(rack.plant.felt.sweep())
        assert (await lift(rack, 0, up=False)).reason is Reason.LEVEL

    run_scenario(main)


def test_a_wall_is_built_below_a_raised_wall_and_rises_after_that_was_removed() -> None:
    async def main(rack: Rack) -> None:
        stack(rack, 0, 17)
        await lift(rack, 0, up=True)
        stack(rack, 0, 18)
        assert rack.plant.census()["tray 0"] == 36
        assert rack.plant.drum is not None
        rack.plant.drum.pour(rack.plant.felt.sweep())
        await lift(rack, 0, up=False)
        await lift(rack, 0, up=True)
        assert rack.plant.census()["felt"] == 36

    run_scenario(main)


def test_a_lift_does_not_rise_under_tiles_on_the_felt() -> None:
    async def main(rack: Rack) -> None:
        stack(rack, 1, 17)
        box = rack.plant.boxes[1]
        rack.plant.felt.raise_column(rack.plant.field.wall(1, 9, 17), [box.take(box.tiles[0])])
        assert (await lift(rack, 1, up=True)).reason is Reason.FAULT
        here = rack.plant.census()
        assert (here["tray 1"], here["lift 1"], here["felt"]) == (34, 0, 1)
        assert rack.read("lift1_down") == 1

    run_scenario(main)


def test_tiles_put_on_the_felt_during_the_rise_stop_the_lift() -> None:
    async def main(rack: Rack) -> None:
        stack(rack, 1, 17)
        rising = asyncio.create_task(lift(rack, 1, up=True))
        await asyncio.sleep(1)
        box = rack.plant.boxes[1]
        rack.plant.felt.raise_column(rack.plant.field.wall(1, 9, 17), [box.take(box.tiles[0])])
        assert (await rising).reason is Reason.FAULT
        assert rack.plant.census()["lift 1"] == 34

    run_scenario(main)


@settings(max_examples=20, deadline=None)
@given(st.floats(0.01, 2.4), st.floats(0.0, 10.0))
def test_a_lift_stopped_half_way_stays_there_and_continues_later(
    first: float, pause: float
) -> None:
    async def main(rack: Rack) -> None:
        stack(rack, 0, 3)
        rising = asyncio.create_task(lift(rack, 0, up=True))
        await asyncio.sleep(first)
        rack.stop("lift0")
        assert (await rising).reason is Reason.STOPPED
        await asyncio.sleep(pause + 0.006)
        assert (rack.read("lift0_up"), rack.read("lift0_down")) == (0, 0)
        assert rack.plant.census()["lift 0"] == 6
        rest = await lift(rack, 0, up=True)
        assert rest.seconds == pytest.approx(2.5 - first + 0.005, abs=2e-6)

    run_scenario(main)


def test_a_lift_that_is_reversed_puts_its_stacks_back_into_the_tray() -> None:
    async def main(rack: Rack) -> None:
        stacks = stack(rack, 0, 5)
        rising = asyncio.create_task(lift(rack, 0, up=True))
        await asyncio.sleep(1)
        rack.stop("lift0")
        await rising
        assert (await lift(rack, 0, up=False)).seconds == pytest.approx(1.005)
        assert rack.plant.trays[0].stacks == stacks
        await lift(rack, 0, up=True)
        assert rack.plant.census()["felt"] == 10

    run_scenario(main)


def test_a_loaded_lift_that_sinks_onto_a_filled_tray_is_a_fault() -> None:
    async def main(rack: Rack) -> None:
        stack(rack, 0, 5)
        rising = asyncio.create_task(lift(rack, 0, up=True))
        await asyncio.sleep(1)
        rack.stop("lift0")
        await rising
        stack(rack, 0, 5)
        assert (await lift(rack, 0, up=False)).reason is Reason.FAULT
        assert rack.plant.census()["tray 0"] == 10

    run_scenario(main)


def test_the_flipper_turns_the_top_tile_of_the_column_above_it() -> None:
    async def main(rack: Rack) -> None:
        module = rack.table.modules.flipper
        assert module is not None
        stacks = stack(rack, module.tray, 17)
        column = stacks[module.column - 1]
        await lift(rack, module.tray, up=True)
        await rack.drive("flipper", 500, Level("flipper_flipped"), 3.0)
        assert [tile.up for tile in column] == [False, True]
        home = await rack.drive("flipper", -500, Level("flipper_home"), 3.0)
        assert home.reason is Reason.LEVEL
        assert column[1].up

    run_scenario(main, "auto_deal")


def test_a_flipper_without_a_wall_above_it_is_a_fault() -> None:
    async def main(rack: Rack) -> None:
        ended = await rack.drive("flipper", 500, Level("flipper_flipped"), 3.0)
        assert ended.reason is Reason.FAULT

    run_scenario(main, "auto_deal")
