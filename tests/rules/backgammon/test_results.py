"""Results of backgammon that people report: what follows from them, and which are refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from rules.errors import RulesError
from rules.games.backgammon.board import BackgammonBoard
from rules.games.backgammon.match import BackgammonMatch
from rules.games.backgammon.play import BackgammonPlay
from rules.games.backgammon.results import RESULTS
from rules.games.backgammon.setup import BACKGAMMON, Parameters
from rules.results import FinishedHand
from rules.setup import Setup, settle

MONEY = Parameters(doubling_cube=True, match_points=0)
JACOBY = replace(MONEY, jacoby=True, automatic_doubles=2)


def entered(house: Parameters, setup: Setup | None = None, **given: Any) -> FinishedHand:
    """The game that follows from a result in this house."""
    before = BackgammonMatch(house)
    return RESULTS.finish(before, RESULTS.form(before, setup).checked(given))


@pytest.mark.parametrize(
    ("win", "points"), [("single", 4), ("gammon", 8), ("backgammon", 12), ("dropped", 4)]
)
def test_a_win_is_worth_its_kind_times_the_cube(win: str, points: int) -> None:
    settlement = entered(MONEY, winner=1, win=win, cube=4).settlement
    assert (settlement.balance(), settlement.multiplier) == ({0: -points, 1: points}, points)
    assert settlement.winner == 1


def test_a_house_sets_the_worth_of_a_gammon_and_of_a_backgammon() -> None:
    house = Parameters(gammon=3, backgammon=5)
    assert entered(house, winner=0, win="gammon").settlement.multiplier == 3
    assert entered(house, winner=0, win="backgammon").settlement.multiplier == 5


def test_gammons_do_not_count_before_the_cube_is_turned_under_the_jacoby_rule() -> None:
    for automatic, cube, points in ((0, 1, 1), (0, 2, 4), (1, 2, 2), (1, 4, 8)):
        hand = entered(JACOBY, winner=0, win="gammon", automatic=automatic, cube=cube)
        assert hand.settlement.multiplier == points, (automatic, cube)
    assert entered(MONEY, winner=0, win="gammon", cube=1).settlement.multiplier == 2
    plain = replace(JACOBY, doubling_cube=False)
    assert entered(plain, winner=0, win="gammon").settlement.multiplier == 2


def test_automatic_doubles_are_known_from_the_opening_throw() -> None:
    setup = settle(BACKGAMMON.setup(parameters=JACOBY), [(3,), (3,), (6,), (2,)])
    form = RESULTS.form(BackgammonMatch(JACOBY), setup)
    result = form.checked({"winner": 0, "win": "backgammon", "cube": 2})
    assert result["automatic"] == 1
    assert RESULTS.finish(BackgammonMatch(JACOBY), result).settlement.multiplier == 2
    with pytest.raises(RulesError, match=r"^cube: The opening throw has doubled the stake to 2"):
        form.checked({"winner": 0, "win": "single", "cube": 1})


def test_the_crawford_game_has_no_cube_and_comes_once() -> None:
    house = Parameters(doubling_cube=True, match_points=5)
    before = BackgammonMatch(house, (4, 2))
    assert [each.name for each in RESULTS.form(before, None).fields] == ["winner", "win"]
    with pytest.raises(RulesError, match=r"^win: 'dropped' is not one of single, gammon, backgam"):
        RESULTS.form(before, None).checked({"winner": 1, "win": "dropped"})
    result = RESULTS.form(before, None).checked({"winner": 1, "win": "gammon"})
    after = before.after(RESULTS.finish(before, result))
    assert (after.scores, after.crawford_game, after.over) == ((4, 4), False, False)
    last = RESULTS.form(after, None).checked({"winner": 0, "win": "dropped", "cube": 1})
    assert after.after(RESULTS.finish(after, last)).over


def test_a_result_without_its_kind_names_the_winner_and_counts_no_points() -> None:
    before = BackgammonMatch(Parameters(match_points=3), (2, 0))
    hand = RESULTS.finish(before, RESULTS.form(before, None).checked({"winner": 1}))
    assert hand.settlement.winner == 1
    after = before.after(hand)
    assert (hand.counted, after.scores, after.crawford_past) == (False, (2, 0), True)


def test_a_game_is_read_with_its_kind_also_where_gammons_do_not_count() -> None:
    board = BackgammonBoard.of({0: 15}, {24: 1, 6: 14})
    play = BackgammonPlay(JACOBY, board, 1, doubling=True, cube=2)
    before = BackgammonMatch(JACOBY)
    acts = [(BackgammonPlay(JACOBY, board, 0, cube=2), None)]
    read = RESULTS.read(before, acts, play, "tiles")
    assert read == {"winner": 0, "win": "backgammon", "cube": 2, "automatic": 1}
    assert play.settlement == RESULTS.finish(before, read).settlement
    with pytest.raises(RulesError, match="give all actions"):
        RESULTS.read(before, (), play, "amount")
    unfinished = BackgammonPlay(JACOBY, BackgammonBoard.of({2: 15}, {24: 1, 6: 14}), 1)
    with pytest.raises(RulesError, match="The hand is not over"):
        RESULTS.read(before, (), unfinished, "who")


WON: dict[str, Any] = {"winner": 0, "win": "single", "automatic": 0}
CANNOT = [
    ({}, "winner: The result does not say the seat that won the game; add it."),
    ({"winner": 2}, "winner: 2 is not a seat; seats are 0 to 1."),
    ({"winner": [0, 1]}, "winner: a value of the type list is not a seat; seats are 0 to 1."),
    ({"winner": 0, "cube": 2}, "win: The result does not say how the game was won; add it."),
    (WON | {"win": "dropped gammon", "cube": 2}, "win: 'dropped gammon' is not one of single,"),
    (WON, "cube: The result does not say the value of the cube at the end, without a double that"),
    (WON | {"cube": 3}, "cube: The cube shows 2, 4 ... 64, or 1 before it is turned, not 3"),
    (WON | {"cube": 128}, "cube: 128 is not a whole number of 1 to 64 (section 4)."),
    (WON | {"cube": 0}, "cube: 0 is not a whole number of 1 to 64 (section 4)."),
    (WON | {"automatic": 3, "cube": 8}, "automatic: 3 is not a whole number of 0 to 2"),
    (WON | {"automatic": 2, "cube": 2}, "cube: The opening throw has doubled the stake to 4, so"),
    (WON | {"win": "dropped", "cube": 64}, "cube: A cube of 64 cannot be doubled, so no double"),
]


@pytest.mark.parametrize(("given", "sentence"), CANNOT)
def test_a_result_that_cannot_be_is_refused_with_its_field(
    given: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(RulesError) as refused:
        entered(JACOBY, **given)
    assert str(refused.value).startswith(sentence)


def test_a_house_without_a_cube_asks_for_none_and_refuses_a_dropped_double() -> None:
    with pytest.raises(RulesError, match=r"^'cube' is not a field of a result of this game"):
        entered(Parameters(), winner=0, win="single", cube=2)
    with pytest.raises(RulesError, match=r"^win: 'dropped' is not one of single, gammon"):
        entered(Parameters(), winner=0, win="dropped")


@pytest.mark.parametrize(
    ("rearmost", "reason"),
    [
        (18, "seat 1 has borne no man off"),
        (19, "seat 1 has borne no man off and has a man in the winner's home"),
        (25, "seat 1 has borne no man off and has a man on the bar"),
    ],
)
def test_a_backgammon_names_where_the_last_man_of_the_loser_is(rearmost: int, reason: str) -> None:
    board = BackgammonBoard.of({0: 15}, {rearmost: 1, 6: 14})
    play = BackgammonPlay(Parameters(jacoby=True), board, 1)
    settlement = play.settlement
    assert settlement is not None
    assert settlement.reasons == (reason,)
    assert settlement.multiplier == (2 if rearmost == 18 else 3)
