"""Backgammon: every legal move leads where OpenSpiel says, on positions met in random play."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from rules.games.backgammon.board import BAR, Board
from rules.games.backgammon.moves import options, played

pyspiel = pytest.importorskip("pyspiel")
POSITIONS = 20_000
THEIR_BAR = 100


@pytest.mark.slow
def test_legal_moves_lead_to_the_boards_that_openspiel_knows() -> None:
    for _, (state, dice) in zip(range(POSITIONS), thrown(random.Random(3)), strict=False):
        seat, board = state.current_player(), board_of(state)
        found = options(board[seat], board[1 - seat], dice)
        boards = [played(board, seat, option) for option in found] or [board]
        assert len(set(boards)) == len(boards), (str(board), seat, dice)
        assert set(boards) == results(state, seat), (str(board), seat, dice)


def thrown(rng: random.Random) -> Iterator[tuple[Any, tuple[int, int]]]:
    """OpenSpiel's states right after a throw, in random games, and the dice."""
    game = pyspiel.load_game("backgammon(scoring_type=full_scoring)")
    while True:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(rng.choice(state.chance_outcomes())[0])
                dice = str(state).partition("Dice: ")[2]
                yield state, (int(dice[0]), int(dice[1]))
            state.apply_action(rng.choice(state.legal_actions()))


def results(state: Any, seat: int) -> set[Board]:
    """The boards after every action; a doublet is two actions of the same player there."""
    boards = set()
    for action in state.legal_actions():
        after = state.child(action)
        if after.is_player_node() and after.current_player() == seat:
            boards |= results(after, seat)
        else:
            boards.add(board_of(after))
    return boards


def board_of(state: Any) -> Board:
    """Its points run from 0, seat 0's 24 and seat 1's 1."""
    first = {24 - point: state.board(0, point) for point in range(24)}
    second = {point + 1: state.board(1, point) for point in range(24)}
    return Board.of(
        {**first, BAR: state.board(0, THEIR_BAR)}, {**second, BAR: state.board(1, THEIR_BAR)}
    )
