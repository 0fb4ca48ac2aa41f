"""Tests simulated players: they press keys and push in the boxed sets, then the played set."""

from __future__ import annotations

import asyncio

import pytest

from firmware_bridge.board import Level, Reason
from firmware_bridge.wire.messages import EdgeSeen
from tests.firmware_bridge.sim.rack import Rack, run_scenario


def keys(rack: Rack) -> list[float]:
    """Return the times in seconds at which the lid's key was pressed."""
    number = rack.number("lid_key")
    return [
        round(at, 3)
        for at, event in rack.received(EdgeSeen)
        if isinstance(event, EdgeSeen) and event.channel == number and event.active
    ]


async def lid(rack: Rack, opens: bool) -> None:
    value, end = (500, "lid_opened") if opens else (-500, "lid_closed")
    assert (await rack.drive("lid", value, Level(end), 5.0)).reason is Reason.LEVEL


async def load_set(rack: Rack) -> None:
    """Open the lid, let the people push a set in and press the key, and close the lid."""
    await asyncio.sleep(1.2)
    before = len(keys(rack))
    await lid(rack, opens=True)
    await asyncio.sleep(12)
    assert len(keys(rack)) == before + 1
    await lid(rack, opens=False)


def test_after_power_on_the_players_press_the_lid_key_until_the_lid_opens() -> None:
    async def main(rack: Rack) -> None:
        rack.watch("lid_key")
        await asyncio.sleep(20)
        assert keys(rack) == [1.02, 16.02]
        await lid(rack, opens=True)
        await asyncio.sleep(12)
        assert len(keys(rack)) == 3, "the last press confirms that the tiles are in"
        await lid(rack, opens=False)
        await asyncio.sleep(60)
        assert len(keys(rack)) == 3

    run_scenario(main)


def test_the_players_press_the_key_again_while_the_lid_stays_open() -> None:
    async def main(rack: Rack) -> None:
        rack.watch("lid_key")
        await asyncio.sleep(1.2)
        await lid(rack, opens=True)
        await asyncio.sleep(40)
        assert len(keys(rack)) > 2
        assert rack.plant.census()["drum"] == 136, "no second set is pushed in"

    run_scenario(main)


def test_the_players_push_the_first_boxed_set_in_when_the_lid_is_open() -> None:
    async def main(rack: Rack) -> None:
        rack.watch("lid_key")
        await lid(rack, opens=True)
        assert rack.plant.census()["drum"] == 0
        await asyncio.sleep(8.1)
        here = rack.plant.census()
        assert (here["drum"], here["box 0"], here["box 1"]) == (136, 0, 136)
        assert keys(rack) == [1.02, 10.02]

    run_scenario(main, chance=False)


def test_no_tiles_are_pushed_in_if_the_lid_closes_too_early() -> None:
    async def main(rack: Rack) -> None:
        await lid(rack, opens=True)
        await lid(rack, opens=False)
        await asyncio.sleep(60)
        assert rack.plant.census()["drum"] == 0

    run_scenario(main)


def test_at_the_ready_lamp_the_players_push_the_second_set_in_and_then_play() -> None:
    async def main(rack: Rack) -> None:
        rack.watch("lid_key")
        await load_set(rack)
        assert rack.plant.drum is not None
        ready = rack.loop.time()
        for tile in list(rack.plant.drum.well.tiles):
            rack.plant.felt.put_before(0, [rack.plant.drum.well.take(tile)])
        rack.set("ready", 0)
        rack.set("ready", 1)
        await asyncio.sleep(6)
        assert keys(rack)[-1] == pytest.approx(ready + 5.02)
        await load_set(rack)
        given = keys(rack)[-1]
        assert rack.plant.census()["box 1"] == 0
        await asyncio.sleep(300)
        after = [press for press in keys(rack) if press > given]
        assert after[0] == pytest.approx(given + 200.0)
        assert rack.plant.census()["felt"] == 136

    run_scenario(main, chance=False, play=200.0)


def test_players_push_no_second_set_into_a_drum_that_still_has_the_first_one() -> None:
    async def main(rack: Rack) -> None:
        rack.watch("lid_key")
        await load_set(rack)
        rack.lease(120)
        rack.set("ready", 0)
        rack.set("ready", 1)
        await asyncio.sleep(6)
        await lid(rack, opens=True)
        await asyncio.sleep(12)
        here = rack.plant.census()
        assert (here["drum"], here["box 1"]) == (136, 136)
        await lid(rack, opens=False)

    run_scenario(main, chance=False)


def test_the_players_push_the_played_set_in_when_all_boxes_are_empty() -> None:
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
        await load_set(rack)
        assert plant.census()["drum"] == 136
        assert not any(tile.up for tile in plant.tiles)

    run_scenario(main)


def test_the_players_press_no_key_after_the_ready_lamp_has_gone_off() -> None:
    async def main(rack: Rack) -> None:
        rack.watch("lid_key")
        await load_set(rack)
        before = keys(rack)
        rack.lease(60)
        rack.set("ready", 0)
        rack.set("ready", 1)
        await asyncio.sleep(2)
        rack.set("ready", 0)
        await asyncio.sleep(50)
        assert keys(rack) == before

    run_scenario(main, play=20.0)


def test_the_times_of_the_players_depend_on_the_seed_only() -> None:
    def pressed(seed: int) -> list[float]:
        async def main(rack: Rack) -> None:
            rack.watch("lid_key")
            await load_set(rack)

        return keys(run_scenario(main, seed=seed))

    assert pressed(1) == pressed(1)
    assert pressed(1) != pressed(2)
