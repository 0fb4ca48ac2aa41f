"""Tests the simulated heads, which move tiles from the drum into stacks."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from statistics import mean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from config.schema import TileSize
from firmware_bridge.board import Edges, Elapsed, Ended, Level, Reason
from firmware_bridge.wire.messages import Count, EdgeSeen, Recall, Recalled
from tests.firmware_bridge.sim.plant.below_lid.head_actions import count, fill, push
from tests.firmware_bridge.sim.rack import Rack, run_scenario


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 1000), st.sampled_from([28.0, 38.0, 52.0]))
def test_a_head_that_stops_at_the_34th_edge_has_passed_exactly_34_tiles(
    seed: int, length: float
) -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        done = 0
        wheel = asyncio.create_task(count(rack, 34, limit=90.0))
        while done < 17:
            await asyncio.sleep(0.3)
            if len(rack.plant.heads[0].waiting) >= 2:
                assert (await push(rack)).reason is Reason.EDGES
                done += 1
        assert (await wheel).count == 34
        await asyncio.sleep(30)
        here = rack.plant.census()
        assert (here["tray 0"], here["head 0"], here["belt 0"], here["drum"]) == (34, 0, 0, 102)
        assert [len(stack) for stack in rack.plant.trays[0].stacks] == [2] * 17

    run_scenario(main, seed=seed, tile=TileSize(length_mm=length, width_mm=26, height_mm=20))


def test_without_chance_tiles_arrive_at_the_mean_spacing() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        rack.watch("head0_counter")
        await count(rack, 5)
        came = [at for at, event in rack.received(EdgeSeen) if event.active]  # type: ignore[attr-defined]
        gaps = [later - sooner for sooner, later in pairwise(came)]
        assert gaps == pytest.approx([0.28] * 4)
        assert came[0] == pytest.approx(0.28 + 0.024 / 0.25 + 0.001)

    run_scenario(main, chance=False)


@pytest.mark.slow
def test_with_chance_the_mean_stays_and_tiles_keep_their_minimum_distance() -> None:
    gaps: list[float] = []

    async def main(rack: Rack) -> None:
        fill(rack)
        rack.watch("head0_counter")
        for _ in range(6):
            await count(rack, 6)
            for _ in range(3):
                await push(rack)
        came = [at for at, event in rack.received(EdgeSeen) if event.active]  # type: ignore[attr-defined]
        gaps.extend(b - a for i, (a, b) in enumerate(pairwise(came)) if i % 6 != 5)

    for seed in range(20):
        run_scenario(main, seed=seed)
    assert min(gaps) >= (0.038 + 0.005) / 0.25 - 1e-9
    assert mean(gaps) == pytest.approx(0.28, rel=0.05)


def test_the_spacing_grows_in_inverse_proportion_to_the_tiles_left_in_the_drum() -> None:
    async def main(rack: Rack) -> None:
        fill(rack, 4)
        rack.watch("head0_counter")
        await count(rack, 4)
        came = [at for at, event in rack.received(EdgeSeen) if event.active]  # type: ignore[attr-defined]
        gaps = [later - sooner for sooner, later in pairwise(came)]
        assert gaps == pytest.approx([0.28 * 24 / 3, 0.28 * 24 / 2, 0.28 * 24])

    run_scenario(main, chance=False)


def test_an_empty_drum_gives_no_tile_until_it_is_filled() -> None:
    async def main(rack: Rack) -> None:
        rack.loop.call_later(10, fill, rack, 30)
        assert (await count(rack, 1)).reason is Reason.EDGES
        assert 10.1 < rack.loop.time() < 12

    run_scenario(main)


def test_no_tile_arrives_while_drum_or_belt_is_stopped() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        rack.set("drum", 0)
        assert (await count(rack, 1, limit=20.0)).reason is Reason.TIME
        rack.set("drum", 700)
        rack.set("head0_belt", 0)
        assert (await count(rack, 1, limit=20.0)).reason is Reason.TIME
        assert rack.plant.census()["drum"] == 136

    run_scenario(main)


def test_a_stopped_belt_keeps_the_tile_in_front_of_the_counter() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        await count(rack, 1)
        rack.set("head0_belt", 0)
        await asyncio.sleep(5)
        assert rack.read("head0_counter") == 1
        rack.set("head0_belt", 600)
        await asyncio.sleep(0.152 + 0.0011)
        assert rack.read("head0_counter") == 0

    run_scenario(main)


def test_a_full_belt_stops_the_wheel_until_a_stack_is_pushed() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        wheel = asyncio.create_task(count(rack, 12))
        await asyncio.sleep(20)
        assert rack.read("head0_full") == 1
        assert rack.read("head0_wheel") == 0
        waiting = len(rack.plant.heads[0].waiting)
        assert waiting in (6, 7)
        for _ in range(3):
            await push(rack)
        assert rack.read("head0_full") == 0
        assert (await wheel).count == 12

    run_scenario(main)


def test_the_wheel_continues_while_the_pusher_pushes() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        wheel = asyncio.create_task(count(rack, 20))
        await asyncio.sleep(1)
        before = rack.send("head0_counter", Count)
        await push(rack)
        assert rack.plant.heads[0].waiting.tiles
        rack.stop("head0_wheel")
        assert (await wheel).count > before.value  # type: ignore[union-attr]

    run_scenario(main)


def test_a_stack_has_the_tiles_that_waited_at_the_start_of_the_push() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        await count(rack, 1)
        wheel = asyncio.create_task(count(rack, 3))
        ended = await push(rack)
        assert ended.seconds == pytest.approx(0.501)
        assert [len(stack) for stack in rack.plant.trays[0].stacks] == [1]
        await wheel
        await push(rack)
        assert [len(stack) for stack in rack.plant.trays[0].stacks] == [1, 2]

    run_scenario(main)


def test_a_tray_for_a_pile_accepts_stacks_of_four() -> None:
    async def main(rack: Rack) -> None:
        fill(rack, 32)
        for _ in range(8):
            await count(rack, 4, limit=80.0)
            await push(rack)
        assert [len(stack) for stack in rack.plant.trays[0].stacks] == [4] * 8
        assert rack.boards["base"].faults == ()

    run_scenario(main, "pai_gow", faces=tuple(map(str, range(32))))


def test_a_pusher_that_is_not_stopped_pushes_all_stacks_and_then_turns_empty() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        await count(rack, 4)
        ended = await rack.drive("head0_pusher", 500, Edges("head0_vane", 3), 1.9)
        assert ended == Ended(Reason.EDGES, 3, pytest.approx(1.541))
        assert rack.plant.census()["tray 0"] == 4

    run_scenario(main)


@pytest.mark.parametrize("ms", [500.2, 500.9])
def test_a_board_that_is_reset_at_the_end_of_a_push_recalls_that_end(ms: float) -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        await count(rack, 3)
        base = rack.boards["base"]
        pusher = rack.number("head0_pusher")
        rack.send("head0_pusher", rack.drives(500, Edges("head0_vane", 1), 2.0))
        await asyncio.sleep(ms / 1000)
        base.reset(2)
        await asyncio.sleep(0.1)
        rack.configure()
        recalled = base.execute(Recall(pusher), 0)
        assert isinstance(recalled, Recalled)
        assert (recalled.reason, recalled.count) == (Reason.FAULT, 1)
        assert rack.read("head0_vane") == 1, "the pusher's vane sensor is active"

    run_scenario(main)


def test_an_interrupted_push_continues_at_its_position() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        await count(rack, 2)
        assert (await rack.drive("head0_pusher", 500, Elapsed(), 0.3)).reason is Reason.TIME
        await asyncio.sleep(5)
        assert (await push(rack)).seconds == pytest.approx(0.201)

    run_scenario(main)


def test_a_full_tray_refuses_another_stack() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        for _ in range(19):
            await count(rack, 1)
            assert (await push(rack)).reason is Reason.EDGES
        await count(rack, 1)
        assert (await push(rack)).reason is Reason.FAULT
        assert rack.boards["base"].refusals == ["tray 0 is full with 19 stacks."]
        assert rack.plant.census()["head 0"] == 1

    run_scenario(main)


def test_the_turner_turns_a_tile_over_and_the_face_sensor_follows() -> None:
    async def main(rack: Rack) -> None:
        fill(rack, 32)
        await count(rack, 1)
        rack.set("head0_turner", 500)
        await asyncio.sleep(0.1)
        assert rack.read("head0_face") == 1
        rack.set("head0_turner", 0)
        rack.set("head0_turner", 500)
        await asyncio.sleep(0.1)
        assert rack.read("head0_face") == 0

    run_scenario(main, "pai_gow", faces=tuple(map(str, range(32))))


def test_an_open_gate_directs_tiles_into_the_lane_and_the_presenter_moves_them_up() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        rack.set("lane0_gate", 1)
        await count(rack, 13)
        rack.set("lane0_gate", 0)
        await count(rack, 2)
        here = rack.plant.census()
        assert (here["lane 0"], here["head 0"]) == (13, 2)
        up = await rack.drive("lane0_presenter", 500, Level("lane0_presented"), 5.0)
        assert up.reason is Reason.LEVEL
        assert len(rack.plant.hands()[0]) == 13
        assert rack.plant.census()["presenter 0"] == 0

    run_scenario(main, "auto_deal")


def test_a_lane_with_one_tile_too_many_is_a_fault() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        rack.set("lane0_gate", 1)
        await count(rack, 18)
        assert "lane 0 has 18 tiles; at most 17 fit." in rack.boards["base"].refusals

    run_scenario(main, "auto_deal")


def test_the_chain_carries_the_outlet_from_tray_to_tray_and_back_to_zero() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        assert rack.read("chain_zero") == 1
        for side in range(4):
            await count(rack, 2)
            assert (await push(rack)).reason is Reason.EDGES
            assert rack.plant.census()[f"tray {side}"] == 2
            on = await rack.drive("chain", 500, Edges("chain_corner", 1), 5.0)
            assert on.seconds == pytest.approx(3.0, abs=0.01)
        assert rack.read("chain_zero") == 1

    run_scenario(main, "single_port")


def test_a_push_between_two_sides_of_the_chain_is_a_fault() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        await count(rack, 2)
        await rack.drive("chain", 500, Elapsed(), 1.0)
        assert rack.read("chain_zero") == 0
        assert (await push(rack)).reason is Reason.FAULT
        assert rack.plant.census()["head 0"] == 2

    run_scenario(main, "single_port")


def test_a_chain_runs_back_to_zero_and_stops_there() -> None:
    async def main(rack: Rack) -> None:
        await rack.drive("chain", 500, Edges("chain_corner", 2), 8.0)
        back = await rack.drive("chain", -500, Level("chain_zero"), 8.0)
        assert back.reason is Reason.LEVEL
        assert back.seconds == pytest.approx(6.0, abs=0.01)
        assert rack.plant.chain is not None
        assert rack.plant.chain.side == 0

    run_scenario(main, "single_port")
