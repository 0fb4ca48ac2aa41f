"""The drum: what each wheel finds in it is one shuffle, whichever wheel picks first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from itertools import chain, permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.sim.plant.drum import Drum
from firmware_bridge.sim.plant.tiles import Holder
from tests.firmware_bridge.sim.rack import Rack, run_scenario

SET, WHEELS = 136, 4
IN_TURN = [*range(WHEELS)] * (SET // WHEELS)
POURS = 4_000
MAY_BE = 173.6
"""What chi square passes once in a thousand, with 120 orders equally likely."""


def at_the_drum(scenario: Callable[[Drum, Holder], None], seed: int = 1, tiles: int = SET) -> None:
    """A story at a drum with four wheels, and the box that its set is poured from."""

    async def main(rack: Rack) -> None:
        assert rack.plant.drum is not None
        scenario(rack.plant.drum, rack.plant.boxes[0])

    run_scenario(main, seed=seed, faces=tuple(map(str, range(tiles))))


def pour(drum: Drum, box: Holder) -> None:
    drum.pour([box.take(tile) for tile in list(box.tiles)])


def picked(drum: Drum, box: Holder, wheels: Iterable[int]) -> dict[int, list[str]]:
    """What each wheel gets if they pick in this order; the box has it afterwards."""
    got: dict[int, list[str]] = {wheel: [] for wheel in range(WHEELS)}
    for wheel in wheels:
        tile = drum.pick(wheel)
        got[wheel].append(tile.face)
        box.put(tile)
    return got


def shares(seed: int, wheels: Iterable[int]) -> dict[int, list[str]]:
    """What each wheel of a table gets of a whole set."""
    got: dict[int, list[str]] = {}

    def scenario(drum: Drum, box: Holder) -> None:
        pour(drum, box)
        got.update(picked(drum, box, wheels))

    at_the_drum(scenario, seed)
    return got


@cache
def fair(seed: int) -> dict[int, list[str]]:
    """What each gets where they pick in turn."""
    return shares(seed, IN_TURN)


@settings(max_examples=15, deadline=None)
@given(st.permutations(IN_TURN), st.integers(0, 3))
def test_whichever_wheel_picks_first_each_gets_the_same_tiles_in_the_same_order(
    wheels: list[int], seed: int
) -> None:
    assert shares(seed, wheels) == fair(seed)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(0, WHEELS - 1), min_size=SET, max_size=SET), st.integers(0, 3))
def test_a_wheel_that_takes_more_than_its_share_leaves_the_others_the_order_of_theirs(
    wheels: list[int], seed: int
) -> None:
    got = shares(seed, wheels)
    assert sorted(chain(*got.values())) == sorted(map(str, range(SET)))
    for wheel, share in fair(seed).items():
        own = [face for face in got[wheel] if face in share]
        assert own == share[: len(own)]


def test_another_seed_deals_the_wheels_other_tiles() -> None:
    assert fair(1) != fair(2)


def test_every_order_of_the_tiles_comes_equally_often() -> None:
    came: Counter[tuple[str, ...]] = Counter()

    def scenario(drum: Drum, box: Holder) -> None:
        for _ in range(POURS):
            pour(drum, box)
            came[tuple(chain(*picked(drum, box, (0, 0, 1, 2, 3)).values()))] += 1

    at_the_drum(scenario, tiles=5)
    orders = list(permutations("01234"))
    expected = POURS / len(orders)
    assert sum((came[order] - expected) ** 2 / expected for order in orders) < MAY_BE


def test_how_the_tiles_were_pushed_in_does_not_matter() -> None:
    got: dict[int, list[str]] = {}

    def scenario(drum: Drum, box: Holder) -> None:
        box.tiles.reverse()
        pour(drum, box)
        got.update(picked(drum, box, IN_TURN))

    at_the_drum(scenario)
    assert got == fair(1)


def test_a_set_that_falls_onto_tiles_left_from_before_is_mixed_with_them() -> None:
    def scenario(drum: Drum, box: Holder) -> None:
        left = [box.take(tile) for tile in box.tiles[:8]]
        drum.pour(left)
        pour(drum, box)
        got = picked(drum, box, IN_TURN)
        assert [len(faces) for faces in got.values()] == [SET // WHEELS] * WHEELS
        first = {face for faces in got.values() for face in faces[: 8 // WHEELS]}
        assert first != {tile.face for tile in left}

    at_the_drum(scenario)


def test_a_tile_that_is_given_back_lies_behind_those_of_the_wheel_with_the_fewest() -> None:
    def scenario(drum: Drum, box: Holder) -> None:
        pour(drum, box)
        back = drum.pick(2)
        drum.give(back)
        got = picked(drum, box, IN_TURN)
        assert [len(faces) for faces in got.values()] == [SET // WHEELS] * WHEELS
        assert got[2][-1] == back.face

    at_the_drum(scenario)


def test_a_tile_that_a_person_takes_out_is_missed_by_its_own_wheel_only() -> None:
    got: dict[int, list[str]] = {}

    def scenario(drum: Drum, box: Holder) -> None:
        pour(drum, box)
        box.put(drum.well.take(drum.well.tiles[0]))
        got.update(picked(drum, box, [*IN_TURN[:-WHEELS], 1, 2, 3]))

    at_the_drum(scenario)
    assert got == fair(1) | {0: fair(1)[0][1:]}
