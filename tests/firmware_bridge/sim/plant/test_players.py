"""The players at keys and lid: boxed sets go in first, then the played one, round after round."""

from __future__ import annotations

import asyncio

import pytest

from firmware_bridge.board import Level, Reason
from firmware_bridge.wire.messages import EdgeSeen
from tests.firmware_bridge.sim.rack import Rack, run_scenario


def keys(rack: Rack) -> list[float]:
    """When the lid's key was pressed."""
    number = rack.number("lid_key")
    return [
        round(at, 3)
        for at, event in rack.received(EdgeSeen)
        if isinstance(event, EdgeSeen) and event.channel == number and event.active
    ]


async def lid(rack: Rack, opens: bool) -> None:
    value, end = (500, "lid_opened") if opens else (-500, "lid_closed")
    assert (await rack.drive("lid", value, Level(end), 5.0)).reason is Reason.LEVEL


async def served(rack: Rack) -> None:
    """Open, let the people push in and press the key, close."""
    await asyncio.sleep(1.2)
    before = len(keys(rack))
    await lid(rack, opens=True)
    await asyncio.sleep(12)
    assert len(keys(rack)) == before + 1
    await lid(rack, opens=False)


def test_at_power_on_they_press_the_lids_key_until_the_lid_opens() -> None:
    async def main(rack: Rack) -> None:
        rack.watch("lid_key")
        await asyncio.sleep(20)
        assert keys(rack) == [1.02, 16.02]
        await lid(rack, opens=True)
        await asyncio.sleep(12)
        assert len(keys(rack)) == 3, "the last one says that the tiles are in"
        await lid(rack, opens=False)
        await asyncio.sleep(60)
        assert len(keys(rack)) == 3

    run_scenario(main)


def test_a_lid_that_stays_open_is_told_again_that_the_tiles_are_in() -> None:
    async def main(rack: Rack) -> None:
        rack.watch("lid_key")
        await asyncio.sleep(1.2)
        await lid(rack, opens=True)
        await asyncio.sleep(40)
        assert len(keys(rack)) > 2
        assert rack.plant.census()["drum"] == 136, "and none is pushed in twice"

    run_scenario(main)


def test_they_push_the_first_boxed_set_in_once_the_lid_stands_open() -> None:
    async def main(rack: Rack) -> None:
        rack.watch("lid_key")
        await lid(rack, opens=True)
        assert rack.plant.census()["drum"] == 0
        await asyncio.sleep(8.1)
        here = rack.plant.census()
        assert (here["drum"], here["box 0"], here["box 1"]) == (136, 0, 136)
        assert keys(rack) == [1.02, 10.02]

    run_scenario(main, chance=False)


def test_a_lid_that_closes_too_soon_gets_no_tiles() -> None:
    async def main(rack: Rack) -> None:
        await lid(rack, opens=True)
        await lid(rack, opens=False)
        await asyncio.sleep(60)
        assert rack.plant.census()["drum"] == 0

    run_scenario(main)


def test_when_ready_they_bring_the_second_set_and_then_play() -> None:
    async def main(rack: Rack) -> None:
        rack.watch("lid_key")
        await served(rack)
        assert rack.plant.drum is not None
        ready = rack.loop.time()
        for tile in list(rack.plant.drum.well.tiles):
            rack.plant.felt.put_before(0, [rack.plant.drum.well.take(tile)])
        rack.set("ready", 0)
        rack.set("ready", 1)
        await asyncio.sleep(6)
        assert keys(rack)[-1] == pytest.approx(ready + 5.02)
        await served(rack)
        given = keys(rack)[-1]
        assert rack.plant.census()["box 1"] == 0
        await asyncio.sleep(300)
        after = [press for press in keys(rack) if press > given]
        assert after[0] == pytest.approx(given + 200.0)
        assert rack.plant.census()["felt"] == 136

    run_scenario(main, chance=False, play=200.0)


def test_they_sweep_the_played_set_in_when_no_box_is_left() -> None:
    async def main(rack: Rack) -> None:
        rack.watch("lid_key")
        plant = rack.plant
        first, second = plant.boxes
        played = [first.take(tile) for tile in list(first.tiles)]
        played[0].up = True
        plant.felt.put_before(0, played[:17])
        plant.felt.put_before(1, played[17:])
        for stack in range(68):
            plant.trays[stack // 17].push(second.tiles[:2])
        await served(rack)
        assert plant.census()["drum"] == 136
        assert not any(tile.up for tile in plant.tiles)

    run_scenario(main)


def test_they_forget_what_they_meant_to_do_when_the_ready_lamp_goes_off() -> None:
    async def main(rack: Rack) -> None:
        rack.watch("lid_key")
        await served(rack)
        before = keys(rack)
        rack.lease(60)
        rack.set("ready", 0)
        rack.set("ready", 1)
        await asyncio.sleep(2)
        rack.set("ready", 0)
        await asyncio.sleep(50)
        assert keys(rack) == before

    run_scenario(main, play=20.0)


def test_people_differ_from_seed_to_seed_and_not_within_one() -> None:
    def pressed(seed: int) -> list[float]:
        async def main(rack: Rack) -> None:
            rack.watch("lid_key")
            await served(rack)

        return keys(run_scenario(main, seed=seed))

    assert pressed(1) == pressed(1)
    assert pressed(1) != pressed(2)
