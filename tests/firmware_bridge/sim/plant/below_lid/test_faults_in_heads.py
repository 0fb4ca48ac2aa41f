"""Tests how S1 shows injected faults of the heads: jams, double feeds, starved, weak wheels."""

from __future__ import annotations

import asyncio

import pytest

from config.layout.staging import Fill
from firmware_bridge.board import Reason
from tests.firmware_bridge.sim.plant.below_lid.head_actions import (
    TILE_TIME,
    count,
    fill,
    pulses,
    push,
    push_single_tiles,
)
from tests.firmware_bridge.sim.rack import Rack, run_scenario, with_faults


def occurred(rack: Rack) -> list[tuple[str, str]]:
    return [(each.kind, each.part) for each in rack.plant.injected_faults.occurred]


def test_a_jam_blocks_s1_and_the_pusher_until_the_wheel_is_reversed() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        ended = await count(rack, 6, limit=10.0)
        assert (ended.reason, ended.count) == (Reason.TIME, 3)
        assert rack.read("head0_counter") == 1
        here = rack.plant.census()
        assert (here["head 0"], here["belt 0"], here["drum"]) == (2, 1, 133)
        assert (await push(rack)).reason is Reason.TIME
        await rack.pulse("head0_wheel", -600, 0.3)
        assert rack.read("head0_counter") == 1
        await rack.pulse("head0_wheel", -600, 0.3)
        await asyncio.sleep(0.2)
        assert rack.read("head0_counter") == 0
        assert rack.plant.census()["head 0"] == 3
        assert (await push(rack)).reason is Reason.EDGES
        assert (await count(rack, 3)).reason is Reason.EDGES
        assert occurred(rack) == [("jam", "head0")]
        assert rack.plant.injected_faults.active == ()

    run_scenario(main, **with_faults("jam:head0#3~2"))


def test_a_person_takes_the_stuck_tile_out_and_puts_it_into_the_drum() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        await count(rack, 6, limit=10.0)
        assert rack.plant.repair("JAM", "head 0")
        here = rack.plant.census()
        assert (here["head 0"], here["belt 0"], here["drum"]) == (2, 0, 134)
        await asyncio.sleep(0.01)
        assert rack.read("head0_counter") == 0
        assert (await count(rack, 4)).reason is Reason.EDGES

    run_scenario(main, **with_faults("jam:head0#3~99"))


def test_a_pusher_turns_empty_once_for_each_detected_tile_that_a_person_takes_out() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        await count(rack, 1, limit=10.0)
        assert rack.read("head0_counter") == 1
        assert rack.plant.repair("JAM", "head 0")
        assert (await push(rack)).reason is Reason.EDGES
        assert rack.plant.census()["tray 0"] == 0
        assert (await push(rack)).reason is Reason.FAULT

    run_scenario(main, **with_faults("jam:head0#1~99"))


def test_an_empty_turn_that_was_stopped_half_way_is_completed() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        await count(rack, 1, limit=10.0)
        assert rack.plant.repair("JAM", "head 0")
        assert (await push(rack, limit=0.2)).reason is Reason.TIME
        assert (await push(rack)).reason is Reason.EDGES
        assert (await push(rack)).reason is Reason.FAULT

    run_scenario(main, **with_faults("jam:head0#1~99"))


def test_a_tile_that_was_taken_out_of_one_set_explains_no_empty_turn_in_the_next() -> None:
    async def main(rack: Rack) -> None:
        fill(rack, 4)
        await count(rack, 1, limit=10.0)
        assert rack.plant.repair("JAM", "head 0")
        fill(rack, 4)
        assert (await push(rack)).reason is Reason.FAULT

    run_scenario(main, **with_faults("jam:head0#1~99"))


def test_a_push_that_was_blocked_by_a_jam_continues_after_the_jam() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        await count(rack, 2)
        pushing = asyncio.create_task(push(rack, limit=1.9))
        wheel = asyncio.create_task(count(rack, 2))
        await asyncio.sleep(1.0)
        assert rack.plant.census()["tray 0"] == 0
        rack.stop("head0_wheel")
        await wheel
        await rack.pulse("head0_wheel", -600, 0.2)
        assert (await pushing).reason is Reason.EDGES
        assert rack.plant.census()["tray 0"] == 2

    run_scenario(main, **with_faults("jam:head0#3~1"))


