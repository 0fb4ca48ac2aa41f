"""Compares random games of Block per second with the package `dominoes` in the same run.

Both sides shuffle 28 tiles, deal seven to each of four players, choose among the legal moves with
`random.choice` and count the points at the end. The rules also record every pass as an action; the
package skips it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from time import perf_counter

import dominoes

from benchmarks import Row
from rules.games.dominoes.play import DominoPlay, begin
from rules.games.dominoes.playout import play_out
from rules.games.dominoes.setup import double_six
from rules.games.dominoes.variants import Parameters

HANDS = 1000
TURNS = 7
"""Runs of each side, alternately; the fastest counts."""
LEAST, GOAL = 1, 3
HOUSE = replace(Parameters(), hand=(7, 7, 7), turn="counter_clockwise")


def main() -> Iterator[Row]:
    """Measure the rules twice, without and with an immutable value for every action."""
    peer, at_once, by_steps = _rates(_peer, _at_once, _by_steps)
    yield Row(
        "random Block games a second, played out, beside the dominoes package",
        f"{at_once:,.0f} to {peer:,.0f}, {at_once / peer:.1f} x",
        f"at least {LEAST} x; target {GOAL} x",
        at_once >= LEAST * peer,
    )
    yield Row(
        "the same with an immutable value for every action",
        f"{by_steps:,.0f} to {peer:,.0f}, {by_steps / peer:.1f} x",
    )


def _rates(*contenders: Callable[[], object]) -> list[float]:
    """Return the games per second of each function, the best of `TURNS` measurements."""
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
