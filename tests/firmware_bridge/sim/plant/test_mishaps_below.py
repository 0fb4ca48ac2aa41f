"""What goes wrong below, as the sensors show it: heads, drum, belts, sensors, lifts and lid."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from itertools import pairwise

import pytest

from config.field import Spot
from firmware_bridge.board import Edges, Ended, FaultCode, Level, Reason
from firmware_bridge.messages import Clear, EdgeSeen, Ok
from firmware_bridge.sim.mishaps import parse
from firmware_bridge.sim.plant.tiles import Tile
from tests.firmware_bridge.sim.rack import FACES, Rack, story

HERE = Spot(0.0, 0.0, crossed=False)
TILE_TIME = 0.152
"""38 mm at 0.25 m/s."""


def ordered(*texts: str) -> dict[str, object]:
    """The plant with these mishaps, every duration at its mean."""
    return {"mishaps": [parse(text) for text in texts], "chance": False}


def fill(rack: Rack, tiles: int = 136) -> None:
    """Tiles straight from the first box into the drum, which begins to stir, belts running."""
    assert rack.plant.drum is not None
    box = rack.plant.boxes[0]
    rack.plant.drum.pour([box.take(tile) for tile in box.tiles[:tiles]])
    rack.set("drum", 700)
    for head in range(len(rack.plant.heads)):
        rack.set(f"head{head}_belt", 600)


async def count(rack: Rack, tiles: int, limit: float = 60.0) -> Ended:
    return await rack.drive("head0_wheel", 600, Edges("head0_counter", tiles), limit)


async def push(rack: Rack, limit: float = 2.0) -> Ended:
    return await rack.drive("head0_pusher", 500, Edges("head0_vane", 1), limit)


async def lift(rack: Rack, up: bool = True, limit: float = 5.0) -> Ended:
    value, end = (1000, "up") if up else (-1000, "down")
    return await rack.drive("lift1", value, Level(f"lift1_{end}"), limit)


def pulses(rack: Rack, sensor: str = "head0_counter") -> list[float]:
    """How long the watched counter was active each time."""
    number = rack.number(sensor)
    edges = [
        (at, e.active)
        for at, e in rack.heard(EdgeSeen)
        if e.channel == number  # type: ignore[attr-defined]
    ]
    return [off - on for (on, active), (off, still) in pairwise(edges) if active and not still]


async def one_high(rack: Rack, tiles: int) -> None:
    """Stacks of one tile each before head 0, as in a boneyard."""
    for _ in range(tiles):
        await count(rack, 1)
        await asyncio.sleep(0.5)
        await push(rack)


def first_spare(rack: Rack) -> int:
    """The lowest number of a tile that belongs to no set of the table."""
    return rack.table.sets * len(FACES)


def own(rack: Rack, tiles: Iterable[Tile], number: int) -> bool:
    """Whether these are the first so many tiles of the first set, each once."""
    return sorted(tile.number for tile in tiles) == list(range(number))


def happened(rack: Rack) -> list[tuple[str, str]]:
    return [(each.kind, each.part) for each in rack.plant.mishaps.happened]


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
        assert happened(rack) == [("jam", "head0")]
        assert rack.plant.mishaps.standing == ()

    story(main, **ordered("jam:head0#3~2"))


def test_a_person_takes_the_stuck_tile_out_and_gives_it_to_the_drum() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        await count(rack, 6, limit=10.0)
        assert rack.plant.mend("JAM", "head 0")
        here = rack.plant.census()
        assert (here["head 0"], here["belt 0"], here["drum"]) == (2, 0, 134)
        await asyncio.sleep(0.01)
        assert rack.read("head0_counter") == 0
        assert (await count(rack, 4)).reason is Reason.EDGES

    story(main, **ordered("jam:head0#3~99"))


def test_a_push_that_meets_a_jam_goes_on_where_it_was_once_the_jam_is_out() -> None:
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

    story(main, **ordered("jam:head0#3~1"))


def test_two_tiles_end_to_end_are_one_long_edge_and_one_tile_too_many() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        rack.watch("head0_counter")
        assert (await count(rack, 4)).count == 4
        await asyncio.sleep(1)
        assert pulses(rack) == pytest.approx([TILE_TIME, 2 * TILE_TIME, TILE_TIME, TILE_TIME])
        assert rack.plant.census()["head 0"] == 5
        assert rack.plant.mend("COUNT", "head 0")
        here = rack.plant.census()
        assert (here["head 0"], here["drum"]) == (4, 132)

    story(main, **ordered("double_feed:head0#2"))


def test_the_second_of_two_is_taken_out_of_its_stack_in_the_tray() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        await count(rack, 1)
        await asyncio.sleep(1)
        await push(rack)
        assert [len(stack) for stack in rack.plant.trays[0].stacks] == [2]
        assert rack.plant.mend("COUNT", "tray 0")
        assert [len(stack) for stack in rack.plant.trays[0].stacks] == [1]

    story(main, **ordered("double_feed:head0#1"))


def test_what_a_person_takes_out_of_a_stack_leaves_the_last_one_lower() -> None:
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

    story(main)


def test_the_surplus_is_taken_off_the_stack_that_is_higher_than_the_others() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        await one_high(rack, 5)
        tray = rack.plant.trays[0]
        assert [len(stack) for stack in tray.stacks] == [1, 1, 2, 1, 1]
        assert rack.plant.mend("JAM", "head 0")
        assert [len(stack) for stack in tray.stacks] == [1, 1, 1, 1, 1]
        assert rack.plant.census()["drum"] == 131

    story(main, **ordered("double_feed:head0#3"))


def test_nobody_takes_a_tile_out_of_a_wall_that_looks_as_it_should() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        await count(rack, 1)
        await asyncio.sleep(1)
        await push(rack)
        plant = rack.plant
        plant.felt.stand(HERE, [plant.take_out(tile) for tile in list(plant.trays[0].stacks[0])])
        assert plant.mend("JAM", "head 0")
        assert len(plant.felt) == 2

    story(main, **ordered("double_feed:head0#1"))


def test_a_starved_head_gives_no_edge_until_the_drum_is_reversed() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        ended = await count(rack, 5, limit=20.0)
        assert (ended.reason, ended.count) == (Reason.TIME, 2)
        assert rack.read("head0_counter") == 0
        rack.set("drum", -700)
        rack.set("drum", 700)
        assert (await count(rack, 3)).reason is Reason.EDGES

    story(main, **ordered("starved:head0#3"))


def test_a_person_looks_under_the_disc_of_a_starved_head() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        wheel = asyncio.create_task(count(rack, 5, limit=60.0))
        rack.loop.call_later(20, rack.plant.mend, "STARVED", "head 0")
        ended = await wheel
        assert ended.reason is Reason.EDGES
        assert ended.seconds > 20

    story(main, **ordered("starved:head0#3~99"))


def test_a_face_up_tile_shows_at_the_face_sensor_until_it_is_turned_down() -> None:
    async def main(rack: Rack) -> None:
        fill(rack, 32)
        await count(rack, 2)
        await asyncio.sleep(0.2)
        assert rack.read("head0_face") == 1
        assert rack.plant.mend("FACE_UP", "head 0")
        await asyncio.sleep(0.1)
        assert rack.read("head0_face") == 0

    story(main, "pai_gow", faces=tuple(map(str, range(32))), **ordered("face_up:head0#2"))


def test_a_missing_tile_lies_on_the_floor_and_its_set_counts_one_too_few() -> None:
    async def main(rack: Rack) -> None:
        fill(rack, 4)
        here = rack.plant.census()
        assert (here["floor"], here["drum"]) == (1, 3)
        ended = await count(rack, 4, limit=30.0)
        assert (ended.reason, ended.count) == (Reason.TIME, 3)
        assert rack.plant.mend("MISSING_TILE", "table")
        assert (await count(rack, 1)).reason is Reason.EDGES
        assert rack.plant.census()["floor"] == 0

    story(main, **ordered("missing_tile:drum#1"))


def test_an_extra_tile_is_left_over_and_goes_back_where_it_came_from() -> None:
    async def main(rack: Rack) -> None:
        fill(rack, 4)
        assert (await count(rack, 4)).reason is Reason.EDGES
        spare = rack.plant.census()["spare box"]
        assert rack.plant.mend("EXTRA_TILE", "tray 0")
        here = rack.plant.census()
        assert (here["head 0"], here["drum"], here["spare box"]) == (4, 0, spare + 1)
        assert own(rack, rack.plant.heads[0].waiting.tiles, 4)

    for seed in range(6):
        story(main, seed=seed, **ordered("extra_tile:drum#1"))


def test_what_is_left_over_takes_the_extra_tiles_place_in_a_finished_stack() -> None:
    replaced = []

    async def main(rack: Rack) -> None:
        fill(rack, 4)
        await one_high(rack, 4)
        stacks = rack.plant.trays[0].stacks
        before = [stack[0].number for stack in stacks]
        rack.plant.mend("LID", "lid")
        assert [len(stack) for stack in stacks] == [1, 1, 1, 1]
        after = [stack[0].number for stack in stacks]
        changed = [(one, other) for one, other in zip(before, after, strict=True) if one != other]
        assert all(one >= first_spare(rack) > other for one, other in changed)
        assert own(rack, (stack[0] for stack in stacks), 4)
        replaced.append(len(changed))

    for seed in range(6):
        story(main, seed=seed, **ordered("extra_tile:drum#1"))
    assert set(replaced) == {0, 1}


def test_an_extra_tile_stays_in_its_set_while_nothing_is_left_over_for_it() -> None:
    async def main(rack: Rack) -> None:
        plant = rack.plant
        fill(rack, 4)
        assert (await count(rack, 5)).reason is Reason.EDGES
        assert plant.mend("EXTRA_TILE", "head 0")
        assert plant.census()["head 0"] == 5
        assert plant.mishaps.standing == (("extra_tile", "drum"),)
        assert plant.drum is not None
        plant.drum.give(plant.take_out(plant.heads[0].waiting.tiles[0]))
        assert plant.mend("EXTRA_TILE", "head 0")
        here = plant.census()
        assert (here["head 0"], here["drum"]) == (4, 0)
        assert own(rack, plant.heads[0].waiting.tiles, 4)

    story(main, **ordered("extra_tile:drum#1"))


def test_a_foreign_tile_is_longer_at_s1_and_is_exchanged_for_the_sets_own() -> None:
    async def main(rack: Rack) -> None:
        fill(rack, 4)
        rack.watch("head0_counter")
        await count(rack, 4)
        await asyncio.sleep(1)
        long = 1.25 * TILE_TIME
        assert sorted(pulses(rack)) == pytest.approx([TILE_TIME] * 3 + [long])
        assert rack.plant.mend("FOREIGN", "head 0")
        here = rack.plant.census()
        assert (here["head 0"], here["drum"]) == (4, 0)
        assert own(rack, rack.plant.heads[0].waiting.tiles, 4)

    story(main, **ordered("foreign_tile:drum#1"))


def test_the_right_tile_is_put_into_the_very_stack_in_which_the_foreign_one_stood() -> None:
    async def main(rack: Rack) -> None:
        fill(rack, 4)
        await one_high(rack, 4)
        stacks = rack.plant.trays[0].stacks
        before = [stack[0].face for stack in stacks]
        assert before.count("foreign") == 1
        assert rack.plant.mend("STARVED", "head 0")
        after = [stack[0].face for stack in stacks]
        assert own(rack, (stack[0] for stack in stacks), 4)
        kept = [(one, other) for one, other in zip(before, after, strict=True) if one == other]
        assert len(kept) == 3

    story(main, **ordered("foreign_tile:drum#1"))


def test_the_right_tile_is_put_into_the_very_column_on_the_felt() -> None:
    async def main(rack: Rack) -> None:
        fill(rack, 4)
        plant, felt = rack.plant, rack.plant.felt
        assert plant.drum is not None
        felt.stand(HERE, [plant.take_out(tile) for tile in list(plant.drum.well.tiles)])
        before = [tile.face for tile in felt.raised[HERE]]
        assert plant.mend("everything", "table")
        after = [tile.face for tile in felt.raised[HERE]]
        assert own(rack, felt.raised[HERE], 4)
        assert [face for face in before if face != "foreign"] == [
            face for face, was in zip(after, before, strict=True) if was != "foreign"
        ]
        assert [tile.face for tile in felt.pillars[0].tiles] == after

    story(main, **ordered("foreign_tile:drum#1"))


def test_a_foreign_tile_that_sticks_is_exchanged_and_what_sticks_is_given_to_the_drum() -> None:
    async def main(rack: Rack) -> None:
        fill(rack, 1)
        assert (await count(rack, 2)).count == 1
        assert rack.plant.mend("foreign_tile", "head 0")
        assert rack.plant.mishaps.standing == (("jam", "head0"),)
        assert rack.read("head0_counter") == 1
        assert rack.plant.mend("JAM", "head 0")
        assert rack.plant.drum is not None
        assert own(rack, rack.plant.drum.well.tiles, 1)

    story(main, **ordered("foreign_tile:drum#1", "jam:head0#1~99"))


def test_a_foreign_tile_on_the_floor_is_no_tile_of_the_set_that_is_missing() -> None:
    async def main(rack: Rack) -> None:
        plant, drum = rack.plant, rack.plant.drum
        assert drum is not None
        fill(rack, 1)
        drum.pour([plant.take_out(drum.well.tiles[0])])
        assert [tile.face for tile in plant.floor.fallen.tiles] == ["foreign"]
        assert plant.mend("MISSING_TILE", "table")
        assert own(rack, drum.well.tiles, 1)
        assert not len(plant.floor.fallen)

    story(main, **ordered("foreign_tile:drum#1", "missing_tile:drum#2"))


def test_however_many_strangers_got_in_the_set_is_its_own_again() -> None:
    async def main(rack: Rack) -> None:
        plant, drum = rack.plant, rack.plant.drum
        assert drum is not None
        fill(rack, 4)
        for _ in range(5):
            drum.pour([plant.take_out(tile) for tile in list(drum.well.tiles)])
        assert [tile.face for tile in drum.well.tiles] == ["foreign"] * 4
        assert plant.mend("everything", "table")
        assert own(rack, drum.well.tiles, 4)

    story(main, **ordered("foreign_tile:drum"))


def test_who_puts_every_tile_into_its_box_finds_what_does_not_belong_there() -> None:
    async def main(rack: Rack) -> None:
        plant = rack.plant
        spare = plant.census()["spare box"]
        fill(rack)
        await count(rack, 6)
        plant.put_away()
        here = plant.census()
        assert (here["box 0"], here["spare box"]) == (136, spare)
        assert sorted(tile.number for tile in plant.boxes[0].tiles) == list(range(136))
        assert plant.mishaps.standing == ()

    texts = ("foreign_tile:drum#1", "extra_tile:drum#1", "missing_tile:drum#1")
    story(main, **ordered(*texts, "double_feed:head0#2"))


def test_dirt_makes_edges_shorter_and_shorter_before_the_sensor_fails() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        rack.watch("head0_counter")
        wheel = asyncio.create_task(count(rack, 60, limit=80.0))
        for _ in range(14):
            await asyncio.sleep(1)
            if len(rack.plant.heads[0].waiting) >= 2:
                await push(rack)
        seen = pulses(rack)
        assert all(later < sooner for sooner, later in pairwise(seen))
        assert seen[0] == pytest.approx(TILE_TIME - 0.15 * 0.112)
        passed = 136 - rack.plant.census()["drum"]
        assert len(seen) < passed
        assert rack.plant.mend("DIRTY", "head 0")
        rack.stop("head0_wheel")
        await wheel
        await asyncio.sleep(1)
        before = len(pulses(rack))
        while len(rack.plant.heads[0].waiting) >= 2:
            await push(rack)
        await count(rack, 2)
        await asyncio.sleep(1)
        assert pulses(rack)[before:] == pytest.approx([TILE_TIME] * 2)

    story(main, **ordered("dirty_sensor:head0"))


def test_a_stuck_counter_gives_no_edge_though_tiles_pass() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        ended = await count(rack, 6, limit=1.9)
        assert (ended.reason, ended.count) == (Reason.TIME, 2)
        assert rack.plant.census()["head 0"] > 2
        assert rack.plant.mend("STARVED", "head 0")
        for _ in range(2):
            await push(rack)
        assert (await count(rack, 2)).reason is Reason.EDGES

    story(main, **ordered("stuck_sensor:head0_counter#5"))


def test_a_bouncing_counter_counts_a_tile_twice() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        assert (await count(rack, 4)).count == 4
        await asyncio.sleep(1)
        assert rack.plant.census()["head 0"] == 3

    story(main, **ordered("bouncing_sensor:head0_counter#3"))


def test_a_weak_lift_is_not_up_within_its_time_but_gets_there() -> None:
    async def main(rack: Rack) -> None:
        assert (await lift(rack)).reason is Reason.TIME
        assert (rack.read("lift1_up"), rack.read("lift1_down")) == (0, 0)
        again = await lift(rack)
        assert again.reason is Reason.LEVEL
        assert again.seconds == pytest.approx(2.505, abs=0.01)

    story(main, **ordered("weak_motor:lift1"))


def test_a_new_motor_is_as_fast_as_it_should_be() -> None:
    async def main(rack: Rack) -> None:
        await lift(rack)
        assert rack.plant.mend("LIFT", "lift 1")
        assert (await lift(rack)).reason is Reason.LEVEL
        down = await lift(rack, up=False)
        assert (down.reason, down.seconds) == (Reason.LEVEL, pytest.approx(2.505))

    story(main, **ordered("weak_motor:lift1"))


def test_a_weak_wheel_lifts_tiles_late() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        assert (await count(rack, 3)).seconds > 2.5 * 3 * 0.28
        assert rack.plant.mend("weak_motor", "head 0")
        assert (await count(rack, 3)).seconds < 1.2

    story(main, **ordered("weak_motor:head0"))


def test_a_slipping_belt_makes_every_edge_longer_until_it_is_tightened() -> None:
    async def main(rack: Rack) -> None:
        fill(rack)
        rack.watch("head0_counter")
        await count(rack, 3)
        await asyncio.sleep(1)
        assert pulses(rack) == pytest.approx([2 * TILE_TIME] * 3)
        assert rack.plant.mend("DIRTY", "head 0")
        await count(rack, 2)
        await asyncio.sleep(1)
        assert pulses(rack)[3:] == pytest.approx([TILE_TIME] * 2)

    story(main, **ordered("slipping_belt:head0"))


def test_a_tray_that_catches_half_up_shows_neither_switch_and_goes_on_at_the_second_try() -> None:
    async def main(rack: Rack) -> None:
        assert (await lift(rack)).reason is Reason.TIME
        assert (rack.read("lift1_up"), rack.read("lift1_down")) == (0, 0)
        again = await lift(rack)
        assert (again.reason, again.seconds) == (Reason.LEVEL, pytest.approx(1.255))
        assert rack.plant.mishaps.standing == ()

    story(main, **ordered("half_up:lift1#1"))


def test_a_tray_that_hangs_is_pushed_on_by_a_person() -> None:
    async def main(rack: Rack) -> None:
        for _ in range(3):
            assert (await lift(rack)).reason is Reason.TIME
        assert rack.plant.mend("LIFT", "lift 1")
        assert (await lift(rack)).reason is Reason.LEVEL

    story(main, **ordered("half_up:lift1#1~99"))


@pytest.mark.parametrize("switch", ["lift1_up", "lift1"])
def test_a_limit_switch_that_does_not_close_lets_the_time_run_out(switch: str) -> None:
    async def main(rack: Rack) -> None:
        for _ in range(2):
            assert (await lift(rack)).reason is Reason.TIME
        assert rack.plant.mend("LIFT", "lift 1")
        await asyncio.sleep(0.01)
        assert rack.read("lift1_up") == 1

    story(main, **ordered(f"limit_switch:{switch}"))


def test_a_lower_switch_that_stays_active_makes_both_limits_active() -> None:
    async def main(rack: Rack) -> None:
        assert (await lift(rack)).reason in (Reason.FAULT, Reason.LEVEL)
        base = rack.boards["base"]
        assert base.faults == (FaultCode.BOTH_SWITCHES,)
        assert base.execute(Clear(), 0) != Ok()
        assert rack.plant.mend("BOTH_SWITCHES", "lift1")
        await asyncio.sleep(0.01)
        assert base.execute(Clear(), 0) == Ok()

    story(main, **ordered("stuck_sensor:lift1_down#1"))


def test_a_hand_under_the_lid_is_over_current_and_it_can_back_off() -> None:
    async def main(rack: Rack) -> None:
        base = rack.boards["base"]
        opened = await rack.drive("lid", 1000, Level("lid_opened"), 5.0)
        assert opened.reason is Reason.FAULT
        assert base.faults == (FaultCode.OVER_CURRENT,)
        assert (rack.read("lid_opened"), rack.read("lid_closed")) == (0, 0)
        assert base.execute(Clear(), 0) == Ok()
        again = await rack.drive("lid", 1000, Level("lid_opened"), 5.0)
        assert (again.reason, again.seconds) == (Reason.FAULT, 0.0)
        base.execute(Clear(), 0)
        back = await rack.drive("lid", -1000, Level("lid_closed"), 5.0)
        assert back.reason is Reason.LEVEL
        assert rack.plant.mend("OVER_CURRENT", "lid")
        opened = await rack.drive("lid", 1000, Level("lid_opened"), 5.0)
        assert opened.reason is Reason.LEVEL

    story(main, **ordered("obstruction:lid#1"))


def test_a_hand_that_goes_away_by_itself_is_gone_after_its_time() -> None:
    async def main(rack: Rack) -> None:
        assert (await lift(rack)).reason is Reason.FAULT
        rack.boards["base"].execute(Clear(), 0)
        await asyncio.sleep(3)
        assert (await lift(rack)).reason is Reason.LEVEL
        assert not rack.plant.mend("OVER_CURRENT", "lift 1")

    story(main, **ordered("obstruction:lift1#1~4"))


def test_a_motor_that_draws_too_much_for_a_moment_latches_a_fault_and_then_runs() -> None:
    async def main(rack: Rack) -> None:
        assert (await lift(rack)).reason is Reason.FAULT
        assert rack.boards["base"].faults == (FaultCode.OVER_CURRENT,)
        rack.boards["base"].execute(Clear(), 0)
        assert (await lift(rack)).reason is Reason.LEVEL

    story(main, **ordered("over_current:lift1#1"))
