"""Results of pai gow that people report: what follows from them, and which are refused."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from rules.errors import RulesError
from rules.games.pai_gow.actions import Call, SetHand
from rules.games.pai_gow.match import PaiGowMatch, match
from rules.games.pai_gow.play import Hand, PaiGowPlay
from rules.games.pai_gow.ranking import parse_split
from rules.games.pai_gow.results import RESULTS, BankedHand
from rules.games.pai_gow.setup import PAI_GOW, Parameters, stake_question
from rules.setup import Setup
from rules.steps import Choose

HOUSE = Parameters(highest_stake=40)
WEAK = ["6-6", "2-2", "6-4", "5-5"]
"""Its high hand 6-6 2-2 has six points, the low hand 6-4 5-5 none."""
STRONG = ["4-2", "2-1", "1-1", "5-4"]
"""Gee Joon high, a Wong low."""
MIDDLE = ["4-4", "4-4", "4-3", "6-5"]
"""A pair of 4-4 high, eight points low."""


def entered(before: PaiGowMatch, **given: Any) -> BankedHand:
    """The hand that follows from a result without a set-up."""
    hand = RESULTS.finish(before, RESULTS.form(before, None).checked(given))
    assert isinstance(hand, BankedHand)
    return hand


def test_a_winner_gets_his_stake_less_the_commission_and_a_push_pays_nothing() -> None:
    hand = entered(
        match(HOUSE, 4),
        results=[None, "win", "lose", "push"],
        stakes=[None, 30, 10, 5],
    )
    paid = {seat: Fraction(gain) for seat, gain in hand.settlement.balance().items()}
    assert paid == {0: -20, 1: Fraction("28.5"), 2: -10, -1: Fraction("1.5")}
    assert hand.settlement.name == "1 win, 1 lose, 1 push"


def test_results_follow_from_the_tiles_and_their_splits() -> None:
    hand = entered(
        match(HOUSE, 3),
        stakes=[None, 4, 2],
        hands=[MIDDLE, STRONG, WEAK],
        high=[MIDDLE[:2], STRONG[:2], WEAK[:2]],
    )
    assert hand.settlement.name == "1 win, 1 lose, 0 push"
    assert "Gee Joon" in hand.settlement.reasons[0]


def test_a_hand_that_was_not_shown_needs_its_result() -> None:
    shown = {"hands": [MIDDLE, None, WEAK], "high": [MIDDLE[:2], None, WEAK[:2]]}
    stakes = [None, 4, 2]
    hand = entered(match(HOUSE, 3), results=[None, "push", None], stakes=stakes, **shown)
    assert hand.settlement.name == "0 win, 1 lose, 1 push"
    assert hand.settlement.reasons[0].endswith("called by the floor")
    with pytest.raises(RulesError, match=r"^results: The result does not say how seat 1 fared"):
        entered(match(HOUSE, 3), stakes=stakes, **shown)


def test_payments_are_counted_only_if_the_stakes_are_known() -> None:
    results = [None, "win", "lose"]
    hand = entered(match(HOUSE, 3), results=results)
    assert not hand.counted
    assert hand.settlement.payments == ()
    assert entered(match(None, 3), results=results).counted
    staked = entered(match(None, 3), results=results, stakes=[None, 20, 1]).settlement
    assert staked.balance()[1] == 19


def staked(stakes: dict[int, int]) -> Setup:
    """A set-up of three seats after the stakes; seat 0 banks."""
    setup = PAI_GOW.setup(players=3, dealer=0, parameters=HOUSE)
    asked = {stake_question(seat): stake for seat, stake in stakes.items()}
    while not (isinstance(setup.pending, Choose) and setup.pending.what == "cut"):
        step = setup.pending
        setup = setup.apply(asked[step.what] if isinstance(step, Choose) else None)
    return setup


def test_stakes_of_the_set_up_are_known_and_part_of_the_result() -> None:
    form = RESULTS.form(match(HOUSE, 3), staked({1: 12, 2: 7}))
    result = form.checked({"results": [None, "lose", "lose"]})
    assert (result["stakes"], form.depth(result)) == ([None, 12, 7], "who")
    assert RESULTS.finish(match(HOUSE, 3), result).settlement.balance()[0] == 19
    other = form.checked({"banker": 1, "results": ["lose", None, "lose"]})
    assert not RESULTS.finish(match(HOUSE, 3), other).counted


def test_the_bank_passes_on_from_the_seat_that_banked() -> None:
    before = match(Parameters(hands_as_bank=2), 3)
    assert entered(before, results=[None, "win", "win"]).banker == 0
    declined = entered(before, banker=1, results=["win", None, "win"])
    assert declined.settlement.balance()[1] == -2
    after = before.after(declined)
    assert (after.dealer, after.banked) == (1, 1)
    assert after.after(entered(after, results=["win", None, "win"])).dealer == 2
    uncounted = entered(match(HOUSE, 3), banker=1, results=["win", None, "win"])
    assert match(HOUSE, 3).after(uncounted).dealer == 2


def test_a_hand_that_the_floor_called_is_read_with_its_results() -> None:
    hands = (Hand((None,) * 4), Hand((None,) * 4), Hand(tuple(WEAK)))
    play: Any = PaiGowPlay(HOUSE, 0, hands, (1, 8, 3))
    acts = [SetHand(1), SetHand(2, parse_split("6-6 2-2 / 6-4 5-5")), SetHand(0)]
    for act in (*acts, Call(1, "win"), Call(2, "push")):
        play = play.apply(act)
    before = match(HOUSE, 3)
    read = RESULTS.read(before, (), play, "tiles")
    assert read["results"] == [None, "win", "push"]
    assert read["hands"] == [None, None, ["6-6", "2-2", "5-5", "6-4"]]
    result = RESULTS.form(before, None).checked(read)
    assert before.after(RESULTS.finish(before, result)) == before.after(play)
    broken = replace(play, stakes=(1, Fraction("8.5"), 3))
    with pytest.raises(RulesError, match=r"A stake of 17/2 is not a whole number of units"):
        RESULTS.read(before, (), broken, "amount")


TWO = {"results": [None, "win"], "stakes": [None, 5]}


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({}, "results: The result does not say how each player fared; add it."),
        ({"banker": 2}, "banker: 2 is not a seat; seats are 0 to 1."),
        (TWO | {"results": [None, "won"]}, "results: 'won' is not one of win, lose, push."),
        (
            TWO | {"results": ["win", "win"]},
            "results: Seat 0 is the bank, which has no result; write null for it (4.2).",
        ),
        (
            {"results": [None, None]},
            "results: The result does not say how seat 1 fared, and its tiles or those of the bank",
        ),
        (TWO | {"stakes": [None, 41]}, "stakes: 41 is not a whole number of 1 to 40 (section 5)."),
        (TWO | {"stakes": [None, 0]}, "stakes: 0 is not a whole number of 1 to 40 (section 5)."),
        (
            TWO | {"stakes": [3, 3]},
            "stakes: Seat 0 is the bank, which has no stake; write null for it (4.2).",
        ),
        (
            TWO | {"stakes": [None, None]},
            "stakes: The result does not say the stake of seat 1; add it.",
        ),
        (
            {"hands": [None, None], "high": [None, None], "results": [None, "win"]},
            "stakes: The result does not say the stake of each player; add it.",
        ),
        (TWO | {"high": [WEAK[:2], None]}, "hands: The result does not say the four tiles of"),
        (
            TWO | {"hands": [WEAK, None], "high": [None, None]},
            "high: Give the four tiles and the high hand of seat 0, or null for both.",
        ),
        (
            TWO | {"hands": [WEAK, None], "high": [["6-6", "6-6"], None]},
            "high: 6-6 6-6 are not two of the tiles of seat 0, which are 6-6 2-2 6-4 5-5.",
        ),
        (
            TWO | {"hands": [WEAK[:3], None], "high": [WEAK[:2], None]},
            "hands: The list has 3 entries; 4 to 4 are possible.",
        ),
        (
            TWO | {"hands": [MIDDLE, MIDDLE], "high": [MIDDLE[:2], MIDDLE[:2]]},
            "hands: '4-4' is named 4 times, but the set has 2 (4.1); read the tiles again.",
        ),
        (
            TWO | {"hands": [WEAK, None], "high": [WEAK[2:], None]},
            "high: '5-5 6-4 / 6-6 2-2' has 0 high and 6 low; the high hand cannot be the weaker",
        ),
        (
            TWO | {"hands": [MIDDLE, WEAK], "high": [MIDDLE[:2], WEAK[:2]]},
            "results: The tiles of seat 1 give lose and not win: high 6-6 2-2 to 4-4 4-4: the",
        ),
    ],
)
def test_a_result_that_cannot_be_is_refused_with_its_field(
    given: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(RulesError) as refused:
        entered(match(HOUSE, 2), **given)
    assert str(refused.value).startswith(sentence)


@pytest.mark.parametrize(
    ("house", "banked", "banker"),
    [
        (HOUSE, 1, 1),
        (replace(HOUSE, bank_may_be_declined=False), 0, 1),
        (replace(HOUSE, house_seats=(0,)), 0, 2),
    ],
    ids=["keeps the bank", "must take it", "the house takes it"],
)
def test_a_seat_that_cannot_bank_the_hand_is_refused(
    house: Parameters, banked: int, banker: int
) -> None:
    before = replace(match(house, 3), banked=banked)
    results = ["push" if seat != banker else None for seat in range(3)]
    with pytest.raises(
        RulesError, match=rf"^banker: Seat {banker} cannot bank this hand; the bank"
    ):
        entered(before, banker=banker, results=results)


def test_a_seat_of_the_house_sets_by_the_house_way() -> None:
    before = match(replace(HOUSE, house_seats=(0,)), 2)
    given = {**TWO, "results": [None, "lose"], "high": [WEAK[:2], None]}
    with pytest.raises(RulesError, match=r"^high: Seat 0 belongs to the house, which sets by its"):
        entered(before, hands=[WEAK, None], **given)
