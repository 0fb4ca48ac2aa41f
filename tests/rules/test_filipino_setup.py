"""Filipino mahjong: the set-up, with mano, the wall, flores and the joker."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from rules.dice import parse_throw
from rules.errors import IllegalOutcomeError, IllegalSetupError
from rules.games.filipino import FILIPINO, Parameters, flores_bonus, flores_of
from rules.games.filipino.setup import is_pair
from rules.geometry import Walls, count_seats
from rules.setup import Setup, facts, settle
from rules.steps import Choose, Outcome, Replace, Throw, TurnUp

FLORES = "1z"


def dice(total: int) -> tuple[int, int]:
    return max(1, total - 6), total - max(1, total - 6)


def opened(total: int, wall: str, roller: int = 0, joker: int = 5, **parameters: Any) -> Setup:
    """The finished set-up without flores, with the wall broken at that place."""
    setup = FILIPINO.setup(dealer=roller, parameters=Parameters(**parameters))
    return settle(setup, [dice(total), dice(joker)], {"wall": wall})


def set_up(total: int, wall: str, *later: Outcome, parameters: Parameters | None = None) -> Setup:
    """The finished set-up; `later` are the outcomes, in order, of the steps after the deal."""
    answers = iter(later)
    setup = FILIPINO.setup(parameters=parameters)
    while (step := setup.pending) is not None:
        match step:
            case Throw(why="throw for mano"):
                setup = setup.apply(dice(total))
            case Choose(what="wall"):
                setup = setup.apply(wall)
            case Throw() | Choose() | TurnUp():
                setup = setup.apply(next(answers))
            case _:
                setup = setup.apply()
    assert next(answers, "none") == "none", "more outcomes were given than steps needed one"
    return setup


def replaced(setup: Setup) -> list[tuple[int, str]]:
    return [(step.seat, str(step.place)) for step, _ in setup.done if isinstance(step, Replace)]


@pytest.mark.parametrize(("total", "mano"), [(2, 1), (3, 2), (4, 3), (5, 0), (7, 2), (12, 3)])
def test_FM_01_mano_is_counted_out_by_the_sum_of_the_dice(total: int, mano: int) -> None:
    setup = FILIPINO.setup(dealer=0).apply().apply(dice(total))
    assert isinstance(setup.pending, Choose)
    assert setup.pending.by == mano


def test_FM_02_four_plus_three_is_seven() -> None:
    setup = FILIPINO.setup(dealer=0).apply()
    assert setup.pending == Throw(0, 1, "throw for mano", times=2)
    named = setup.apply(parse_throw("4+3"))
    assert isinstance(named.pending, Choose)
    assert named.pending.by == 2


def test_FM_02_the_roller_can_name_plus_n_instead_of_a_second_throw_if_the_house_allows() -> None:
    house = Parameters(plus_n_range=(1, 4))
    asked = FILIPINO.setup(dealer=0, parameters=house).apply().apply((4,))
    assert asked.pending == Choose(0, "plus n", ("throw again", 1, 2, 3, 4), "throw again")
    named = asked.apply(3)
    assert isinstance(named.pending, Choose)
    assert (named.pending.what, named.pending.by) == ("wall", 2)
    with pytest.raises(
        IllegalOutcomeError, match="Seat 0 cannot choose 5 as plus n; offered: throw ag"
    ):
        asked.apply(5)

    again = asked.apply("throw again")
    assert again.pending == Throw(0, 1, "throw for mano")
    thrown = again.apply((4,))
    assert isinstance(thrown.pending, Choose)
    assert thrown.pending.by == count_seats(0, 8, 4)
    assert (is_pair(thrown), is_pair(again), is_pair(asked.apply(4))) == (True, False, False)


def test_FM_03_mano_cannot_open_his_own_wall() -> None:
    setup = FILIPINO.setup(dealer=0).apply().apply((3, 4))
    assert isinstance(setup.pending, Choose)
    assert setup.pending.among == ("3 right", "3 left", "0 right", "0 left", "1 right", "1 left")
    assert setup.pending.default == "3 right"
    with pytest.raises(
        IllegalOutcomeError, match="Seat 2 cannot choose '2 right' as wall; offered: 3"
    ):
        setup.apply("2 right")


def test_FM_04_mano_2_opens_wall_3_from_the_right() -> None:
    setup = opened(7, "3 right")
    assert [len(setup.hands[seat]) for seat in range(4)] == [16, 16, 17, 16]
    assert [packet.seat for packet in setup.deal] == [2, 3, 0, 1, 2, 3, 0, 1]
    assert [len(packet.places) for packet in setup.deal] == [9, 8, 8, 8, 8, 8, 8, 8]
    assert str(setup.deal[0].places[0]) == "w3.8u"
    assert str(setup.deal[0].places[8]) == "w3.12u"
    assert str(setup.deal[1].places[0]) == "w3.12l"
    assert setup.left == 79
    assert setup.ready is not None and setup.ready.begins == 2


def test_FM_05_opened_from_the_left_the_deal_runs_in_the_other_direction() -> None:
    setup = opened(7, "3 left")
    assert str(setup.deal[0].places[0]) == "w3.11u"
    assert [str(place) for place in setup.deal[0].places[:4]] == [
        "w3.11u",
        "w3.11l",
        "w3.10u",
        "w3.10l",
    ]
    sequence = list(
        dict.fromkeys(
            (place.owner, place.column) for place in Walls.even(18).open(3, 7, "left").forward
        )
    )
    assert sequence[11] == (0, 18)
    assert sequence[-1] == (3, 12)


@pytest.mark.slow
def test_FM_06_every_wall_end_and_sum_deals_65_tiles_once_each() -> None:
    for roller, total, others, end in product(range(4), range(2, 13), (1, 2, 3), ("right", "left")):
        mano = (roller + total - 1) % 4
        setup = opened(total, f"{(mano + others) % 4} {end}", roller)
        dealt = [place for hand in setup.hands.values() for place in hand]
        assert len(dealt) == len(set(dealt)) == 65
        assert setup.ready is not None
        assert setup.ready.indicator not in dealt
        assert len({*dealt, *setup.ready.draws, setup.ready.indicator}) == 144


def test_FM_07_mano_gets_a_flores_that_is_turned_up_and_the_tile_beneath_is_the_joker() -> None:
    setup = set_up(7, "3 right", 0, 0, 0, 0, (2, 3), FLORES, "7s")
    assert setup.ready is not None
    assert setup.ready.shows == "7s"
    assert str(setup.ready.indicator) == "w3.3l"
    assert replaced(setup) == [(2, "w3.3u")]
    assert flores_of(setup) == (0, 0, 1, 0)


def test_FM_08_mano_gets_both_of_two_flores_and_the_dice_are_thrown_again() -> None:
    setup = set_up(7, "3 right", 0, 0, 0, 0, (2, 3), FLORES, "8f", (2, 3), "5m")
    assert replaced(setup) == [(2, "w3.3u"), (2, "w3.3l")]
    assert flores_of(setup) == (0, 0, 2, 0)
    assert len(setup.throws) == 3
    assert setup.ready is not None
    # The columns 7, 6, 5 and 4 are counted, then 2, because column 3 is empty.
    assert str(setup.ready.indicator) == "w3.2u"
    assert setup.left == 77


def test_FM_08_the_second_flores_stays_in_the_wall_if_the_house_plays_so() -> None:
    setup = set_up(
        7,
        "3 right",
        0,
        0,
        0,
        0,
        (2, 3),
        FLORES,
        "8f",
        (2, 3),
        "5m",
        parameters=Parameters(second_flores="stays"),
    )
    assert replaced(setup) == [(2, "w3.3u")]
    assert setup.ready is not None
    assert str(setup.ready.indicator) == "w3.2u"
    assert "w3.3l" in [str(place) for place in setup.ready.draws]


def test_FM_09_no_flores_or_thirteen_flores_are_paid_after_the_joker_is_turned_up() -> None:
    setup = set_up(7, "3 right", 2, 13, 0, 4, 0, 0, 0, (1, 1), "5m")
    assert flores_of(setup) == (0, 4, 2, 13)
    assert flores_bonus(flores_of(setup)) == (10, -10, -10, 10)
    assert flores_bonus((0, 3, 4, 5)) == (15, -5, -5, -5)
    assert flores_bonus((13, 3, 4, 5)) == (15, -5, -5, -5)
    assert flores_bonus((12, 3, 4, 5)) == (0, 0, 0, 0)


def test_mano_is_not_paid_for_no_flores_if_the_jokers_column_has_a_flores() -> None:
    setup = set_up(7, "3 right", 0, 1, 1, 1, 0, 0, 0, (1, 1), FLORES, "5m")
    assert flores_bonus(flores_of(setup)) == (0, 0, 0, 0)


def test_the_worked_example_replaces_three_flores_from_the_gap_backwards() -> None:
    setup = set_up(7, "3 right", 3, 0, 0, 0, 0, (2, 3), "5m")
    assert replaced(setup) == [(2, "w3.7u"), (2, "w3.7l"), (2, "w3.6u")]
    assert setup.ready is not None
    assert str(setup.ready.indicator) == "w3.2u"
    assert [str(place) for place in setup.ready.replacements[:3]] == ["w3.6l", "w3.5u", "w3.5l"]


def test_the_worked_example_counts_seven_into_the_neighbours_wall() -> None:
    setup = set_up(7, "3 right", 3, 0, 0, 0, 0, (3, 4), "5m")
    assert setup.ready is not None
    assert str(setup.ready.indicator) == "w0.18u"


def test_replacements_skip_the_joker() -> None:
    ready = opened(7, "3 right", joker=2).ready
    assert ready is not None
    assert str(ready.indicator) == "w3.6u"
    assert [str(place) for place in ready.replacements[:4]] == ["w3.7u", "w3.7l", "w3.6l", "w3.5u"]


def test_the_joker_is_the_remaining_tile_of_a_column_whose_other_tile_is_gone() -> None:
    setup = set_up(7, "3 right", 1, 0, 0, 0, 0, (1, 1), FLORES, "9p")
    assert setup.ready is not None
    assert str(setup.ready.indicator) == "w3.6l"
    single = set_up(7, "3 right", 3, 0, 0, 0, 0, (1, 1), "9p")
    assert single.ready is not None
    assert str(single.ready.indicator) == "w3.5u"


def test_flores_are_asked_for_round_by_round_until_no_new_ones_appear() -> None:
    setup = set_up(7, "3 right", 2, 0, 1, 0, 1, 0, 0, (2, 3), None)
    asked = [step.by for step, _ in setup.done if isinstance(step, Choose)][1:]
    assert asked == [2, 3, 0, 1, 2, 0, 2]
    assert [seat for seat, _ in replaced(setup)] == [2, 2, 0, 2]


def test_each_seat_replaces_all_its_flores_before_the_next_seat_if_the_house_plays_so() -> None:
    setup = set_up(
        7,
        "3 right",
        2,
        1,
        0,
        0,
        1,
        0,
        0,
        (2, 3),
        None,
        parameters=Parameters(replacement_by="immediate"),
    )
    asked = [step.by for step, _ in setup.done if isinstance(step, Choose)][1:]
    assert asked == [2, 2, 2, 3, 0, 0, 1]
    assert [seat for seat, _ in replaced(setup)] == [2, 2, 2, 0]


def test_a_seat_cannot_lay_out_more_flores_than_its_tiles_or_the_flores_that_are_left() -> None:
    setup = set_up_until_flores()
    assert isinstance(setup.pending, Choose)
    assert setup.pending.among == tuple(range(18))
    for laid in (17, 16):
        setup = setup.apply(laid)
        while isinstance(setup.pending, Replace):
            setup = setup.apply()
    assert isinstance(setup.pending, Choose)
    assert setup.pending.among == (0, 1, 2, 3)
    with pytest.raises(IllegalOutcomeError, match="Seat 0 cannot choose 4 as flores laid out"):
        setup.apply(4)


def test_a_flores_that_the_set_cannot_contain_is_refused() -> None:
    setup = set_up_until_flores()
    for laid in (17, 16, 3, 0, 0, 0, 0):
        setup = setup.apply(laid)
        while isinstance(setup.pending, Replace):
            setup = setup.apply()
    setup = setup.apply((1, 1))
    before = setup
    with pytest.raises(
        IllegalOutcomeError,
        match="would be number 37 of the flores, but the set has 36; read the tile again",
    ):
        setup.apply(FLORES)
    assert setup == before
    assert setup.apply("1m").ready is not None


def set_up_until_flores() -> Setup:
    """The set-up after the deal; the first question about flores is pending."""
    setup = FILIPINO.setup().apply().apply((3, 4)).apply("3 right")
    while not isinstance(setup.pending, Choose):
        setup = setup.apply()
    return setup


def test_an_unread_joker_counts_as_a_number_tile() -> None:
    setup = set_up(7, "3 right", 0, 0, 0, 0, (2, 3), None)
    assert setup.ready is not None
    assert setup.ready.shows is None
    assert replaced(setup) == []


def test_winds_are_not_flores_if_the_house_plays_with_winds() -> None:
    setup = set_up(
        7, "3 right", 0, 0, 0, 0, (2, 3), "1z", parameters=Parameters(honours_as_flores=False)
    )
    assert setup.ready is not None
    assert setup.ready.shows == "1z"


def test_the_standing_columns_can_be_used_from_their_outer_end() -> None:
    ready = opened(2, "2 right", joker=3, replacement_end="outer").ready
    assert ready is not None
    assert str(ready.indicator) == "w3.18u"
    assert [str(place) for place in ready.replacements[:5]] == [
        "w2.1u",
        "w2.1l",
        "w2.2u",
        "w2.2l",
        "w3.18l",
    ]


@pytest.mark.parametrize(
    ("batches", "packets"),
    [
        ((9, 8), [9, 8, 8, 8, 8, 8, 8, 8]),
        ((8, 9), [8, 8, 8, 8, 9, 8, 8, 8]),
        ((8, 8, 1), [8, 8, 8, 8, 8, 8, 8, 8, 1]),
    ],
)
def test_mano_takes_17_tiles_in_the_batches_of_the_house(
    batches: tuple[int, ...], packets: list[int]
) -> None:
    setup = opened(7, "3 right", mano_batches=batches)
    assert [len(packet.places) for packet in setup.deal] == packets
    assert len(setup.hands[2]) == 17


def test_walls_can_be_uneven() -> None:
    setup = opened(7, "3 right", columns=(20, 16, 18, 18))
    assert setup.layout.count == 144
    assert setup.left == 79


def test_walls_that_do_not_hold_the_set_are_refused() -> None:
    with pytest.raises(IllegalSetupError, match="do not hold 144 tiles in two"):
        Parameters(columns=(17, 17, 17, 17))
    with pytest.raises(IllegalSetupError, match=r"1\)\), not \(17,\)"):
        Parameters(mano_batches=(17,))


def test_the_plan_lists_replaced_flores_as_part_of_the_hands() -> None:
    setup = set_up(7, "3 right", 1, 0, 0, 0, 0, (2, 3), "5m")
    plan = facts(setup)
    assert plan["break"] == {"wall": 3, "column": 7, "first": "w3.8u"}
    deal = plan["deal"]
    assert isinstance(deal, list)
    assert deal[-1] == {"seat": 2, "from": ["w3.7u"]}
    assert plan["indicator"] == {"at": "w3.3u", "turned_by": 2, "tile": "5m"}
    assert plan["left"] == 78