def test_a_double_feed_gives_one_long_pulse_and_one_tile_too_many() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        rack.watch("head0_counter")
        assert (await count(rack, 4)).count == 4
        await asyncio.sleep(1)
        assert pulses(rack) == pytest.approx([TILE_TIME, 2 * TILE_TIME, TILE_TIME, TILE_TIME])
        assert rack.plant.census()["head 0"] == 5
        assert rack.plant.repair("COUNT", "head 0")
        here = rack.plant.census()
        assert (here["head 0"], here["drum"]) == (4, 132)

    run_scenario(main, **with_faults("double_feed:head0#2"))


def test_the_second_tile_of_a_double_feed_is_taken_out_of_its_stack_in_the_tray() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        await count(rack, 1)
        await asyncio.sleep(1)
        await push(rack)
        assert [len(stack) for stack in rack.plant.trays[0].stacks] == [2]
        assert rack.plant.repair("COUNT", "tray 0")
        assert [len(stack) for stack in rack.plant.trays[0].stacks] == [1]

    run_scenario(main, **with_faults("double_feed:head0#1"))


def test_a_tile_taken_out_of_a_stack_is_replaced_by_one_of_the_last_stack() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        for _ in range(3):
            await count(rack, 2)
            await asyncio.sleep(1)
            await push(rack)
        tray = rack.plant.trays[0]
        assert [len(stack) for stack in tray.stacks] == [2, 2, 2]
        assert rack.plant.drum is not None
        rack.plant.drum.give(rack.plant.take_out(tray.stacks[1][0]))
        assert [len(stack) for stack in tray.stacks] == [2, 2, 1]

    run_scenario(main)


def test_the_surplus_tile_is_taken_off_the_stack_that_is_higher_than_the_others() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        await push_single_tiles(rack, 5)
        tray = rack.plant.trays[0]
        assert [len(stack) for stack in tray.stacks] == [1, 1, 2, 1, 1]
        assert rack.plant.repair("JAM", "head 0")
        assert [len(stack) for stack in tray.stacks] == [1, 1, 1, 1, 1]
        assert rack.plant.census()["drum"] == 131

    run_scenario(main, **with_faults("double_feed:head0#3"))


def test_with_known_heights_the_surplus_tile_is_taken_off_the_last_column() -> None:
    async def main(rack: Rack) -> None:
        rack.plant.expect([Fill(0, (2, 2, 1))])
        fill(rack)
        for tiles in (2, 2, 1):
            await count(rack, tiles)
            await asyncio.sleep(1)
            await push(rack)
        tray = rack.plant.trays[0]
        assert [len(stack) for stack in tray.stacks] == [2, 2, 2]
        assert rack.plant.repair("MISSING_TILE", "head 0")
        assert [len(stack) for stack in tray.stacks] == [2, 2, 1]
        assert rack.plant.census()["drum"] == 131

    run_scenario(main, **with_faults("double_feed:head0#2"))


def test_expected_heights_have_no_effect_at_a_table_without_trays() -> None:
    async def main(rack: Rack) -> None:
        rack.plant.expect([Fill(0, (4, 4))])
        assert not rack.plant.trays

    run_scenario(main, table="bench")


def test_a_starved_head_gives_no_edge_until_the_drum_is_reversed() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        ended = await count(rack, 5, limit=20.0)
        assert (ended.reason, ended.count) == (Reason.TIME, 2)
        assert rack.read("head0_counter") == 0
        rack.set("drum", -700)
        rack.set("drum", 700)
        assert (await count(rack, 3)).reason is Reason.EDGES

    run_scenario(main, **with_faults("starved:head0#3"))


def test_a_person_frees_the_port_of_a_starved_head() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        wheel = asyncio.create_task(count(rack, 5, limit=60.0))
        rack.loop.call_later(20, rack.plant.repair, "STARVED", "head 0")
        ended = await wheel
        assert ended.reason is Reason.EDGES
        assert ended.seconds > 20

    run_scenario(main, **with_faults("starved:head0#3~99"))


def test_a_weak_wheel_lifts_tiles_late() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        assert (await count(rack, 3)).seconds > 2.5 * 3 * 0.28
        assert rack.plant.repair("weak_motor", "head 0")
        assert (await count(rack, 3)).seconds < 1.2

    run_scenario(main, **with_faults("weak_motor:head0"))
