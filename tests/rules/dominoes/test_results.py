"""Results of dominoes that people report: what follows from them, and which are refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from rules.errors import RulesError
from rules.games.dominoes.actions import Lay
from rules.games.dominoes.match import DominoMatch, begin_match
from rules.games.dominoes.play import begin
from rules.games.dominoes.results import RESULTS
from rules.games.dominoes.variants import VARIANTS, Parameters
from rules.results import FinishedHand

PARAMETERS = {variant.name: variant.parameters for variant in VARIANTS}


def entered(game: str, before: DominoMatch, **given: Any) -> FinishedHand:
    """The hand that follows from a result of this game."""
    results = RESULTS[game]
    return results.finish(before, results.form(before, None).checked(given))


def new(game: str, players: int = 3, **house: Any) -> DominoMatch:
    """A match of this game before its first hand, in a house with these parameters."""
    return begin_match(replace(PARAMETERS[game], **house), players)


def test_a_seat_that_went_out_scores_the_pips_that_the_others_have_left() -> None:
    hand = entered("block", new("block"), end="out", winner=1, pips=[17, 0, 1])
    assert hand.settlement.balance()[1] == 18
    tiles = [["6-5", "3-3"], [], ["1-0"]]
    assert entered("block", new("block"), end="out", winner=1, hands=tiles) == hand


@pytest.mark.parametrize(
    ("house", "points"),
    [({}, 15), ({"block_score": "difference"}, 14), ({"round_hand": "nearest5"}, 15)],
)
def test_DM_20_a_blocked_hand_scores_by_the_rules_of_the_house(
    house: dict[str, Any], points: int
) -> None:
    hand = entered("draw", new("draw", **house), end="blocked", winner=0, pips=[1, 11, 4])
    assert hand.settlement.balance()[0] == points


def test_a_score_is_rounded_to_the_nearest_five_if_the_house_does_so() -> None:
    house = {"round_hand": "nearest5"}
    for pips, points in ((12, 10), (13, 15), (17, 15), (18, 20)):
        hand = entered("muggins", new("muggins", 2, **house), end="out", winner=0, pips=[0, pips],
                       scored=[0, 0])  # fmt: skip
        assert hand.settlement.balance()[0] == points


def test_a_hand_with_a_doublet_loses_a_blocked_hand_if_the_house_plays_so() -> None:
    house = new("block", 2, blocked_doublets_lose=True)
    tiles = [["1-1"], ["6-5"]]
    assert entered("block", house, end="blocked", winner=1, hands=tiles).settlement.winner == 1
    assert entered("block", house, end="blocked", winner=1, pips=[2, 11]).settlement.winner == 1
    with pytest.raises(RulesError, match=r"^winner: Blocked: .* seat 1 wins \(C9\)"):
        entered("block", house, end="blocked", winner=0, hands=tiles)
    with pytest.raises(RulesError, match=r"^winner: Blocked: .* seat 0 wins \(C9\)"):
        entered("block", new("block", 2), end="blocked", winner=1, hands=tiles)


def test_a_result_without_pips_moves_the_deal_on_and_counts_no_points() -> None:
    before = new("block")
    hand = entered("block", before, end="out", winner=2)
    after = before.after(hand)
    assert (hand.counted, after.scores, after.dealer, after.hands) == (False, (0, 0, 0), 2, 1)
    assert entered("block", before, end="tied").counted


def test_points_during_the_hand_are_added_and_can_win_the_match() -> None:
    before = replace(new("muggins", 2), scores=(180, 100))
    hand = entered("muggins", before, end="out", winner=1, pips=[30, 0], scored=[15, 5])
    assert before.after(hand).scores == (195, 135)
    won = entered("muggins", before, end="target", winner=0, scored=[25, None])
    assert won.settlement.name == "target"
    assert before.after(won).winner == 0
    short = entered("muggins", before, end="target", winner=0)
    assert (short.counted, before.after(short).over) == (False, False)


def test_a_bergen_hand_scores_one_point_and_its_winner_does_not_draw_first() -> None:
    before = new("bergen", 2)
    hand = entered("bergen", before, end="blocked", winner=1, scored=[2, 7])
    after = before.after(hand)
    assert (after.scores, after.dealer) == ((2, 8), 0)
    assert not entered("bergen", before, end="out", winner=1).counted
    quiet = {"set_points": 0, "double_header": 0, "triple_header": 0}
    assert entered("bergen", new("bergen", **quiet), end="out", winner=1).counted


def test_tiles_that_were_not_seen_cannot_be_read() -> None:
    play = begin("Block", Parameters(hand_win=1), [["6-6"], [None]])
    done = play.apply(Lay(0, "6-6"))
    before = begin_match(play.parameters, 2)
    assert RESULTS["block"].read(before, (), done, "amount") == {"end": "out", "winner": 0}
    with pytest.raises(RulesError, match=r"The tiles left in the hand of seat 1 were not seen"):
        RESULTS["block"].read(before, (), done, "tiles")
    with pytest.raises(RulesError, match=r"The hand is not over"):
        RESULTS["block"].read(before, (), play, "who")


OUT = {"end": "out", "winner": 0}
BLOCKED = {"end": "blocked", "winner": 0}
CANNOT = [
    ({}, "end: The result does not say how the hand ended; add it."),
    ({"end": "target"}, "end: 'target' is not one of out, blocked, tied."),
    ({"end": "out"}, "winner: The result does not say the seat that won the hand; add it."),
    ({"end": "tied", "winner": 0}, "winner: Give the seat that won the hand only if end is out or"),
    ({"end": "out", "winner": 3}, "winner: 3 is not a seat; seats are 0 to 2."),
    ({"end": "out", "winner": [0, 1]}, "winner: a value of the type list is not a seat;"),
    (OUT | {"pips": [3, 5, 4]}, "pips: Seat 0 went out, so it has 0 pips left and not 3 (C9)."),
    (OUT | {"pips": [0, None, 4]}, "pips: The result does not say the pips of seat 1; add them."),
    (OUT | {"pips": [0, 0, 0]}, "pips: Seats 0, 1, 2 have 0 pips, but only one tile has none,"),
    (BLOCKED | {"pips": [0, 0, 5]}, "pips: Seats 0, 1 have 0 pips, but only one tile has none,"),
    (OUT | {"pips": [0, 53, 4]}, "pips: 53 is not a whole number of 0 to 52 (C9)."),
    (BLOCKED | {"pips": [39, 51, 51]}, "pips: The hands have 141 pips; 124 at most are possible"),
    (BLOCKED | {"pips": [5, 4, 9]}, "winner: Seat 0 has not the fewest pips: 5, 4, 9; the seat"),
    (BLOCKED | {"pips": [4, 4, 9]}, "winner: Seat 0 has not the fewest pips: 4, 4, 9; the seat"),
    ({"end": "tied", "pips": [5, 4, 9]}, "end: 5, 4, 9 pips are no tie; give the end blocked and"),
    ({"end": "tied", "pips": [5, 4, 5]}, "end: Seat 1 alone has the fewest pips: 5, 4, 5; it"),
    (OUT | {"scored": [5, 0, 0]}, "'scored' is not a field of a result of this game;"),
    (OUT | {"hands": [[], ["7-7"], []]}, "hands: '7-7' is not a tile of this game."),
    (OUT | {"hands": [[], None, ["1-0"]]}, "hands: The result does not say the tiles of seat 1;"),
    (OUT | {"hands": [[], ["6-4"], ["6-4"]]}, "hands: 6-4 is named twice; a set of dominoes has"),
    (OUT | {"hands": [["1-0"], ["6-4"], ["5-4"]]}, "hands: Seat 0 went out, so it has no tile"),
    (OUT | {"hands": [[], ["6-4"], []]}, "hands: Seat 2 has no tile left, so it went out; give"),
    (BLOCKED | {"hands": [[], ["6-4"], ["5-4"]]}, "hands: Seat 0 has no tile left, so it went out"),
    (
        OUT | {"hands": [[], ["1-0", "2-0", "3-0", "4-0", "5-0", "6-0"], ["6-6"]]},
        "hands: Seat 1 has 6 tiles; it can have 5 at most (C2).",
    ),
    (
        OUT | {"pips": [0, 11, 9], "hands": [[], ["6-4"], ["5-4"]]},
        "pips: The tiles have 0, 10, 9 pips and not 0, 11, 9.",
    ),
    (
        {"end": "tied", "hands": [["3-3"], ["6-4"], ["5-4"]]},
        "winner: Blocked: seat 0 has 6, seat 1 has 10, seat 2 has 9 pips; seat 0 wins (C9).",
    ),
]


@pytest.mark.parametrize(("given", "sentence"), CANNOT)
def test_a_result_that_cannot_be_is_refused_with_its_field(
    given: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(RulesError) as refused:
        entered("block", new("block"), **given)
    assert str(refused.value).startswith(sentence)


def test_hands_cannot_have_more_tiles_than_the_set_has_beside_the_table() -> None:
    every = [f"{high}-{low}" for high in range(7) for low in range(high + 1)]
    with pytest.raises(RulesError, match=r"^hands: The hands have more tiles than the set"):
        entered("draw", new("draw", 2), **BLOCKED, hands=[every[:1], every[1:]])


SCORED = [
    (OUT | {"pips": [0, 9]}, "scored: The result does not say the points of each seat during"),
    (OUT | {"hands": [[], ["6-3"]]}, "scored: The result does not say the points of each seat"),
    (OUT | {"pips": [0, 9], "scored": [7, 0]}, "scored: Seat 0 cannot score 7; during a hand it"),
    (OUT | {"pips": [0, 9], "scored": [-5, 0]}, "scored: -5 is not a whole number of 0 to 1344."),
    (
        OUT | {"pips": [0, 9], "scored": [20, 0]},
        "scored: Seat 0 has 200 of 200 points with these, so the game ended at once; give the end",
    ),
    (
        {"end": "target", "winner": 0, "scored": [15, 0]},
        "scored: Seat 0 has 195 of 200 points with these, so they did not end the game;",
    ),
    (
        {"end": "target", "winner": 0, "scored": [20, 100]},
        "scored: Seat 1 has 200 of 200 points with these, so the game ended at once; give the end",
    ),
    (
        {"end": "target", "winner": 0, "pips": [0, 9], "scored": [20, 0]},
        "pips: Give the pips left in each hand only if end is out or blocked or tied; leave it",
    ),
]


@pytest.mark.parametrize(("given", "sentence"), SCORED)
def test_points_that_cannot_be_scored_during_a_hand_are_refused(
    given: dict[str, Any], sentence: str
) -> None:
    before = replace(new("muggins", 2), scores=(180, 100))
    with pytest.raises(RulesError) as refused:
        entered("muggins", before, **given)
    assert str(refused.value).startswith(sentence)


def test_a_house_that_plays_the_hand_out_has_no_end_at_the_target() -> None:
    before = replace(new("sniff", 2, stop_immediately=False), scores=(180, 100))
    hand = entered("sniff", before, end="out", winner=1, pips=[30, 0], scored=[25, 0])
    assert before.after(hand).scores == (205, 130)
    with pytest.raises(RulesError, match=r"^end: 'target' is not one of out, blocked, tied"):
        entered("sniff", before, end="target", winner=0, scored=[25, 0])
