"""Backgammon: comparison of legal moves with OpenSpiel, in positions from random play."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from rules.games.backgammon.board import BAR, BackgammonBoard
from rules.games.backgammon.moves import options, played
from tests.quick import tries

pyspiel = pytest.importorskip("pyspiel")
POSITIONS = tries(1_000, quick=1_000, evidence=20_000)
THEIR_POINTS = (*range(24), 100)
"""OpenSpiel's numbers of the points; the last is the bar."""
Men = tuple[int, ...]
"""The number of men on each of these points, first of seat 0, then of seat 1."""


@pytest.mark.slow
@pytest.mark.evidence
def test_legal_moves_lead_to_the_same_boards_as_in_openspiel() -> None:
    for _, (state, dice) in zip(range(POSITIONS), thrown(random.Random(3)), strict=False):
        seat, board = state.current_player(), board_of(men_of(state))
        found = options(board[seat], board[1 - seat], dice)
        boards = [played(board, seat, option) for option in found] or [board]
        assert len(set(boards)) == len(boards), (str(board), seat, dice)
        theirs = {board_of(men) for men in results(state, seat)}
        assert set(boards) == theirs, (str(board), seat, dice)


def thrown(rng: random.Random) -> Iterator[tuple[Any, tuple[int, int]]]:
    """Yields OpenSpiel's state and the dice after each throw of random games."""
    game = pyspiel.load_game("backgammon(scoring_type=full_scoring)")
    while True:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(rng.choice(state.chance_outcomes())[0])
                dice = str(state).partition("Dice: ")[2]
                yield state, (int(dice[0]), int(dice[1]))
            state.apply_action(rng.choice(state.legal_actions()))


def results(state: Any, seat: int) -> set[Men]:
    """The boards after every action; in OpenSpiel a doublet is two actions of the same player.

    Of the states half way through a doublet, one for each board is enough.
    """
    halfway: dict[Men, Any] = {}
    ends = set()
    for action in state.legal_actions():
        after = state.child(action)
        if after.is_player_node() and after.current_player() == seat:
            halfway.setdefault(men_of(after), after)
        else:
            ends.add(men_of(after))
    return ends.union(*(results(after, seat) for after in halfway.values()))


def men_of(state: Any) -> Men:
    men = state.board
    return tuple(men(seat, point) for seat in (0, 1) for point in THEIR_POINTS)


def board_of(men: Men) -> BackgammonBoard:
    """The board of these men. OpenSpiel's point 0 is point 24 of seat 0 and point 1 of seat 1."""
    first, second = men[: len(THEIR_POINTS)], men[len(THEIR_POINTS) :]
    return BackgammonBoard.of(
        {24 - point: count for point, count in enumerate(first[:24])} | {BAR: first[24]},
        {point + 1: count for point, count in enumerate(second[:24])} | {BAR: second[24]},
    )
