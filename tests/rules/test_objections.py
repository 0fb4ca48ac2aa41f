"""Why something is not allowed, and the fact that it follows."""

from __future__ import annotations

import pytest

from rules.games.backgammon import BackgammonPlay, Parameters
from rules.games.backgammon.actions import Move, parse
from rules.games.backgammon.board import START_BOARD
from rules.games.dominoes.actions import Lay
from rules.games.dominoes.layout import empty_tableau, why_it_does_not_fit, why_it_fits_no_end
from rules.games.dominoes.variants import Parameters as Dominoes
from rules.objections import Objection


def test_a_judge_says_a_sentence_with_its_fact_and_the_law_without() -> None:
    objection = Objection("Point 5 is made.", "B4")
    assert (str(objection), objection.cited) == ("Point 5 is made.", "Point 5 is made (B4).")
    assert Objection("Say which.").cited == "Say which."


@pytest.mark.parametrize(
    ("dice", "told", "fact"),
    [
        ((5, 3), "24/19 13/10", "B4"),
        ((4, 3), "13/9* 13/10", "B5"),
        ((6, 3), "24/18", "BG-08"),
        ((6, 3), "24/20 13/10", "B1, B2"),
        ((6, 3), "20/14 13/10", "B1, B2"),
        ((6, 3), "6/off 13/10", "BG-11"),
    ],
)
def test_the_law_of_backgammon_names_the_fact_with_its_sentence(
    dice: tuple[int, int], told: str, fact: str
) -> None:
    play = BackgammonPlay(Parameters(), START_BOARD, turn=0, dice=dice)
    move = parse(0, told)
    assert isinstance(move, Move)
    objection = play.option(move)
    assert isinstance(objection, Objection)
    assert objection.fact == fact


def test_the_law_of_dominoes_names_the_fact_with_its_sentence() -> None:
    block, matador = (
        empty_tableau(Dominoes())[Lay(0, "6-4")],
        empty_tableau(Dominoes(join="seven"))[Lay(0, "6-4")],
    )
    assert why_it_fits_no_end(block, "5-1").fact == "2.1"
    assert why_it_fits_no_end(matador, "5-5").fact == "2.8"
    sides_first = empty_tableau(Dominoes(sides_first=True))[Lay(0, "6-6")]
    arm = sides_first[Lay(1, "6-4", "6-6 side")]
    assert why_it_does_not_fit(arm, Lay(2, "4-4", "4")).fact == "2.3"
