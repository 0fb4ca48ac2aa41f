"""Tests the simulated guide: guided steps, choices, answers and restarts."""

from __future__ import annotations

import pytest

from config.layout.staging import Fill, Slot, Staging
from firmware_bridge.guide import Ask
from firmware_bridge.sim.people.simulated_guide import SimulatedGuide, Technician
from rules.games.filipino.parameters import Parameters as FilipinoParameters
from rules.geometry import WallPlace, Walls
from rules.steps import Build, Choose, Packet
from tests.firmware_bridge.sim.rack import Rack, run_scenario


def test_people_who_build_take_missing_tiles_out_of_the_drum() -> None:
    async def main(rack: Rack) -> None:
        plant, layout = rack.plant, Walls.even(3)
        guide = SimulatedGuide(plant)
        assert plant.drum is not None
        for tile in plant.boxes[0].tiles[:10]:
            plant.boxes[0].give(tile, plant.heads[0].waiting)
        plant.drum.give(*(plant.boxes[0].take(tile) for tile in plant.boxes[0].tiles[:2]))
        await guide.do(Build(layout), Staging(layout, (Fill(0, (2,) * 6),), {}))
        assert [len(pillar.tiles) for pillar in plant.felt.pillars] == [2] * 6
        here = plant.census()
        assert (here["felt"], here["head 0"], here["drum"]) == (12, 0, 0)

    run_scenario(main)


def test_people_straighten_a_wall_in_which_two_stacks_are_one_tile_low() -> None:
    async def main(rack: Rack) -> None:
        plant, felt, field = rack.plant, rack.plant.felt, rack.plant.field
        tiles = plant.boxes[0].tiles[:16]
        left = iter(tiles)
        for side, heights in ((0, (2, 1, 2, 1)), (1, (2, 2)), (2, (2,) * 3)):
            for column, height in enumerate(heights, 1):
                stack = [plant.boxes[0].take(next(left)) for _ in range(height)]
                felt.raise_column(field.wall(side, column, len(heights)), reversed(stack))
        places = [WallPlace(*each) for each in IN_ORDER]
        slots = {each: Slot(each.owner, each.column, each.level + 1) for each in places}
        fills = (Fill(0, (2,) * 3), Fill(1, (2,) * 2), Fill(2, (2,) * 3))
        staging = Staging(Walls.even(3), fills, dict(slots))
        await SimulatedGuide(plant).do(Packet(3, tuple(places)), staging)
        assert [tile.number for tile in felt.hands()[3]] == [tile.number for tile in tiles]

    run_scenario(main)


IN_ORDER = [
    (side, column, level)
    for side, columns in ((0, 3), (1, 2), (2, 3))
    for column in range(1, columns + 1)
    for level in range(2)
]
"""Side, column and level of every tile of three walls, in the order in which they are taken."""

CUT = Choose(0, "cut", ("one_stack", "cup_say", "dai_pin"), "one_stack")


def test_every_answer_is_equally_frequent_and_depends_on_the_seed_only() -> None:
    answers: list[list[object]] = []

    async def main(rack: Rack) -> None:
        guide = SimulatedGuide(rack.plant)
        staging = Staging(Walls.even(3), (), {})
        answers.append([await guide.do(CUT, staging) for _ in range(300)])

    run_scenario(main)
    run_scenario(main)
    assert answers[0] == answers[1]
    assert all(80 <= answers[0].count(answer) <= 120 for answer in CUT.among)


def test_a_person_who_is_not_obliging_gives_any_answer_and_repairs_only_if_confirming() -> None:
    async def main(rack: Rack) -> None:
        ask = Ask("JAM", "head 0", "blocked", "Take the tile out.", ("done", "stop"))
        repaired: list[str] = []
        technician = Technician(rack.plant, obliging=False)
        rack.plant.repair = lambda code, part: repaired.append(code) or True  # type: ignore[method-assign]
        answers = [await technician.help(ask) for _ in range(60)]
        assert 15 <= answers.count("stop") <= 45
        assert len(repaired) == answers.count("done")

    run_scenario(main)


@pytest.mark.parametrize(("honours", "laid"), [(True, 2), (False, 1)])
def test_players_lay_out_the_flores_of_the_house_rules(honours: bool, laid: int) -> None:
    async def main(rack: Rack) -> None:
        plant = rack.plant
        guide = SimulatedGuide(plant, parameters=FilipinoParameters(honours_as_flores=honours))
        three = plant.boxes[0].tiles[:3]
        for tile, face in zip(list(three), ("1z", "3f", "5m"), strict=True):
            tile.face = face
            plant.felt.put_before(2, [plant.boxes[0].take(tile)])
        step = Choose(2, "flores laid out", tuple(range(17)), 0)
        assert await guide.do(step, Staging(Walls.even(3), (), {})) == laid

    run_scenario(main)


def test_after_a_restart_during_play_the_setter_of_the_next_hand_is_determined_again() -> None:
    async def main(rack: Rack) -> None:
        plant, staging = rack.plant, Staging(Walls.even(3), (), {})
        guide = SimulatedGuide(plant)
        step = Choose(1, "setter", (0, 1, 2, 3), "unseen")

        def deal(setter: int) -> None:
            for seat in range(4):
                (tile,) = plant.boxes[0].tiles[:1]
                tile.face = "6-6" if seat == setter else "5-0"
                plant.felt.put_before(seat, [plant.boxes[0].take(tile)])

        deal(2)
        assert await guide.do(step, staging) == 2
        await guide.ready()
        guide.host_restarted()
        for seat in range(4):
            for tile in plant.felt.take_up(seat):
                plant.boxes[0].put(tile)
        deal(0)
        assert await guide.do(step, staging) == 0

    run_scenario(main)
