"""Tests injected faults of a head's sensors and belt: dirt, bounce, stuck sensor, slip."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from firmware_bridge.board import Reason
from tests.firmware_bridge.sim.plant.below_lid.head_actions import (
    TILE_TIME,
    count,
    fill,
    pulses,
    push,
)
from tests.firmware_bridge.sim.rack import Rack, run_scenario, with_faults


def test_the_face_sensor_is_active_until_a_face_up_tile_is_turned_down() -> None:
    async def main(rack: Rack) -> None:
        fill(rack, 32)
        await count(rack, 2)
        await asyncio.sleep(0.2)
        assert rack.read("head0_face") == 1
        assert rack.plant.repair("FACE_UP", "head 0")
        await asyncio.sleep(0.1)
        assert rack.read("head0_face") == 0

    run_scenario(
        main, "pai_gow", faces=tuple(map(str, range(32))), **with_faults("face_up:head0#2")
    )


def test_dirt_makes_pulses_shorter_until_the_sensor_detects_nothing() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        rack.watch("head0_counter")
        wheel = asyncio.create_task(count(rack, 60, limit=80.0))
        for _ in range(14):
            await asyncio.sleep(1)
            if len(rack.plant.heads[0].waiting) >= 2:
                await push(rack)
        shortened = pulses(rack)
        assert all(later < sooner for sooner, later in pairwise(shortened))
        assert shortened[0] == pytest.approx(TILE_TIME - 0.15 * 0.112)
        passed = 136 - rack.plant.census()["drum"]
        assert len(shortened) < passed
        assert rack.plant.repair("DIRTY", "head 0")
        rack.stop("head0_wheel")
        await wheel
        await asyncio.sleep(1)
        before = len(pulses(rack))
        while len(rack.plant.heads[0].waiting) >= 2:
            await push(rack)
        await count(rack, 2)
        await asyncio.sleep(1)
        assert pulses(rack)[before:] == pytest.approx([TILE_TIME] * 2)

    run_scenario(main, **with_faults("dirty_sensor:head0"))


def test_a_stuck_counter_gives_no_edge_while_tiles_pass() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        ended = await count(rack, 6, limit=1.9)
        assert (ended.reason, ended.count) == (Reason.TIME, 2)
        assert rack.plant.census()["head 0"] > 2
        assert rack.plant.repair("STARVED", "head 0")
        for _ in range(2):
            await push(rack)
        assert (await count(rack, 2)).reason is Reason.EDGES

    run_scenario(main, **with_faults("stuck_sensor:head0_counter#5"))


def test_a_bouncing_counter_counts_a_tile_twice() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        assert (await count(rack, 4)).count == 4
        await asyncio.sleep(1)
        assert rack.plant.census()["head 0"] == 3

    run_scenario(main, **with_faults("bouncing_sensor:head0_counter#3"))


def test_a_slipping_belt_makes_every_pulse_longer_until_it_is_tightened() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        rack.watch("head0_counter")
        await count(rack, 3)
        await asyncio.sleep(1)
        assert pulses(rack) == pytest.approx([2 * TILE_TIME] * 3)
        assert rack.plant.repair("DIRTY", "head 0")
        await count(rack, 2)
        await asyncio.sleep(1)
        assert pulses(rack)[3:] == pytest.approx([TILE_TIME] * 2)

    run_scenario(main, **with_faults("slipping_belt:head0"))
