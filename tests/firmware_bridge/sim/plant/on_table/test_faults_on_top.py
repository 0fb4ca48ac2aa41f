"""Tests injected faults above the lid: gripper, reader, dice, light curtain, people."""

from __future__ import annotations

import asyncio

import pytest

from config.layout.field import Spot
from firmware_bridge.board import FaultCode, Level, Reason
from firmware_bridge.guide import Ask
from firmware_bridge.sim.people.simulated_guide import SimulatedGuide
from firmware_bridge.sim.plant.machine import TAGS
from firmware_bridge.sim.plant.tiles import Tile
from firmware_bridge.wire.messages import Clear, Faulted, Ok, Scan, Set, Tag
from tests.firmware_bridge.sim.rack import Rack, run_scenario, with_faults

HERE, THERE = Spot(0.1, 0.1, False), Spot(0.3, -0.2, False)


def column(rack: Rack, tiles: int = 2) -> list[Tile]:
    """Put a column of tiles from the first box onto the felt; return the tiles."""
    box = rack.plant.boxes[0]
    taken = [box.take(tile) for tile in box.tiles[:tiles]]
    rack.plant.felt.raise_column(HERE, taken)
    return taken


async def grip(rack: Rack) -> None:
    """Home the axes, grip the whole column, and raise it."""
    for axis in ("gantry_z", "gantry_x", "gantry_y"):
        await rack.home(axis)
    await rack.move(gantry_x=HERE.x, gantry_y=HERE.y)
    await rack.move(gantry_z=0.0)
    assert (await rack.drive("grip", 1000, Level("gripped"), 1.0)).reason is Reason.LEVEL
    await rack.move(gantry_z=0.2)
    await asyncio.sleep(0.01)
    assert rack.read("loaded") == 1


@pytest.mark.parametrize("seed", range(6))
def test_a_dropped_block_is_put_back_by_a_person(seed: int) -> None:
    async def main(rack: Rack) -> None:
        tiles = column(rack)
        await grip(rack)
        await rack.move(gantry_x=THERE.x, gantry_y=THERE.y)
        await asyncio.sleep(0.01)
        assert (rack.read("loaded"), rack.read("gripped")) == (0, 1)
        here = rack.plant.census()
        assert (here["gripper"], here["felt"]) == (0, 2)
        assert len(rack.plant.felt.pillars) == 1
        if not rack.plant.felt.is_occupied(HERE):
            await rack.drive("grip", -1000, Level("released"), 1.0)
            await rack.drive("grip", 1000, Level("gripped"), 1.0)
            assert rack.read("loaded") == 0, "empty jaws detect no tile"
        assert rack.plant.repair("EMPTY_GRIP", "gripper")
        assert rack.plant.felt.top_tile(HERE) is tiles[-1]
        assert rack.plant.felt.support_level(HERE) == 2

    run_scenario(main, seed=seed, **with_faults("dropped_tile:gripper#1"))


@pytest.mark.parametrize("seed", range(6))
def test_a_block_dropped_close_to_its_place_is_put_back_as_one_column(seed: int) -> None:
    async def main(rack: Rack) -> None:
        tiles = column(rack)
        await grip(rack)
        await rack.move(gantry_y=HERE.y - 0.05)
        assert rack.plant.repair("EMPTY_GRIP", "gripper")
        (pillar,) = rack.plant.felt.pillars
        assert (pillar.spot, pillar.base, pillar.tiles) == (HERE, 0, tiles)

    run_scenario(main, seed=seed, **with_faults("dropped_tile:gripper#1"))


@pytest.mark.parametrize("seed", range(6))
def test_a_block_dropped_in_an_earlier_round_is_not_put_back_into_later_walls(seed: int) -> None:
    async def main(rack: Rack) -> None:
        felt = rack.plant.felt
        lower, upper = column(rack)
        await grip(rack)
        await rack.move(gantry_x=THERE.x, gantry_y=THERE.y)
        for tile in felt.sweep():
            rack.plant.boxes[0].put(tile)
        for tile in (upper, lower):
            rack.plant.boxes[0].take(tile)
        felt.raise_column(HERE, [upper, lower])
        rack.plant.repair("EMPTY_GRIP", "gripper")
        (pillar,) = felt.pillars
        assert pillar.tiles == [upper, lower]

    run_scenario(main, seed=seed, **with_faults("dropped_tile:gripper#1"))


def test_a_block_is_dropped_at_its_place_or_on_the_way() -> None:
    at_its_place: list[bool] = []

    async def main(rack: Rack) -> None:
        column(rack)
        await grip(rack)
        await rack.move(gantry_x=THERE.x, gantry_y=THERE.y)
        at_its_place.append(rack.plant.felt.is_occupied(HERE))

    for seed in range(12):
        run_scenario(main, seed=seed, **with_faults("dropped_tile:gripper#1"))
    assert set(at_its_place) == {True, False}


async def grip_two_columns_with_one_dropped_in_between(rack: Rack) -> int:
    """Drop a block of two columns, grip again at its place; return 1 if the jaws hold tiles."""
    half = rack.plant.field.pitch / 2
    box = rack.plant.boxes[0]
    for x in (HERE.x - half, HERE.x + half):
        rack.plant.felt.raise_column(Spot(x, HERE.y, False), [box.take(box.tiles[0])])
    rack.send("wide", lambda number: Set(number, 1))
    await grip(rack)
    await rack.move(gantry_x=HERE.x + 4 * half)
    await rack.drive("grip", -1000, Level("released"), 1.0)
    await rack.move(gantry_x=HERE.x)
    await rack.move(gantry_z=0.0)
    assert (await rack.drive("grip", 1000, Level("gripped"), 1.0)).reason is Reason.LEVEL
    return rack.read("loaded")


