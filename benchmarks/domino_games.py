"""Random games of Block a second, beside the `dominoes` package in the same run.

Both shuffle 28 tiles, deal seven each to four players, choose among the legal moves with the same
`random.choice` and count the end. Ours also says every go as an action of its own, where the
package lets the turn pass in silence.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from time import perf_counter

import dominoes

from benchmarks import Row
from rules.games.dominoes.bones import double_six
from rules.games.dominoes.play import DominoPlay, begin
from rules.games.dominoes.playout import play_out
from rules.games.dominoes.variants import Parameters

HANDS = 1000
TURNS = 7
"""Each contender plays this often, in turn with the others; its fastest turn counts."""
LEAST, GOAL = 1, 3
HOUSE = replace(Parameters(), hand=(7, 7, 7), turn="counter_clockwise")


def main() -> Iterator[Row]:
    """Whole hands at once, and a value for every action."""
    theirs, at_once, by_steps = _rates(_peer, _at_once, _by_steps)
    yield Row(
        "random Block games a second, played out, beside the dominoes package",
        f"{at_once:,.0f} to {theirs:,.0f}, {at_once / theirs:.1f} x",
        f"at least {LEAST} x; {GOAL} x wished for",
        at_once >= LEAST * theirs,
    )
    yield Row(
        "the same with an immutable value for every action",
        f"{by_steps:,.0f} to {theirs:,.0f}, {by_steps / theirs:.1f} x",
    )


def _rates(*contenders: Callable[[], object]) -> list[float]:
    """Games a second of each."""
    best = [0.0] * len(contenders)
    for _ in range(TURNS):
        for number, play in enumerate(contenders):
            began = perf_counter()
            for _ in range(HANDS):
                play()
            best[number] = max(best[number], HANDS / (perf_counter() - began))
    return best


def _dealt() -> DominoPlay:
    tiles = list(double_six())
    random.shuffle(tiles)
    return begin("Block", HOUSE, [tiles[first : first + 7] for first in (0, 7, 14, 21)])


def _at_once() -> object:
    return play_out(_dealt(), random.choice).settlement


def _by_steps() -> object:
    play = _dealt()
    while (settlement := play.settlement) is None:
        play = play.apply(random.choice([*iter(play.legal_actions)]))
    return settlement


def _peer() -> object:
    game = dominoes.Game.new()
    game.skinny_board()
    while game.result is None:
        game.make_move(*random.choice(game.valid_moves))
    return game.result


if __name__ == "__main__":
    for row in main():
        print(row.claim, row.goal, row.measured, sep=" | ")
