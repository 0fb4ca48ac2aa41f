"""Backgammon: the cases of the rules, by their numbers (BG-01 is also in the tests of set-ups)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rules.games.backgammon import (
    BACKGAMMON,
    BackgammonBoard,
    BackgammonPlay,
    Parameters,
    parse,
    start,
)
from rules.play import IllegalActionError
from rules.setup import settle

START = "24(2) 13(5) 8(3) 6(5)"
AWAY = "24(2) 13(5) 8(3) 6(5)"


def at(own: str, dice: tuple[int, int], other: str = AWAY, **parameters: bool) -> BackgammonPlay:
    """A play in which seat 0 has thrown these dice, with the men of both seats on these points."""
    board = BackgammonBoard.parse(f"{own} | {other}")
    return BackgammonPlay(replace(Parameters(), **parameters), board, turn=0, dice=dice, throws=1)


def moves(play: BackgammonPlay) -> set[str]:
    return {str(move) for move in play.legal_actions}


def test_BG_01_the_first_game_begins_with_167_points_each_and_both_dice_of_the_opening() -> None:
    play = start(settle(BACKGAMMON.setup(), [(3,), (6,)]))
    assert (play.board.pips(0), play.board.pips(1)) == (167, 167)
    assert (play.turn, play.dice) == (1, (6, 3))


def test_BG_02_a_doublet_is_four_moves() -> None:
    play = at(START, (5, 5))
    for move in play.legal_actions:
        assert play.apply(move).board.pips(0) == 167 - 20


def test_BG_03_two_dice_are_two_moves() -> None:
    play = at(START, (6, 3))
    assert len(play.legal_actions) > 10
    for option in play.options:
        assert len(option) == 2
        assert play.apply(play.move(option)).board.pips(0) == 167 - 9


def test_BG_04_a_point_that_the_enemy_has_made_is_closed() -> None:
    with pytest.raises(IllegalActionError, match=r"Point 19 is made: 5 men of seat 1 are on it\."):
        at(START, (5, 3)).apply(parse(0, "24/19 13/10"))


def test_BG_05_a_blot_is_hit_and_goes_to_the_bar() -> None:
    play = at("13(2) 6(5)", (4, 3), "16 6(5)")
    assert "13/9* 13/10" in moves(play)
    after = play.apply(parse(0, "13/9* 13/10"))
    assert after.board.where(1) == {25: 1, 6: 5}


def test_BG_06_if_both_points_are_made_no_man_enters_and_the_turn_passes() -> None:
    play = replace(at("bar 13(2)", (6, 5), "6(2) 5(2) 24(2)"), dice=None, throws=0)
    passed = play.apply(parse(0, "roll 6 5"))
    assert passed.to_act == (1,) and passed.wants_dice
    assert passed.board == play.board


def test_BG_07_a_man_on_the_bar_enters_before_another_man_moves() -> None:
    play = at("bar 13(2)", (6, 4), "6(2) 24(2)")
    assert moves(play) == {"bar/21/15", "bar/21 13/7"}
    with pytest.raises(
        IllegalActionError, match="Seat 0 has a man on the bar, who has to enter before"
    ):
        play.apply(parse(0, "13/7 13/9"))


def test_BG_08_if_only_one_of_two_dice_can_be_played_it_is_the_larger() -> None:
    own, closed = "20", "16(2)"
    # Points 14 and 15 are open; point 9, which both dice together lead to, is the enemy's 16.
    play = at(own, (6, 5), closed)
    assert moves(play) == {"20/14"}
    with pytest.raises(IllegalActionError, match="plays the smaller die;"):
        play.apply(parse(0, "20/15"))
    assert moves(at(own, (6, 5), closed, must_use_larger=False)) == {"20/14", "20/15"}


def test_BG_09_a_higher_number_bears_off_from_the_rearmost_point() -> None:
    play = at("3(2) 1", (5, 1), "6(15)")
    assert moves(play) == {"3/off 1/off", "3/off 3/2"}
    with pytest.raises(
        IllegalActionError, match=r"bears off from the rearmost point, 3, not from 1"
    ):
        at("3(2) 1", (5, 4), "6(15)").apply(parse(0, "3/off 1/off"))


def test_BG_10_a_man_behind_has_to_move_before_a_higher_number_bears_off() -> None:
    assert moves(at("6 3(2)", (5, 5), "6(15)")) == {"6/1/off 3/off(2)"}
    assert moves(at("6 3(2)", (5, 1), "6(15)")) == {"6/1/off", "6/1 3/2"}
    with pytest.raises(
        IllegalActionError, match="higher than the point bears off from the rearmost point"
    ):
        at("6 3(2)", (5, 1), "6(15)").apply(parse(0, "3/off 3/2"))


def test_BG_11_no_man_is_borne_off_while_a_man_is_outside_his_home() -> None:
    with pytest.raises(IllegalActionError, match="No man is borne off before all men are home"):
        at("8 3(2)", (3, 1)).apply(parse(0, "3/off 3/2"))
    assert "8/6 5/off" in moves(at("8 5(2)", (5, 2)))


def test_BG_12_a_point_can_have_any_number_of_men() -> None:
    play = at(START, (2, 2)).apply(parse(0, "8/6(3) 13/11"))
    assert play.board.men(0, 6) == 8


@pytest.mark.parametrize(
    ("loser", "name", "points"),
    [
        ("6(14)", "single game", 4),
        ("13(15)", "gammon", 8),
        ("22 13(14)", "backgammon", 12),
        ("bar 13(14)", "backgammon", 12),
    ],
)
def test_BG_13_a_loser_with_no_man_off_loses_a_gammon_or_a_backgammon_times_the_cube(
    loser: str, name: str, points: int
) -> None:
    last = replace(at("1", (6, 5), loser), cube=4, owner=0, doubling=True)
    settled = last.apply(parse(0, "1/off")).settlement
    assert settled is not None
    assert (settled.name, settled.multiplier, settled.winner) == (name, points, 0)
    assert settled.balance() == {0: points, 1: -points}