def test_jaws_that_close_on_half_of_a_dropped_block_hold_nothing_and_refuse_nothing() -> None:
    held: list[int] = []

    async def main(rack: Rack) -> None:
        held.append(await grip_two_columns_with_one_dropped_in_between(rack))

    for seed in range(8):
        run_scenario(main, seed=seed, **with_faults("dropped_tile:gripper#1"))
    assert set(held) == {0, 1}, "some blocks drop at their place, others on the way"


def test_a_misread_gives_no_tag_or_another_tag_and_the_next_scan_the_right_one() -> None:
    wrong: list[int] = []

    async def main(rack: Rack) -> None:
        tiles = column(rack, 1)
        await grip(rack)
        read = rack.send("reader", Scan)
        again = rack.send("reader", Scan)
        assert isinstance(read, Tag)
        assert again == Tag(TAGS + tiles[0].number)
        assert read != again
        wrong.append(read.tag)

    for seed in range(8):
        run_scenario(main, seed=seed, **with_faults("misread:reader#1"))
    assert 0 in wrong
    assert any(wrong)


def test_a_cocked_die_reads_0_and_the_next_throw_is_valid() -> None:
    async def main(rack: Rack) -> None:
        assert 0 in await rack.throw("dice", 2)
        assert all(1 <= face <= 6 for face in await rack.throw("dice", 2))

    run_scenario(main, **with_faults("cocked_die:dice#1"))


def test_a_foreign_tile_has_a_tag_that_is_in_no_set_of_this_table() -> None:
    async def main(rack: Rack) -> None:
        plant = rack.plant
        assert plant.drum is not None
        plant.drum.pour([plant.boxes[0].take(tile) for tile in plant.boxes[0].tiles[:8]])
        foreign = next(tile for tile in plant.drum.well.tiles if tile.face == "foreign")
        plant.felt.raise_column(HERE, [plant.take_out(foreign)])
        await grip(rack)
        read = rack.send("reader", Scan)
        assert isinstance(read, Tag)
        assert 0 < read.tag < TAGS

    run_scenario(main, **with_faults("foreign_tile:drum#1"))


def test_an_emergency_stop_latches_on_every_board_until_it_is_released() -> None:
    async def main(rack: Rack) -> None:
        rack.set("drum", 700)
        await asyncio.sleep(4)
        assert rack.plant.drum is not None
        assert not rack.plant.drum.stirring
        assert len(rack.received(Faulted)) == 2
        for board in rack.boards.values():
            assert board.faults == (FaultCode.EMERGENCY_STOP,)
            assert board.execute(Clear(), 0) != Ok()
        assert rack.plant.repair("EMERGENCY", "emergency stop")
        for board in rack.boards.values():
            assert board.execute(Clear(), 0) == Ok()

    run_scenario(main, **with_faults("emergency_stop:table@3"))


def test_a_hand_in_the_light_curtain_is_withdrawn_after_its_time() -> None:
    async def main(rack: Rack) -> None:
        await asyncio.sleep(3.1)
        assert (rack.read("curtain"), rack.read("arm_curtain")) == (1, 1)
        await asyncio.sleep(2)
        assert (rack.read("curtain"), rack.read("arm_curtain")) == (0, 0)

    run_scenario(main, **with_faults("reach_in:table@3"))


# People who help

ASK = Ask("JAM", "head 0", "head0_counter is active", "Clear the tile that is stuck at head 0.")


async def jam(rack: Rack) -> None:
    """Run head 0 until the injected fault `jam` makes a tile stick."""
    plant = rack.plant
    assert plant.drum is not None
    plant.drum.pour([plant.boxes[0].take(tile) for tile in plant.boxes[0].tiles[:60]])
    for motor in ("drum", "head0_belt", "head0_wheel"):
        rack.set(motor, 700)
    await asyncio.sleep(2)
    assert rack.plant.injected_faults.active == (("jam", "head0"),)


def test_a_person_who_is_asked_clears_the_jam_after_30_seconds() -> None:
    async def main(rack: Rack) -> None:
        await jam(rack)
        began = rack.loop.time()
        assert await SimulatedGuide(rack.plant).help(ASK) == "done"
        assert rack.loop.time() - began == pytest.approx(30.0)
        assert rack.plant.injected_faults.active == ()

    run_scenario(main, **with_faults("jam:head0#1~99"))


def test_a_person_who_gives_a_wrong_answer_has_repaired_nothing() -> None:
    async def main(rack: Rack) -> None:
        await jam(rack)
        guide = SimulatedGuide(rack.plant)
        assert await guide.help(ASK) == "done"
        assert rack.plant.injected_faults.active == (("jam", "head0"),)
        assert await guide.help(ASK) == "done"
        assert rack.plant.injected_faults.active == ()

    run_scenario(main, **with_faults("jam:head0#1~99", "wrong_answer:people#1"))


def test_people_take_20_to_60_seconds_and_30_on_average() -> None:
    took: list[float] = []

    async def main(rack: Rack) -> None:
        guide = SimulatedGuide(rack.plant)
        for _ in range(200):
            began = rack.loop.time()
            await guide.help(ASK)
            took.append(rack.loop.time() - began)

    run_scenario(main)
    assert min(took) >= 20 - 1e-6
    assert max(took) <= 60 + 1e-6
    assert sum(took) / len(took) == pytest.approx(30, rel=0.1)
