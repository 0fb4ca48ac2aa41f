"""Tests the simulated drum: its mixing, and that each wheel gets its own tiles."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from functools import cache
from itertools import chain, pairwise
from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.sim.plant.below_lid.drum import Drum
from firmware_bridge.sim.plant.tiles import Holder
from tests.firmware_bridge.sim.rack import Rack, run_scenario

SET, WHEELS = 136, 4
IN_TURN = [*range(WHEELS)] * (SET // WHEELS)
SEEDS = 12


def at_the_drum(scenario: Callable[[Drum, Holder], None], seed: int = 1, tiles: int = SET) -> None:
    """Run a scenario with a drum with four wheels, and the box that has its set."""

    async def main(rack: Rack) -> None:
        assert rack.plant.drum is not None
        scenario(rack.plant.drum, rack.plant.boxes[0])

    run_scenario(main, seed=seed, faces=tuple(map(str, range(tiles))))


def pour(drum: Drum, box: Holder) -> None:
    drum.pour([box.take(tile) for tile in list(box.tiles)])


def picked(drum: Drum, box: Holder, wheels: Iterable[int]) -> dict[int, list[str]]:
    """Pick tiles with the wheels in this order, put them back; return the tiles of each wheel."""
    got: dict[int, list[str]] = {wheel: [] for wheel in range(WHEELS)}
    for wheel in wheels:
        tile = drum.pick(wheel)
        got[wheel].append(tile.face)
        box.put(tile)
    return got


def order_in_turn(drum: Drum, box: Holder) -> list[int]:
    """Pick all tiles with the wheels in turn, put them back, and return their order."""
    return [
        int(face)
        for faces in zip(*picked(drum, box, IN_TURN).values(), strict=True)
        for face in faces
    ]


def shares(seed: int, wheels: Iterable[int]) -> dict[int, list[str]]:
    """Return the tiles of a whole set that each wheel picks."""
    got: dict[int, list[str]] = {}

    def scenario(drum: Drum, box: Holder) -> None:
        pour(drum, box)
        got.update(picked(drum, box, wheels))

    at_the_drum(scenario, seed)
    return got


@cache
def shares_in_turn(seed: int) -> dict[int, list[str]]:
    """Return the tiles that each wheel picks if the wheels pick in turn."""
    return shares(seed, IN_TURN)


@settings(max_examples=15, deadline=None)
@given(st.permutations(IN_TURN), st.integers(0, 3))
@pytest.mark.slow
def test_each_wheel_gets_the_same_tiles_in_any_order_of_the_wheels(
    wheels: list[int], seed: int
) -> None:
    assert shares(seed, wheels) == shares_in_turn(seed)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(0, WHEELS - 1), min_size=SET, max_size=SET), st.integers(0, 3))
@pytest.mark.slow
def test_a_wheel_that_takes_more_than_its_share_does_not_change_the_order_of_other_wheels(
    wheels: list[int], seed: int
) -> None:
    got = shares(seed, wheels)
    assert sorted(chain(*got.values())) == sorted(map(str, range(SET)))
    for wheel, share in shares_in_turn(seed).items():
        own = [face for face in got[wheel] if face in share]
        assert own == share[: len(own)]


def test_another_seed_gives_the_wheels_other_tiles() -> None:
    assert shares_in_turn(1) != shares_in_turn(2)


def stirred(seconds: float, seed: int) -> list[int]:
    """Pour a set, stir it for these seconds in two parts, return the order of all tiles."""
    order: list[int] = []

    async def main(rack: Rack) -> None:
        drum, box = rack.plant.drum, rack.plant.boxes[0]
        assert drum is not None
        pour(drum, box)
        for _ in range(2):
            drum.output("drum", 1000)
            await asyncio.sleep(seconds / 2)
            drum.output("drum", 0)
            await asyncio.sleep(30.0)
        order.extend(order_in_turn(drum, box))

    run_scenario(main, seed=seed, faces=tuple(map(str, range(SET))))
    return order


def followers(seconds: float) -> float:
    """Tiles that follow one of their heap, in standard errors above chance."""
    orders = [stirred(seconds, seed) for seed in range(SEEDS)]
    found = sum(one // 34 == other // 34 for order in orders for one, other in pairwise(order))
    chance, pairs = 33 / 135, SEEDS * (SET - 1)
    return (found - pairs * chance) / sqrt(pairs * chance * (1 - chance))


def test_tiles_of_a_heap_come_out_together_before_mixing_and_no_longer_after_it() -> None:
    assert followers(0.0) > 10
    assert 3 < followers(10.0) < followers(0.0)
    assert abs(followers(600.0)) < 3


def test_the_order_depends_on_the_nearest_whole_second_of_stirring() -> None:
    # Boards of different kinds start the drum milliseconds apart.
    assert stirred(7.99, 1) == stirred(8.01, 1)
    assert stirred(8.0, 1) != stirred(30.0, 1)


def test_tiles_that_were_left_in_the_drum_are_picked_with_the_new_ones() -> None:
    def scenario(drum: Drum, box: Holder) -> None:
        drum.pour([box.take(tile) for tile in box.tiles[-16:]])
        pour(drum, box)
        assert sorted(order_in_turn(drum, box)) == list(range(SET))

    at_the_drum(scenario)


def test_a_tile_that_is_given_back_comes_last_at_the_wheel_with_the_fewest_tiles() -> None:
    def scenario(drum: Drum, box: Holder) -> None:
        pour(drum, box)
        back = drum.pick(2)
        drum.give(back)
        got = picked(drum, box, IN_TURN)
        assert [len(faces) for faces in got.values()] == [SET // WHEELS] * WHEELS
        assert got[2][-1] == back.face

    at_the_drum(scenario)


def test_a_tile_that_a_person_takes_out_changes_the_share_of_one_wheel_only() -> None:
    got: dict[int, list[str]] = {}

    def scenario(drum: Drum, box: Holder) -> None:
        pour(drum, box)
        first = shares_in_turn(1)[0][0]
        box.put(drum.well.take(next(tile for tile in drum.well.tiles if tile.face == first)))
        got.update(picked(drum, box, [*IN_TURN[:-WHEELS], 1, 2, 3]))

    at_the_drum(scenario)
    assert got == shares_in_turn(1) | {0: shares_in_turn(1)[0][1:]}
