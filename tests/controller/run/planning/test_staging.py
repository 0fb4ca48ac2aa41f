"""Tests the staging: every place of a layout gets one slot in a tray or a place in a lane."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as some

from config.layout.field import Field
from config.layout.staging import DoesNotFitError, Slot, Staging, stage
from config.loader import game_parameters, load_game, load_table
from controller.run.orders import Orders
from controller.run.planning.planner import Planner
from controller.run.planning.setup_forecast import foreseen, staging_of
from rules.games import find_game
from rules.geometry import BareTable, Boneyard, CardPile, Layout, Pile, Walls
from rules.setup import Setup
from rules.steps import Build, Packet, Throw

TABLES = {
    name: load_table(name)
    for name in ("robotic", "auto_deal", "classic", "single_port", "pai_gow", "bench")
}
WENZHOU, CONFIG = find_game("wenzhou"), load_game("wenzhou")
FLIPPER = Slot(1, 9, 1)
"""The slot at which the auto-deal table's flipper can turn a tile."""

lengths = some.integers(1, 20)
layouts = some.one_of(
    some.builds(Walls, some.tuples(lengths, lengths, lengths, lengths)),
    some.builds(Pile, some.integers(1, 10), some.sampled_from((2, 4))),
    some.builds(Boneyard, some.integers(1, 100)),
    some.builds(CardPile, some.integers(1, 200)),
    some.just(BareTable()),
)
faces = some.integers(1, 6)


def slots_of(staging: Staging) -> Counter[Slot]:
    """Return all slots of the stacks in the trays."""
    return Counter(
        Slot(fill.tray, column, level)
        for fill in staging.fills
        for column, height in enumerate(fill.stacks, 1)
        for level in range(1, height + 1)
    )


@pytest.mark.parametrize("table", TABLES)
@given(layout=layouts)
def test_every_place_gets_exactly_one_slot_or_the_layout_is_refused(
    table: str, layout: Layout
) -> None:
    try:
        staging = stage(layout, TABLES[table])
    except DoesNotFitError:
        return
    assert set(staging.slots) == set(layout.places)
    assert Counter(staging.slots.values()) == slots_of(staging)
    assert sum(fill.tiles for fill in staging.fills) == layout.count


def test_a_wall_longer_than_its_tray_is_refused_with_the_numbers() -> None:
    with pytest.raises(DoesNotFitError) as refused:
        stage(Walls((17, 20, 17, 17)), TABLES["robotic"])
    assert str(refused.value) == ("needs 20 columns of 2 in a tray, but a tray holds 19 of 2")


def test_a_pile_of_four_levels_is_built_as_two_opposite_halves() -> None:
    staging = stage(Pile(8, 4), TABLES["robotic"])
    assert staging.halves
    top, bottom = (place for place in staging.layout.places if str(place) in ("p1.1", "p1.4"))
    assert staging.slots[top] == Slot(2, 8, 1)
    assert staging.slots[bottom] == Slot(0, 1, 2)


def test_a_pile_tray_holds_the_whole_pile() -> None:
    staging = stage(Pile(8, 4), TABLES["pai_gow"])
    assert not staging.halves
    assert [(fill.tray, fill.stacks) for fill in staging.fills] == [(0, (4,) * 8)]


# Hand lanes


def thrown(first: tuple[int, int], second: tuple[int, int], dealer: int) -> Setup:
    """Return a Wenzhou set-up after both throws, before its first packet."""
    setup = WENZHOU.setup(dealer=dealer)
    throws = [first, second]
    while not isinstance(setup.pending, Packet):
        match setup.pending:
            case Build():
                setup = setup.apply()
            case Throw():
                setup = setup.apply(throws.pop(0))
    return setup


def in_lanes(setup: Setup) -> tuple[Staging, Planner]:
    """Return the staging with lanes, and the planner with the lanes filled for the throws."""
    table = TABLES["auto_deal"]
    orders = Orders(setup.game, game_parameters(CONFIG), setup.seating.dealer)
    staging = staging_of(table, orders)
    planner = Planner(table, Field(table, CONFIG.tile), staging, 4)
    return staging, planner.with_lanes(foreseen(setup))


@given(
    first=some.tuples(faces, faces),
    second=some.tuples(faces, faces),
    dealer=some.integers(0, 3),
)
@pytest.mark.slow
def test_the_indicator_is_over_the_flipper_after_any_throws(
    first: tuple[int, int], second: tuple[int, int], dealer: int
) -> None:
    setup = thrown(first, second, dealer)
    _, planner = in_lanes(setup)
    ready = foreseen(setup).ready
    assert ready is not None and ready.indicator is not None
    assert planner.staging.slots[ready.indicator] == FLIPPER


@given(
    first=some.tuples(faces, faces),
    second=some.tuples(faces, faces),
    dealer=some.integers(0, 3),
)
@pytest.mark.slow
def test_after_the_throws_every_tile_has_one_place_in_a_lane_or_in_a_tray(
    first: tuple[int, int], second: tuple[int, int], dealer: int
) -> None:
    setup = thrown(first, second, dealer)
    staging, planner = in_lanes(setup)
    in_hand = [place for hand in planner.hands.values() for place in hand]
    assert Counter([*in_hand, *planner.staging.slots]) == Counter(setup.layout.places)
    assert Counter(planner.staging.slots.values()) == slots_of(staging)
    assert {seat: len(hand) for seat, hand in planner.hands.items()} == staging.lanes


def test_lanes_and_trays_together_hold_the_set() -> None:
    staging, _ = in_lanes(thrown((3, 5), (2, 4), 0))
    assert staging.slots == {}
    assert sum(staging.lanes.values()) + sum(fill.tiles for fill in staging.fills) == 136
    assert [(fill.tray, fill.stacks) for fill in staging.fills] == [
        (tray, (2,) * 9) for tray in (0, 3, 2, 1)
    ]


def test_a_head_fills_the_lanes_of_its_sides() -> None:
    staging, _ = in_lanes(thrown((3, 5), (2, 4), 0))
    assert [staging.lanes_of((side,)) for side in range(4)] == [[0], [1], [2], [3]]
    assert staging.lanes_of((0, 1, 2, 3)) == [0, 1, 2, 3]
