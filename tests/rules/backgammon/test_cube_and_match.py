"""Backgammon: the doubling cube, its house rules, and matches to a number of points."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from rules.errors import IllegalSetupError
from rules.games.backgammon import (
    BACKGAMMON,
    BackgammonBoard,
    BackgammonMatch,
    BackgammonPlay,
    Cube,
    Parameters,
    Roll,
    begin,
    parse,
    start,
)
from rules.games.backgammon.board import START_BOARD
from rules.play import IllegalActionError
from rules.setup import settle

CUBE = Parameters(doubling_cube=True)


def on_turn(seat: int = 0, parameters: Parameters = CUBE) -> BackgammonPlay:
    return BackgammonPlay(parameters, START_BOARD, turn=seat, doubling=parameters.doubling_cube)


def acted(play: BackgammonPlay, *texts: str) -> BackgammonPlay:
    """The play after these actions, each of the seat on turn."""
    for text in texts:
        play = play.apply(parse(play.to_act[0], text))
    return play


def test_without_a_cube_the_throw_is_the_only_action() -> None:
    play = on_turn(parameters=Parameters())
    assert len(play.legal_actions) == 36
    with pytest.raises(IllegalActionError, match="has no doubling cube; throw the dice"):
        acted(play, "double")


def test_a_double_that_is_taken_doubles_the_stake_and_gives_the_taker_the_cube() -> None:
    doubled = acted(on_turn(), "double")
    assert doubled.to_act == (1,)
    assert {str(action) for action in doubled.legal_actions} == {"take", "drop"}
    taken = acted(doubled, "take")
    assert (taken.cube, taken.owner, taken.to_act) == (2, 1, (0,))
    with pytest.raises(IllegalActionError, match=r"Seat 1 owns the cube; only seat 1 can double\."):
        acted(taken, "double")


def test_a_double_that_is_dropped_ends_the_game_at_the_old_stake() -> None:
    settled = acted(replace(on_turn(), cube=4, owner=0), "double", "drop").settlement
    assert settled is not None
    assert (settled.name, settled.multiplier, settled.winner) == ("dropped", 4, 0)


def test_no_seat_throws_before_the_double_is_answered() -> None:
    doubled = acted(on_turn(), "double")
    with pytest.raises(IllegalActionError, match=r"It is seat 1's turn, not seat 0's\."):
        doubled.apply(Roll(0, (3, 1)))
    with pytest.raises(IllegalActionError, match=r"The double has to be answered before the dice"):
        doubled.apply(Roll(1, (3, 1)))


def test_the_cube_ends_at_64() -> None:
    highest = replace(on_turn(), cube=64, owner=0)
    with pytest.raises(IllegalActionError, match="The cube shows 64, its largest value"):
        acted(highest, "double")


def test_a_beaver_doubles_again_and_keeps_the_cube() -> None:
    play = on_turn(parameters=replace(CUBE, beavers=True))
    beaver = acted(play, "double", "beaver")
    assert beaver.to_act == (0,)
    taken = acted(beaver, "take")
    assert (taken.cube, taken.owner, taken.wants_dice) == (4, 1, True)
    dropped = acted(beaver, "drop").settlement
    assert dropped is not None
    assert (dropped.multiplier, dropped.winner) == (2, 1)
    with pytest.raises(
        IllegalActionError, match="'beaver' is not possible now: answer the double with "
    ):
        acted(on_turn(), "double", "beaver")


def test_a_double_that_was_not_offered_cannot_be_taken() -> None:
    with pytest.raises(IllegalActionError, match="'take' is not possible now: no double"):
        acted(on_turn(), "take")


@pytest.mark.parametrize(("owner", "points"), [(None, 1), (0, 2)])
def test_with_jacoby_a_gammon_counts_only_if_the_cube_was_turned(
    owner: int | None, points: int
) -> None:
    board = BackgammonBoard.parse("1 | 13(15)")
    last = replace(
        on_turn(parameters=replace(CUBE, jacoby=True)), board=board, owner=owner, dice=(6, 5)
    )
    settled = acted(last, "1/off").settlement
    assert settled is not None
    assert settled.multiplier == points


@pytest.mark.parametrize(("allowed", "cube"), [(0, 1), (1, 2), (2, 4), (6, 4)])
def test_equal_opening_throws_double_the_stake_as_often_as_the_house_allows(
    allowed: int, cube: int
) -> None:
    setup = BACKGAMMON.setup(parameters=replace(CUBE, automatic_doubles=allowed))
    play = start(settle(setup, [(4,), (4,), (2,), (2,), (6,), (1,)]))
    assert (play.cube, play.owner, play.dice) == (cube, None, (6, 1))


def test_the_cube_is_not_used_in_the_crawford_game_but_in_the_next_game() -> None:
    match = replace(begin(replace(CUBE, match_points=5)), scores=(4, 2))
    setup = settle(BACKGAMMON.setup(parameters=match.parameters), [(6,), (1,)])
    assert match.crawford_game
    crawford = start(setup, match=match)
    assert not crawford.doubling
    lost = replace(crawford, board=BackgammonBoard.parse("6(15) | 1"), turn=1, dice=(6, 5))
    match = match.after(acted(lost, "1/off"))
    assert match.scores == (4, 4)
    assert not match.crawford_game
    assert start(setup, match=match).doubling


def test_a_match_ends_at_its_points() -> None:
    match = begin(replace(CUBE, match_points=3))
    won = acted(replace(on_turn(), cube=2, owner=0), "double", "drop")
    match = match.after(won)
    assert (match.scores, match.over) == ((2, 0), False)
    match = match.after(won)
    assert (match.scores, match.over) == ((4, 0), True)


def test_a_match_for_money_is_never_over() -> None:
    assert not BackgammonMatch(Parameters(match_points=0), (90, 7)).over


def test_an_unfinished_game_is_not_counted() -> None:
    with pytest.raises(IllegalActionError, match="The game is not over"):
        begin().after(on_turn())


def test_a_game_needs_the_opening_throw() -> None:
    with pytest.raises(IllegalSetupError, match="finish the set-up first"):
        start(BACKGAMMON.setup())


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"automatic_doubles": 7}, "`automatic_doubles` must be 0 to 6, not 7"),
        ({"gammon": 4}, "not 4 and 3"),
        ({"match_points": -1}, "not -1"),
    ],
)
def test_an_impossible_house_rule_is_refused(changed: dict[str, Any], sentence: str) -> None:
    with pytest.raises(IllegalSetupError, match=sentence):
        replace(Parameters(), **changed)


def test_only_the_seat_on_turn_can_double() -> None:
    assert Cube(0, "double") in on_turn(0).legal_actions
    assert Cube(1, "double") not in on_turn(0).legal_actions


def test_a_match_begins_without_points_and_seat_0_throws_first() -> None:
    match = BackgammonMatch(Parameters())
    assert (match.scores, match.dealer, match.crawford_past) == ((0, 0), 0, False)
