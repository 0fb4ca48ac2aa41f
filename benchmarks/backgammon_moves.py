"""Measures random backgammon moves per second: the rules, and OpenSpiel's C++ from Python.

A move is a throw that is played or passed. A doublet is one action in the rules and two in
OpenSpiel. Both sides list every legal action before one of them is chosen. OpenSpiel lists numbers;
the rules also list numbers and build the action of the chosen one only. The second figure is for a
list of all actions as objects. The sides run alternately, so that a slow phase of the machine
affects both.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from typing import Any

from benchmarks import Row
from rules.games.backgammon import BACKGAMMON, start
from rules.setup import settle

SECONDS = 1.0
ROUNDS = 5
FLOOR, GOAL = 0.3, 1.0


def main() -> Iterator[Row]:
    """Measure the rules, the rules with full lists, and OpenSpiel alternately; yield the rates."""
    import pyspiel  # noqa: PLC0415 - heavy, and only here

    peer_game = pyspiel.load_game("backgammon(scoring_type=full_scoring)")
    rng = random.Random(1)
    own = listed = peer = 0.0
    for _ in range(ROUNDS):
        own += _moves_a_second(lambda: _own_game(rng)) / ROUNDS
        listed += _moves_a_second(lambda: _own_game_with_lists(rng)) / ROUNDS
        peer += _moves_a_second(lambda: _peer_game(peer_game, rng)) / ROUNDS
    yield Row("random moves a second, OpenSpiel", f"{peer:,.0f}")
    for claim, rate in (
        ("random moves a second", own),
        ("random moves a second, each with a list of all legal actions", listed),
    ):
        yield Row(
            claim,
            f"{rate:,.0f} ({rate / peer:.2f} x OpenSpiel)",
            f"at least {FLOOR} x; target {GOAL:.0f} x",
            rate >= FLOOR * peer,
        )


def _moves_a_second(game: Any) -> float:
    """Play games for `SECONDS` of processor time; return the moves per second."""
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


def _peer_game(game: Any, rng: random.Random) -> int:
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
