"""The judge of Wenzhou mahjong: whether a claimed win is valid, and who pays."""

from __future__ import annotations

from typing import Any

import pytest

from rules.errors import RulesError
from rules.games import judging_of
from rules.games.wenzhou.judge import Case, Rival, judge
from rules.games.wenzhou.setup import Parameters
from tests.rules.wenzhou.hands import BASE, tiles


def case(hand: str, tile: str | None = None, by: str = "self", **more: object) -> Case:
    fields = {"seat": 1, "indicator": "2m", **more}
    face = None if tile is None else tiles(tile)[0]
    return Case(hand=tiles(hand), tile=face, by=by, **fields)  # type: ignore[arg-type]


def test_a_valid_win_is_named_and_paid_with_its_reasons() -> None:
    verdict = judge(case(f"{BASE} 7s C EE", "9s", "discard", streak=2))
    assert (verdict.legal, verdict.win, verdict.name, verdict.multiplier) == (True, True, "soft", 1)
    assert {pay.source: pay.amount for pay in verdict.payments} == {0: 4, 2: 1, 3: 1}
    assert any("(W24 a)" in reason for reason in verdict.reasons)
    assert verdict.facts()["legal"] is True


def test_the_winning_tile_can_be_part_of_the_hand() -> None:
    whole = judge(case(f"{BASE} 7s C EE 9s", "9s", "discard"))
    assert whole == judge(case(f"{BASE} 7s C EE", "9s", "discard"))
    assert judge(case(f"{BASE} 7s C EE 9s")).name == "self-draw"


def test_a_claim_that_does_not_win_pays_as_a_false_win() -> None:
    verdict = judge(case(f"{BASE} 789s C", "W", "discard"))
    assert (verdict.legal, verdict.win, verdict.name) == (False, False, "false win")
    assert sum(pay.amount for pay in verdict.payments if pay.source == 1) == 8
    assert "single caishen" in verdict.reasons[0]


def test_WZ_32_a_double_of_another_seat_has_precedence() -> None:
    rival = Rival(3, tiles("11m 33m 55m 77p 99p 11s 33s 9s E"))
    verdict = judge(case(f"{BASE} 78s EE", "9s", "discard", discarder=0, claims=(rival,)))
    assert (verdict.legal, verdict.name) == (False, "hard eight pairs")
    assert "Seat 3 wins instead of seat 1: a double win comes first (W27)" in verdict.reasons[0]
    assert {pay.to for pay in verdict.payments} == {3}

    hard = Rival(3, tiles("345m 678m 123p 456p 78s SS"))
    nearer = case(f"{BASE} 78s EE", "9s", "discard", discarder=0, claims=(hard,))
    assert judge(nearer).legal
    with pytest.raises(RulesError, match="give the discarder"):
        judge(case(f"{BASE} 78s EE", "9s", "discard", claims=(hard,)))


def test_a_false_claim_says_which_other_seat_wins_on_the_tile_and_who_pays_it() -> None:
    hard, double = (
        Rival(3, tiles("345m 678m 123p 456p 78s SS")),
        Rival(2, tiles("11m 33m 55m 77p 99p 11s 33s 9s E")),
    )
    false = {"by": "discard", "discarder": 0, "tile": "9s"}
    one = judge(case(f"{BASE} 78s ES", **false, claims=(hard,)))  # type: ignore[arg-type]
    both = judge(case(f"{BASE} 78s ES", **false, claims=(hard, double)))  # type: ignore[arg-type]
    for verdict, winner in ((one, 3), (both, 2)):
        assert (verdict.legal, verdict.win, verdict.name) == (False, False, "false win")
        assert verdict.winner == verdict.facts()["winner"] == winner
        assert any(reason.startswith(f"Seat {winner} wins on this") for reason in verdict.reasons)
        won = [pay for pay in verdict.payments if pay.to == winner and "false" not in pay.why]
        assert sorted(pay.source for pay in won) == sorted({0, 1, 2, 3} - {winner})
        fine = [pay for pay in verdict.payments if "false" in pay.why]
        assert sorted(pay.to for pay in fine) == [0, 2, 3]
    ends = Parameters(after_false_win="ends")
    ended = judge(case(f"{BASE} 78s ES", **false, claims=(hard,), parameters=ends))  # type: ignore[arg-type]
    assert ended.winner is None and {pay.source for pay in ended.payments} == {1}
    assert "ends the hand" in ended.reasons[-1]
    assert judge(case(f"{BASE} 78s ES", **false)).winner is None  # type: ignore[arg-type]


def test_the_parameters_of_the_house_are_used() -> None:
    house = Parameters(dealer_scale=(3, 5, 7, 9), white_counts_as_face=False)
    verdict = judge(case(f"{BASE} 78s C White", "9s", "discard", parameters=house))
    assert (verdict.multiplier, sum(pay.amount for pay in verdict.payments)) == (1, 5)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"hand": f"{BASE} 2222m", "tile": "E"},
            "The set has only 4 '2m', including the indicator; the",
        ),
        ({"hand": f"{BASE} 78s EE", "by": "discard"}, "needs the tile"),
        ({"hand": BASE, "seat": 4}, "There is no seat 4"),
        ({"hand": BASE, "streak": 0}, "of hands in a row is at least 1, not 0"),
        ({"hand": BASE, "tile": "E", "by": "discard", "discarder": 1}, "win on its own"),
        ({"hand": f"{BASE} 789s EE", "tile": "W"}, "lacks the winning tile, '3z'"),
        (
            {"hand": f"{BASE} E", "tile": "E", "melds": (("2m", "3m", "4m"),)},
            "is a caishen and cannot",
        ),
    ],
)
def test_a_case_that_contradicts_itself_is_refused(
    changes: dict[str, object], sentence: str
) -> None:
    with pytest.raises(RulesError, match=sentence):
        judge(case(**changes))  # type: ignore[arg-type]


