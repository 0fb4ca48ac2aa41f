"""Backgammon as text: positions and moves, written and read, and the errors for invalid texts."""

from __future__ import annotations

from typing import Any

import pytest

from rules.errors import NotationError
from rules.games.backgammon import BackgammonBoard, BackgammonPlay, Move, Parameters, Roll, parse
from rules.games.backgammon.board import START_BOARD
from rules.games.backgammon.moves import Step
from rules.play import IllegalActionError


def at(position: str, dice: tuple[int, int]) -> BackgammonPlay:
    return BackgammonPlay(
        Parameters(), BackgammonBoard.parse(position), turn=0, dice=dice, throws=1
    )


@pytest.mark.parametrize(
    "text",
    [
        "24(2) 13(5) 8(3) 6(5) | 24(2) 13(5) 8(3) 6(5)",
        "bar(2) 13(13) | bar 6(14)",
        "6 3(2) | off(15)",
    ],
)
def test_a_position_is_written_as_it_was_read(text: str) -> None:
    assert str(BackgammonBoard.parse(text)) == text


def test_the_start_is_the_standard_position() -> None:
    assert str(START_BOARD) == "24(2) 13(5) 8(3) 6(5) | 24(2) 13(5) 8(3) 6(5)"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("24(2)", "is not a position; write the men"),
        ("24(2) x | 6", "'x' is not a stack of men"),
        ("26 | 6", "26; points are 1 to 24"),
        ("13(16) | 6", "A player has 15 men, not 16"),
        ("13 | 12", "men of both players"),
    ],
)
def test_an_impossible_position_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(NotationError, match=sentence.replace("(", r"\(")):
        BackgammonBoard.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "24/18 13/10",
        "24/18*/15",
        "bar/22* 13/7",
        "6/off 4/off",
        "8/4*(2) 6/2(2)",
        "double",
        "take",
        "drop",
        "beaver",
        "roll 3 1",
    ],
)
def test_an_action_is_written_as_it_was_read(text: str) -> None:
    assert str(parse(0, text)) == text


def test_a_move_is_the_same_in_either_order() -> None:
    assert parse(1, "13/10 24/18") == parse(1, "24/18 13/10")
    assert parse(0, "roll 3 1") == Roll(0, (3, 1))
    assert parse(0, "bar/20*") == Move(0, (Step(25, 20, hits=True),))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("roll 7 1", "is not an action of backgammon"),
        ("", "is not an action of backgammon"),
        ("resign", "'resign' is not a move"),
        ("6/8", "goes from 6 to 8"),
        ("13/", "'13/' is not a move"),
    ],
)
def test_a_text_that_is_not_an_action_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(NotationError, match=sentence):
        parse(0, text)


@pytest.mark.parametrize("text", ["24/15", "24/21/15", "24/18 18/15", "24/21 21/15"])
def test_a_move_of_one_man_by_both_dice_can_be_written_in_several_ways(text: str) -> None:
    play = at("24 13 | 6(2)", (6, 3))
    assert parse(0, text) in play.legal_actions
    assert play.apply(parse(0, text)).board.where(0) == {15: 1, 13: 1}


def test_the_point_between_decides_whether_a_man_hits_on_the_way() -> None:
    play = at("24 13 | 6(2) 7", (6, 3))
    assert play.apply(parse(0, "24/18*/15")).board.where(1) == {25: 1, 6: 2}
    assert play.apply(parse(0, "24/21/15")).board.where(1) == {7: 1, 6: 2}
    assert play.apply(parse(0, "24/18/15")).board.where(1) == {25: 1, 6: 2}


def test_a_move_with_different_possible_hits_needs_every_point() -> None:
    play = at("24 13 | 4 7", (6, 3))
    with pytest.raises(IllegalActionError, match="a hit on the way; name every point"):
        play.apply(parse(0, "24/15"))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("20/14 13/10", r"Seat 0 has no man on 20\."),
        ("24/20 13/10", r"6-3 moves no man from 24 to 20\."),
        ("24/18* 13/10", r"hits no blot on 18; leave the star out\."),
        ("24/18", r"'24/18' leaves a die unplayed; 2 dice of 6-3 can be played\."),
        ("24/14 13/10", r"6-3 moves no man from 24 to 14\."),
        ("24/12 13/10", r"Point 12 is made: 5 men of seat 1 are on it\."),
        ("24/18(2)", r"cannot be played with 6-3, in either order"),
    ],
)
def test_an_illegal_move_is_refused_with_its_reason(text: str, sentence: str) -> None:
    play = at(str(START_BOARD), (6, 3))
    with pytest.raises(IllegalActionError, match=sentence):
        play.apply(parse(0, text))
    assert play == at(str(START_BOARD), (6, 3))


def test_a_text_is_not_a_legal_action() -> None:
    text: Any = "24/18 13/10"
    assert text not in at(str(START_BOARD), (6, 3)).legal_actions
