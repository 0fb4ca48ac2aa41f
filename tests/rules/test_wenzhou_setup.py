"""Wenzhou mahjong: the set-up, from the first throw to the indicator."""

from __future__ import annotations

import pytest

from rules.errors import IllegalOutcomeError, IllegalSetupError
from rules.games.wenzhou import WENZHOU, draw_seats, draws_left
from rules.geometry import WallPlace, parse_place
from rules.setup import Setup, settle
from rules.steps import Throw, TurnUp


def dealt(first: int, second: int, dealer: int = 0) -> Setup:
    """The set-up after throws of these sums."""
    return settle(WENZHOU.setup(dealer=dealer), [dice(first), dice(second)])


def dice(total: int) -> tuple[int, int]:
    return max(1, total - 6), total - max(1, total - 6)


def first_tile(setup: Setup) -> str:
    return str(setup.deal[0].places[0])


def test_WZ_01_eight_and_six_break_the_third_seats_wall_after_column_14() -> None:
    setup = dealt(8, 6)
    roller = setup.throws[1][0].by
    assert roller == 3
    assert setup.ready is not None
    assert str(setup.ready.indicator) == "w3.8u"
    assert first_tile(setup) == "w3.15u"


def test_WZ_02_the_dealer_gets_17_tiles_the_others_16_and_71_are_left() -> None:
    setup = dealt(8, 6)
    assert [len(setup.hands[seat]) for seat in range(4)] == [17, 16, 16, 16]
    assert setup.left == 71
    assert str(setup.hands[0][-1]) == "w1.13u"
    assert setup.ready is not None
    assert str(setup.ready.draws[0]) == "w1.13l"
    assert str(setup.ready.draws[-1]) == "w3.14l"
    assert [str(place) for place in setup.deal[0].places] == [
        "w3.15u",
        "w3.15l",
        "w3.16u",
        "w3.16l",
    ]
    assert [str(place) for place in setup.deal[1].places] == ["w3.17u", "w3.17l", "w2.1u", "w2.1l"]


def test_WZ_03_a_count_of_17_breaks_the_wall_at_the_corner() -> None:
    setup = dealt(5, 12)
    assert setup.throws[1][0].by == 0
    assert first_tile(setup) == "w3.1u"


def test_WZ_04_a_count_of_24_continues_in_the_left_neighbours_wall() -> None:
    setup = dealt(12, 12)
    roller = setup.throws[1][0].by
    assert first_tile(setup) == f"w{(roller - 1) % 4}.8u"


@pytest.mark.parametrize(
    ("second", "draws", "left"), [(6, 55, 16), (7, 55, 16), (8, 53, 18), (12, 45, 26)]
)
def test_WZ_05_the_wall_ends_at_the_reserve_or_before_the_indicator(
    second: int, draws: int, left: int
) -> None:
    assert draws_left(second) == (draws, left)
    setup = dealt(8, second)
    assert setup.ready is not None and isinstance(setup.ready.indicator, WallPlace)
    if left > 16:
        beneath = WallPlace(setup.ready.indicator.owner, setup.ready.indicator.column, 1)
        assert setup.ready.draws.index(beneath) == draws


def test_WZ_06_kongs_reduce_the_draws_only_if_the_reserve_ends_the_wall() -> None:
    assert draws_left(6, replacements=3) == (52, 16)
    assert draws_left(12, replacements=3) == (45, 23)


def test_WZ_07_replacements_are_taken_backwards_from_the_gap_without_the_indicator() -> None:
    setup = dealt(8, 2)
    assert setup.ready is not None
    assert [str(place) for place in setup.ready.replacements[:6]] == [
        "w3.10u",
        "w3.10l",
        "w3.9u",
        "w3.9l",
        "w3.8l",
        "w3.7u",
    ]


def test_draws_and_replacements_are_the_same_undealt_tiles() -> None:
    ready = dealt(8, 6).ready
    assert ready is not None
    assert len(ready.draws) == 70
    assert set(ready.draws) == set(ready.replacements)
    assert parse_place("w3.8u") not in ready.draws


def test_the_indicator_is_never_dealt_and_has_the_face_that_was_read() -> None:
    setup = WENZHOU.setup()
    while not isinstance(setup.pending, TurnUp):
        setup = setup.apply((6, 6) if isinstance(setup.pending, Throw) else None)
    assert setup.pending.place not in [place for hand in setup.hands.values() for place in hand]
    with pytest.raises(IllegalOutcomeError, match="'1f' is not a tile of Wenzhou mahjong"):
        setup.apply("1f")
    seen = setup.apply("2m").ready
    unseen = setup.apply().ready
    assert seen is not None and seen.shows == "2m"
    assert unseen is not None and unseen.shows is None


def test_the_eldest_draws_the_seats_with_two_throws() -> None:
    assert draw_seats(1, first=8, second=5, parameters=WENZHOU.parameters()) == (0, 1)


def test_wenzhou_is_played_by_four() -> None:
    with pytest.raises(IllegalSetupError, match=r"Wenzhou mahjong is played by 4 players, not 3\."):
        WENZHOU.setup(players=3)
    with pytest.raises(IllegalSetupError, match="dealer; with 4 players seats are 0 to 3"):
        WENZHOU.setup(dealer=4)