RIVAL = Rival(3, tiles("345m 678m 123p 456p 78s SS"))
KONG = (("6z", "6z", "6z", "6z"),)
WITH_KONG = "345m 678m 123p 78s EE"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"claims": (RIVAL,)}, "claims: Seat 3 cannot claim a tile that seat 1 drew itself"),
        ({"discarder": 2}, "discarder: Seat 1 drew the tile itself"),
        ({"by": "discard", "discarder": 1}, "discarder: Seat 1 cannot win on its own"),
        (
            {"by": "discard", "discarder": 0, "claims": (Rival(1, RIVAL.hand),)},
            "claims: Seat 1 is the claimant itself",
        ),
        (
            {"by": "discard", "discarder": 3, "claims": (RIVAL,)},
            "claims: Seat 3 is the discarder and cannot win on its own",
        ),
        (
            {"by": "discard", "discarder": 0, "claims": (RIVAL, RIVAL)},
            "claims: Seat 3 is named 2 times",
        ),
        (
            {"by": "discard", "discarder": 0, "claims": (Rival(7, RIVAL.hand),)},
            "claims: There is no seat 7; seats are 0 to 3",
        ),
        ({"discarder": -1, "by": "discard"}, "discarder: There is no seat -1"),
        ({"dealer": 4}, "dealer: There is no seat 4"),
        ({"streak": -7}, "streak: The number of hands in a row is at least 1, not -7"),
        ({"streak": 5}, "most 4 hands in a row, the length of the scale, not 5; then"),
        ({"first_turn": True}, "seat 1 drew the tile, and the dealer is seat 0"),
        (
            {"first_turn": True, "seat": 0, "undisturbed": False},
            "undisturbed: No tile can be called before the dealer has discarded",
        ),
        (
            {"hand": WITH_KONG, "melds": KONG, "first_turn": True, "seat": 0},
            "melds: The dealer",
        ),
        (
            {
                "hand": WITH_KONG,
                "melds": KONG,
                "first_turn": True,
                "seat": 0,
                "by": "replacement",
            },
            "first_turn: A replacement tile follows a kong",
        ),
        (
            {"first_turn": True, "by": "discard", "seat": 0},
            "first_turn: Earth is won on the dealer's first discard",
        ),
        (
            {"first_turn": True, "by": "discard", "discarder": 2},
            "discarder: The first discard of a hand is the dealer's, seat 0's",
        ),
        (
            {"first_turn": True, "by": "discard", "hand": WITH_KONG, "melds": KONG},
            "melds: No other seat has laid down a set",
        ),
        (
            {"first_turn": True, "by": "discard", "tile": "C", "discarder": 0},
            "tile: '2m' is a caishen, which the dealer cannot discard",
        ),
        ({"first_turn": True, "by": "robbing"}, "first_turn: No kong can be robbed"),
        ({"by": "robbing", "tile": "C"}, "tile: '2m' is a caishen, which is in no kong"),
        (
            {"by": "robbing", "hand": f"{BASE} 99s EE", "discarder": 0},
            "tile: The robbed '9s' is the fourth tile of its kong, but the case shows 2 more",
        ),
        ({"by": "replacement"}, r"by: A replacement tile follows a kong \(W23\), but seat 1 has"),
        ({"hand": "123m"}, "hand: seat 1 has 3 concealed tiles and 0 sets"),
        ({"hand": f"{BASE} 78s EE", "tile": None}, "tile: seat 1 has 16 concealed tiles"),
        ({"hand": "E", "melds": KONG * 6}, "melds: seat 1 has 1 concealed tiles and 6 sets"),
        ({"hand": f"{BASE} 9s E", "melds": ((),)}, "A set of seat 1 has no tiles"),
        ({"hand": f"{BASE} 9s E", "melds": (("1p", "2p", "4p"),)}, "is not a chow, pong or kong"),
        ({"indicator": "1f"}, "'1f' is not a tile of the set mahjong_136"),
        (
            {
                "by": "discard",
                "discarder": 0,
                "claims": (Rival(2, tiles("345m 678m 123p 456p 99s 9s S")),),
                "hand": f"{BASE} 99s EE",
            },
            "The set has only 4 '9s', including the indicator; the case shows 6",
        ),
    ],
)
def test_an_impossible_case_is_refused_with_the_field_and_the_rule(
    changes: dict[str, object], sentence: str
) -> None:
    given: dict[str, object] = {"hand": f"{BASE} 78s EE", "tile": "9s"} | changes
    with pytest.raises(RulesError, match=sentence) as refused:
        judge(case(**given))  # type: ignore[arg-type]
    assert "\n" not in str(refused.value)


def test_a_discard_that_is_in_the_hands_of_two_claimants_is_counted_once() -> None:
    rival = Rival(3, tiles("345m 678m 123p 456p 78s SS 9s"))
    assert judge(case(f"{BASE} 78s EE 9s", "9s", "discard", discarder=0, claims=(rival,))).legal


@pytest.mark.parametrize("kind", ["none", "soft", "hard", "double"])
def test_the_multiplier_of_a_false_win_is_that_of_its_payments(kind: Any) -> None:
    house = Parameters(false_win_penalty=kind)
    verdict = judge(case(f"{BASE} 79s EE", "N", "discard", parameters=house, streak=3))
    paid = {pay.to: pay.amount for pay in verdict.payments}
    once = verdict.multiplier
    assert paid == ({0: 6 * once, 2: once, 3: once} if once else {})


def test_the_judge_of_wenzhou_is_found_by_the_name_of_the_game() -> None:
    assert judging_of("wenzhou").case is Case
