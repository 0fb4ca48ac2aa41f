"""Reported results of Filipino hands: payments, chips, the next roller, and what is refused."""

from __future__ import annotations

import itertools
import json
from random import Random
from typing import Any

import pytest

from rules.errors import RulesError
from rules.games.filipino import FilipinoMatch, Parameters
from rules.games.filipino.actions import Act
from rules.games.filipino.results import RESULTS, FilipinoHand, form
from rules.games.filipino.setup import flores_of
from rules.results import Depth
from tests.rules.filipino.dealing import (
    SEVEN_WAITING,
    WAITING,
    acted,
    dealt,
    hand_of,
    play_of,
    play_with,
)
from tests.rules.filipino.test_filipino_play import pong_of_six
from tests.rules.hidden_hands import play_hidden_stepwise, preferring

ENDS = Parameters(after_false_win="ends")
DOUBLED = Parameters(pairs_double=True)
NONE = {"kongs": [0, 0, 0, 0], "flores_at_start": [3, 4, 5, 6]}
"""Neither kongs nor paid flores."""
DISCARD = {"winner": 2, "by": "discard", "discarder": 0} | NONE
SHOWN = DISCARD | {"joker": "5m", "hand": WAITING.split(), "tile": "6s"}
SEVEN = {"hand": SEVEN_WAITING.split(), "tile": "9s"}


def finish(match: FilipinoMatch, /, **given: Any) -> FilipinoHand:
    """The finished hand of a result that people give."""
    return RESULTS.finish(match, form(match).checked(json.loads(json.dumps(given))))


def gains(hand: FilipinoHand) -> list[int]:
    """The gain of each seat."""
    balance = hand.settlement.balance()
    return [int(balance.get(seat, 0)) for seat in range(4)]


# Payments and chips


@pytest.mark.parametrize(
    ("given", "paid", "chips"),
    [
        ({}, [-10, 0, 10, 0], 1),
        ({"by": "self", "discarder": None}, [-10, -10, 30, -10], 2),
        ({"by": "replacement", "discarder": None}, [-10, -10, 30, -10], 2),
        ({"by": "robbing"}, [-10, -10, 30, -10], 1),
        ({"seven_first": True}, [-10, -10, 30, -10], 2),
        ({"escalera": True}, [-10, -10, 30, -10], 2),
        ({"single_joker": True}, [-15, -15, 45, -15], 2),
        ({"flores_at_start": [3, 4, 0, 6], "no_flores": True}, [-20, -20, 60, -20], 2),
        ({"kongs": [0, 1, None, 2]}, [-10 - 15, 15 - 10, 10 - 15, 30 - 5], 1),
        ({"flores_reached": [1]}, [-15, 15, 5, -5], 1),
        ({"flores_at_start": [13, 4, 5, 6]}, [5, -5, 5, -5], 1),
        ({"false_wins": [3, 0]}, [-30, 20, 30, -20], 1),
    ],
)
def test_an_entry_of_the_price_list_decides_the_payments_and_chips(
    given: dict[str, Any], paid: list[int], chips: int
) -> None:
    result = {name: value for name, value in (DISCARD | given).items() if value is not None}
    hand = finish(FilipinoMatch(), **result)
    assert (gains(hand), hand.chips, hand.counted) == (paid, (0, 0, chips, 0), True)


def test_waits_are_asked_and_paid_only_in_a_house_that_pays_for_them() -> None:
    house = Parameters(back_to_back=2, middle=3)
    assert gains(finish(FilipinoMatch(house), **DISCARD, back_to_back=True)) == [-12, 0, 12, 0]
    both = finish(FilipinoMatch(house), **DISCARD, back_to_back=True, middle=True)
    assert gains(both) == [-13, 0, 13, 0]
    with pytest.raises(RulesError, match="'middle' is not a field of a result of this game"):
        finish(FilipinoMatch(), **DISCARD, middle=True)


def test_FM_21_the_match_carries_the_chips_and_pays_hi_alai() -> None:
    match = FilipinoMatch(chips=(1, 0, 4, 0), dealer=1)
    hand = finish(match, **DISCARD)
    assert gains(hand) == [-15, -5, 25, -5]
    assert (hand.chips, match.after(hand).chips) == ((0,) * 4, (0,) * 4)
    kept = finish(match, **DISCARD | {"winner": 3})
    assert match.after(kept).chips == (1, 0, 4, 1)
    assert match.after(kept).dealer == 3


def test_equal_dice_double_every_amount() -> None:
    result = DISCARD | {"kongs": [0, 1, 0, 0], "doubled": True}
    assert gains(finish(FilipinoMatch(DOUBLED), **result)) == [-30, 30, 10, -10]
    hi_alai = finish(FilipinoMatch(DOUBLED, chips=(0, 0, 4, 0)), **DISCARD, doubled=True)
    assert gains(hi_alai) == [-30, -10, 50, -10]


