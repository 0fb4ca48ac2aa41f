"""Backgammon: random games through the rules, and through OpenSpiel's C++ driven from Python.

A move is a throw played out, or passed where none can be: a doublet is one here and two actions
there. Both sides are asked for every legal action before one of them is picked. OpenSpiel lists
them as numbers. So do the rules, and make an action of the one that is picked; the second figure
is for a list of all actions as objects. The two take turns, so that a slower moment of the machine
slows both.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from typing import Any

from benchmarks import Row
from rules.games.backgammon import BACKGAMMON, start
from rules.setup_facts import settle

SECONDS = 1.0
ROUNDS = 5
FLOOR, GOAL = 0.3, 1.0


def main() -> Iterator[Row]:
    """Measure all three in turns."""
    import pyspiel  # noqa: PLC0415 - heavy, and only here

    theirs = pyspiel.load_game("backgammon(scoring_type=full_scoring)")
    rng = random.Random(1)
    here = listed = there = 0.0
    for _ in range(ROUNDS):
        here += _a_second(lambda: _own_game(rng)) / ROUNDS
        listed += _a_second(lambda: _own_game_with_lists(rng)) / ROUNDS
        there += _a_second(lambda: _their_game(theirs, rng)) / ROUNDS
    yield Row("random moves a second, OpenSpiel", f"{there:,.0f}")
    for claim, rate in (
        ("random moves a second", here),
        ("random moves a second, each with a list of all legal actions", listed),
    ):
        yield Row(
            claim,
            f"{rate:,.0f} ({rate / there:.2f} x OpenSpiel)",
            f"{FLOOR} x, better {GOAL:.0f} x",
            rate >= FLOOR * there,
        )


def _a_second(game: Any) -> float:
    """Moves in a second of processor time, over games played for a while."""
    begun, moves = time.process_time(), 0
    while (taken := time.process_time() - begun) < SECONDS:
        moves += game()
    return moves / taken


def _own_game(rng: random.Random) -> int:
    play = start(settle(BACKGAMMON.setup(), [(6,), (1,)]))
    while count := len(legal := play.legal_actions):
        play = play.apply(legal[int(rng.random() * count)])
    return play.throws


def _own_game_with_lists(rng: random.Random) -> int:
    play = start(settle(BACKGAMMON.setup(), [(6,), (1,)]))
    while legal := list(play.legal_actions):
        play = play.apply(legal[int(rng.random() * len(legal))])
    return play.throws


def _their_game(game: Any, rng: random.Random) -> int:
    state, throws = game.new_initial_state(), 0
    while not state.is_terminal():
        if state.is_chance_node():
            throws += 1
            actions = state.chance_outcomes()
            state.apply_action(actions[int(rng.random() * len(actions))][0])
        else:
            legal = state.legal_actions()
            state.apply_action(legal[int(rng.random() * len(legal))])
    return throws
