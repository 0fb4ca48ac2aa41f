"""What players do with their own hands, beside what the table asks them for."""

from __future__ import annotations

from config.layout.staging import Fill, Staging
from firmware_bridge.sim.people.hands import Hands
from rules.geometry import Walls
from rules.steps import Build
from tests.firmware_bridge.sim.rack import Rack, story


def test_who_builds_and_finds_too_few_tiles_looks_for_the_rest_in_the_drum() -> None:
    async def main(rack: Rack) -> None:
        plant, layout = rack.plant, Walls.even(3)
        hands = Hands(plant)
        assert plant.drum is not None
        for tile in plant.boxes[0].tiles[:10]:
            plant.boxes[0].give(tile, plant.heads[0].waiting)
        plant.drum.give(*(plant.boxes[0].take(tile) for tile in plant.boxes[0].tiles[:2]))
        await hands.do(Build(layout), Staging(layout, (Fill(0, (2,) * 6),), {}))
        assert [len(pillar.tiles) for pillar in plant.felt.pillars] == [2] * 6
        here = plant.census()
        assert (here["felt"], here["head 0"], here["drum"]) == (12, 0, 0)

    story(main)
