"""The objection to an illegal action, and the rule that it cites."""

from __future__ import annotations

import pytest

from rules.games.backgammon import BackgammonPlay, Parameters
from rules.games.backgammon.actions import Move, parse
from rules.games.backgammon.board import START_BOARD
from rules.games.dominoes.actions import Lay
from rules.games.dominoes.layout import (
    empty_tableau,
    why_it_does_not_fit,
    why_it_fits_no_end,
)
from rules.games.dominoes.variants import Parameters as Dominoes
from rules.judging import Objection


def test_an_objection_has_a_sentence_without_and_one_with_its_rule() -> None:
    objection = Objection("Point 5 is made.", "B4")
    assert (str(objection), objection.cited) == ("Point 5 is made.", "Point 5 is made (B4).")
    assert Objection("Name the point.").cited == "Name the point."


@pytest.mark.parametrize(
    ("dice", "move_text", "fact"),
    [
        ((5, 3), "24/19 13/10", "B4"),
        ((4, 3), "13/9* 13/10", "B5"),
        ((6, 3), "24/18", "BG-08"),
        ((6, 3), "24/20 13/10", "B1, B2"),
        ((6, 3), "20/14 13/10", "B1, B2"),
        ((6, 3), "6/off 13/10", "BG-11"),
    ],
)
def test_the_rules_of_backgammon_cite_the_rule_of_each_objection(
    dice: tuple[int, int], move_text: str, fact: str
) -> None:
    play = BackgammonPlay(Parameters(), START_BOARD, turn=0, dice=dice)
    move = parse(0, move_text)
    assert isinstance(move, Move)
    objection = play.option(move)
    assert isinstance(objection, Objection)
    assert objection.fact == fact


def test_the_rules_of_dominoes_cite_the_rule_of_each_objection() -> None:
    block, matador = (
        empty_tableau(Dominoes())[Lay(0, "6-4")],
        empty_tableau(Dominoes(join="seven"))[Lay(0, "6-4")],
    )
    assert why_it_fits_no_end(block, "5-1").fact == "2.1"
    assert why_it_fits_no_end(matador, "5-5").fact == "2.8"
    sides_first = empty_tableau(Dominoes(sides_first=True))[Lay(0, "6-6")]
    arm = sides_first[Lay(1, "6-4", "6-6 side")]
    assert why_it_does_not_fit(arm, Lay(2, "4-4", "4")).fact == "2.3"
