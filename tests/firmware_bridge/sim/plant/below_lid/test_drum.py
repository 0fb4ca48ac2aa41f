"""Tests the simulated drum: every wheel gets its tiles from one shuffle, in any order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from itertools import chain, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.sim.plant.below_lid.drum import Drum
from firmware_bridge.sim.plant.tiles import Holder
from tests.firmware_bridge.sim.rack import Rack, run_scenario

SET, WHEELS = 136, 4
IN_TURN = [*range(WHEELS)] * (SET // WHEELS)
POURS = 4_000
CRITICAL = 173.6
"""The chi-square value that is exceeded once in a thousand times, for 120 equally likely orders."""


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


def test_every_order_of_the_tiles_is_equally_frequent() -> None:
    counts: Counter[tuple[str, ...]] = Counter()

    def scenario(drum: Drum, box: Holder) -> None:
        for _ in range(POURS):
            pour(drum, box)
            counts[tuple(chain(*picked(drum, box, (0, 0, 1, 2, 3)).values()))] += 1

    at_the_drum(scenario, tiles=5)
    orders = list(permutations("01234"))
    expected = POURS / len(orders)
    assert sum((counts[order] - expected) ** 2 / expected for order in orders) < CRITICAL


def test_the_shares_do_not_depend_on_the_order_in_which_tiles_are_pushed_in() -> None:
    got: dict[int, list[str]] = {}

    def scenario(drum: Drum, box: Holder) -> None:
        box.tiles.reverse()
        pour(drum, box)
        got.update(picked(drum, box, IN_TURN))

    at_the_drum(scenario)
    assert got == shares_in_turn(1)


def test_a_set_is_mixed_with_tiles_that_were_left_in_the_drum() -> None:
    def scenario(drum: Drum, box: Holder) -> None:
        left = [box.take(tile) for tile in box.tiles[:8]]
        drum.pour(left)
        pour(drum, box)
        got = picked(drum, box, IN_TURN)
        assert [len(faces) for faces in got.values()] == [SET // WHEELS] * WHEELS
        first = {face for faces in got.values() for face in faces[: 8 // WHEELS]}
        assert first != {tile.face for tile in left}

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
        box.put(drum.well.take(drum.well.tiles[0]))
        got.update(picked(drum, box, [*IN_TURN[:-WHEELS], 1, 2, 3]))

    at_the_drum(scenario)
    assert got == shares_in_turn(1) | {0: shares_in_turn(1)[0][1:]}