def test_tiles_are_read_as_the_judge_reads_them() -> None:
    assert finish(FilipinoMatch(), **SHOWN).settlement.name == "discard"
    seven = finish(FilipinoMatch(), **SHOWN | SEVEN)
    assert (seven.settlement.name, seven.chips[2]) == ("seven first", 2)
    free = finish(FilipinoMatch(), **SHOWN | {"flores_at_start": [3, 4, 0, 6]}, no_flores=True)
    assert free.settlement.name == "no flores"


def test_a_result_who_names_the_next_roller_and_says_that_nothing_is_counted() -> None:
    match = FilipinoMatch(dealer=1, chips=(1, 2, 3, 4), scores=(5, 5, -5, -5))
    hand = finish(match, winner=2, by="discard")
    assert (hand.counted, hand.settlement.payments) == (False, ())
    assert "The payments are not counted." in hand.settlement.reasons
    after = match.after(hand)
    assert (after.dealer, after.chips, after.scores) == (2, match.chips, match.scores)
    same = match.after(finish(match))
    assert (same.dealer, same.hands) == (1, 1)


# Hands without a winner


def test_F37_a_drawn_hand_pays_for_flores_and_kongs_and_keeps_the_roller() -> None:
    match = FilipinoMatch(dealer=3, chips=(1, 2, 3, 4))
    hand = finish(match, kongs=[0, 1, 0, 0], flores_at_start=[3, 4, 5, 6], false_wins=[0])
    assert (hand.settlement.name, gains(hand)) == ("exhausted", [-35, 25, 5, 5])
    assert hand.settlement.reasons == (
        "F23: seat 1 has a kong.",
        "F35: seat 0 declared a win that is not valid.",
        "F37: the wall is used up.",
    )
    assert (match.after(hand).dealer, match.after(hand).chips) == (3, (1, 2, 3, 4))


def test_F35_a_false_win_that_ends_the_hand_is_paid_beside_the_kongs() -> None:
    hand = finish(FilipinoMatch(ENDS), false_win=1, **NONE | {"kongs": [0, 0, 0, 1]})
    assert (hand.settlement.name, gains(hand)) == ("false win", [5, -35, 5, 25])
    short = finish(FilipinoMatch(ENDS), false_win=1)
    assert (short.settlement.name, short.counted) == ("false win", False)
    with pytest.raises(RulesError, match="false_win: Give the seat whose false win ended"):
        finish(FilipinoMatch(ENDS), false_win=1, winner=2)


# What cannot be


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"discarder": 2}, "discarder: Seat 2 is the seat that won already; name another seat."),
        ({"by": "self"}, "discarder: Give the seat that discarded the tile or added it to a pong"),
        ({"by": None, "discarder": None}, "by: The result does not say the source of the winning"),
        (
            {"discarder": None},
            "discarder: The result does not say the seat that discarded the tile or added it",
        ),
        ({"kongs": None, "escalera": True}, "kongs: The result does not say the number of kongs"),
        ({"kongs": [0, 6, 0, 0]}, "kongs: 6 is not a whole number of 0 to 5 (F23)."),
        (
            {"seven_first": True, "kongs": [0, 0, 2, 0]},
            "kongs: Seat 2 cannot have 2 kongs beside seven_first, which has 1 of its sets free",
        ),
        (
            {"escalera": True, "kongs": [0, 0, 3, 0]},
            "kongs: Seat 2 cannot have 3 kongs beside escalera, which has 2 of its sets free",
        ),
        (
            {"by": "replacement", "discarder": None, "no_flores": True}
            | {"flores_at_start": [3, 4, 0, 6]},
            "by: A replacement tile follows a kong or a flores (F11, F23), and seat 2 has neither.",
        ),
        (
            {"flores_at_start": [3, None, 5, 6]},
            "flores_at_start: Seat 1 has no number; give that of every seat, because a seat",
        ),
        (
            {"flores_at_start": [9, 9, 9, 10]},
            "flores_at_start: The seats have 37 flores; the set has 36 (F3).",
        ),
        ({"flores_at_start": None}, "flores_at_start: The result does not say the number of"),
        (
            {"flores_reached": [1, 1]},
            "flores_reached: Seat 1 is named twice; it is paid once in a hand (A12).",
        ),
        (
            {"flores_at_start": [3, 14, 5, 6], "flores_reached": [1]},
            "flores_reached: Seat 1 had 14 flores at the start and was paid for them then (A12).",
        ),
        (
            {"flores_reached": [0, 1]},
            "flores_reached: The seats would have at least 37 flores; the set has 36 (F3).",
        ),
        ({"no_flores": True}, "no_flores: Seat 2 has laid out flores in this hand (F30)."),
        (
            {"no_flores": True, "flores_at_start": [3, 4, 0, 6], "flores_reached": [2]},
            "no_flores: Seat 2 has laid out flores in this hand (F30).",
        ),
        (
            {"false_wins": [1, 3, 1]},
            "false_wins: Seat 1 is named twice; it pays once in a hand (F35).",
        ),
        (
            {"false_wins": [2]},
            "false_wins: Seat 2 has won, which it cannot after a false win (F35).",
        ),
    ],
)
def test_a_result_that_cannot_be_is_refused(given: dict[str, Any], sentence: str) -> None:
    result = {name: value for name, value in (DISCARD | given).items() if value is not None}
    with pytest.raises(RulesError) as refused:
        finish(FilipinoMatch(), **result)
    assert str(refused.value).startswith(sentence)


