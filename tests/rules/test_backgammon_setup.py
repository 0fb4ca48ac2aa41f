"""Backgammon: the start position and the opening throw."""

from __future__ import annotations

import pytest

from rules.errors import IllegalSetupError
from rules.games.backgammon import BACKGAMMON, START, pips
from rules.geometry import BareTable
from rules.setup import facts, settle


def test_BG_01_fifteen_men_have_a_pip_count_of_167() -> None:
    assert sum(START.values()) == 15
    assert pips(START) == 167


@pytest.mark.parametrize(("dealer", "own", "other", "begins"), [(0, 6, 3, 0), (1, 2, 5, 0)])
def test_the_seat_with_the_higher_die_begins(
    dealer: int, own: int, other: int, begins: int
) -> None:
    setup = settle(BACKGAMMON.setup(dealer=dealer), [(own,), (other,)])
    assert setup.ready is not None
    assert setup.ready.begins == begins
    assert setup.layout == BareTable()


def test_equal_dice_are_thrown_again() -> None:
    setup = settle(BACKGAMMON.setup(), [(4,), (4,), (1,), (1,), (2,), (6,)])
    assert [step.by for step, _ in setup.throws] == [0, 1] * 3
    assert setup.ready is not None
    assert setup.ready.begins == 1


def test_the_plan_of_a_bare_table_has_neither_tiles_nor_walls() -> None:
    plan = facts(settle(BACKGAMMON.setup(), [(6,), (1,)]))
    assert plan["tiles"] == plan["left"] == 0
    assert plan["walls"] == plan["deal"] == []
    assert plan["break"] is None


def test_backgammon_is_played_by_two() -> None:
    with pytest.raises(IllegalSetupError, match=r"Backgammon is played by 2 players, not 4\."):
        BACKGAMMON.setup(players=4)
