"""The floor person's question: does the claimed win stand, and who pays?"""

from __future__ import annotations

import pytest

from rules.errors import RulesError
from rules.games import judging_of
from rules.games.wenzhou.judge import Case, Rival, judge
from rules.games.wenzhou.parameters import Parameters
from tests.rules.wenzhou.hands import BASE, tiles


def case(hand: str, tile: str | None = None, by: str = "self", **more: object) -> Case:
    told = {"seat": 1, "indicator": "2m", **more}
    face = None if tile is None else tiles(tile)[0]
    return Case(hand=tiles(hand), tile=face, by=by, **told)  # type: ignore[arg-type]


def test_a_win_that_stands_is_named_and_paid_with_its_reasons() -> None:
    verdict = judge(case(f"{BASE} 7s C EE", "9s", "discard", streak=2))
    assert (verdict.legal, verdict.win, verdict.name, verdict.multiplier) == (True, True, "soft", 1)
    assert {pay.source: pay.amount for pay in verdict.payments} == {0: 4, 2: 1, 3: 1}
    assert any("(W24 a)" in reason for reason in verdict.reasons)
    assert verdict.facts()["legal"] is True


def test_the_winning_tile_may_lie_in_the_hand_already() -> None:
    whole = judge(case(f"{BASE} 7s C EE 9s", "9s", "discard"))
    assert whole == judge(case(f"{BASE} 7s C EE", "9s", "discard"))
    assert judge(case(f"{BASE} 7s C EE 9s")).name == "self-draw"


def test_a_claim_that_does_not_win_pays_as_a_false_win() -> None:
    verdict = judge(case(f"{BASE} 789s C", "W", "discard"))
    assert (verdict.legal, verdict.win, verdict.name) == (False, False, "false win")
    assert sum(pay.amount for pay in verdict.payments if pay.source == 1) == 8
    assert "lone caishen" in verdict.reasons[0]


def test_WZ_32_another_seats_double_comes_first() -> None:
    rival = Rival(3, tiles("11m 33m 55m 77p 99p 11s 33s 9s E"))
    told = case(f"{BASE} 78s EE", "9s", "discard", discarder=0, claims=(rival,))
    verdict = judge(told)
    assert (verdict.legal, verdict.name) == (False, "hard eight pairs")
    assert "Seat 3 wins instead of seat 1: a double win comes first (W27)" in verdict.reasons[0]
    assert {pay.to for pay in verdict.payments} == {3}

    hard = Rival(3, tiles("345m 678m 123p 456p 78s SS"))
    nearer = case(f"{BASE} 78s EE", "9s", "discard", discarder=0, claims=(hard,))
    assert judge(nearer).legal
    with pytest.raises(RulesError, match="give the discarder"):
        judge(case(f"{BASE} 78s EE", "9s", "discard", claims=(hard,)))


def test_the_houses_own_parameters_count() -> None:
    house = Parameters(dealer_scale=(3, 5, 7, 9), white_counts_as_face=False)
    verdict = judge(case(f"{BASE} 78s C White", "9s", "discard", parameters=house))
    assert (verdict.multiplier, sum(pay.amount for pay in verdict.payments)) == (1, 5)


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        ({"hand": f"{BASE} 2222m", "tile": "E"}, "There are only 4 '2m', the indicator included"),
        ({"hand": f"{BASE} 78s EE", "by": "discard"}, "names it: give the tile"),
        ({"hand": BASE, "seat": 4}, "There is no seat 4"),
        ({"hand": BASE, "streak": 0}, "first hand in a row is 1, not 0"),
        ({"hand": BASE, "tile": "E", "by": "discard", "discarder": 1}, "a tile of his own"),
        ({"hand": f"{BASE} 789s EE", "tile": "W"}, "has not the winning tile, '3z'"),
        (
            {"hand": f"{BASE} E", "tile": "E", "melds": (("2m", "3m", "4m"),)},
            "is a caishen and cannot",
        ),
    ],
)
def test_a_case_that_contradicts_itself_is_refused(told: dict[str, object], sentence: str) -> None:
    with pytest.raises(RulesError, match=sentence):
        judge(case(**told))  # type: ignore[arg-type]


def test_the_judge_of_wenzhou_is_found_by_the_games_name() -> None:
    assert judging_of("wenzhou").case is Case