@pytest.mark.parametrize(
    ("given", "house", "sentence"),
    [
        ({"joker": None}, {}, "joker: The result does not say the tile turned up; add it."),
        ({"tile": "7s"}, {}, "hand: These tiles are not five sets and a pair, nor seven pairs"),
        ({"tile": None}, {}, "tile: A win on another seat's tile needs the tile and the discarder"),
        ({"tile": "1z"}, {}, "tile: '1z' is a flores, which is laid out (F20); no other seat"),
        ({"joker": "1z"}, {}, "joker: '1z' is a flores, which cannot be the joker; give the next"),
        ({"hand": ["1m"] * 5}, {}, "hand: Seat 2 shows 5 tiles and 0 sets; a winning hand has 17"),
        (
            {"joker": "6s"},
            {"joker_discard": "dead"},
            "hand: A discarded joker '6s' cannot be claimed in this house (F25).",
        ),
        (
            {"hand": WAITING.split()[3:], "melds": [["1m", "2m", "4m"]]},
            {},
            "melds: '1m 2m 4m' is not a chow; name three numbers of one suit in order",
        ),
        ({"kongs": [0, 0, 1, 0]}, {}, "kongs: The sets of seat 2 show 0 kongs, not 1 (F23)."),
        (
            {"escalera": True},
            {},
            "escalera: By the tiles of seat 2 this is false; leave it out.",
        ),
        (
            {"by": "replacement", "discarder": None, "no_flores": True}
            | {"flores_at_start": [3, 4, 0, 6]},
            {},
            "by: A replacement tile follows a kong or a flores (F11, F23), and seat 2 has neither.",
        ),
    ],
)
def test_tiles_that_do_not_win_or_contradict_themselves_are_refused(
    given: dict[str, Any], house: dict[str, Any], sentence: str
) -> None:
    result = {name: value for name, value in (SHOWN | given).items() if value is not None}
    with pytest.raises(RulesError) as refused:
        finish(FilipinoMatch(Parameters(**house)), **result)
    assert str(refused.value).startswith(sentence)


def test_the_table_gives_what_it_knows_from_the_set_up() -> None:
    setup, _ = dealt(Random(4), DOUBLED)
    match = FilipinoMatch(DOUBLED)
    known = form(match, setup)
    flores = list(flores_of(setup))
    result = known.checked({"winner": 1})
    assert (result["flores_at_start"], result["doubled"]) == (flores, False)
    assert setup.ready is not None and result["joker"] == setup.ready.shows
    assert known.depth(result) == "who" and not RESULTS.finish(match, result).counted
    plain = {"winner": 1, "by": "self", "kongs": [0, 0, 0, 0]}
    assert RESULTS.finish(match, known.checked(plain)).counted
    with pytest.raises(RulesError, match="doubled: The result does not say whether equal dice"):
        finish(match, **plain, flores_at_start=flores)


def test_a_house_is_asked_only_for_what_it_pays() -> None:
    def names(house: Parameters) -> set[str]:
        return {field.name for field in form(FilipinoMatch(house)).fields}

    usual = names(Parameters())
    assert names(ENDS) ^ usual == {"false_win", "false_wins"}
    assert names(DOUBLED) - usual == {"doubled"}
    assert usual - names(Parameters(flores_bonus=0)) == {"flores_at_start", "flores_reached"}
    assert usual - names(Parameters(false_win=0)) == {"false_wins"}


# Read off followed hands


def test_FM_19_a_robbed_kong_is_read_with_the_seat_that_added_to_its_pong() -> None:
    asked = acted(play_with({0: pong_of_six(), 3: hand_of(WAITING)}), "0 add 6s")
    over = acted(asked, "3 win")
    result = RESULTS.read(FilipinoMatch(), [(asked, Act(3, "win"))], over, "who")
    assert result == {"winner": 3, "by": "robbing", "discarder": 0}


@pytest.mark.parametrize("seed", range(4))
def test_a_hand_that_reads_no_tile_gives_the_result_of_the_hand_that_sees_them(seed: int) -> None:
    setup, seen = dealt(Random(seed))
    steps = list(play_hidden_stepwise(preferring("filipino"), setup, seen, Random(seed)))
    acts = [(now.play, after.actions[-1]) for now, after in itertools.pairwise(steps)]
    over, match = steps[-1], FilipinoMatch()
    depths: tuple[Depth, ...] = ("amount", "tiles")
    for depth in depths:
        hand = finish(match, **RESULTS.read(match, acts, over.play, depth))
        assert hand.settlement.balance() == over.full_play.settlement.balance()


def test_an_unfinished_hand_has_no_result() -> None:
    with pytest.raises(RulesError, match="The hand is not over"):
        RESULTS.read(FilipinoMatch(), (), play_of(1), "who")
