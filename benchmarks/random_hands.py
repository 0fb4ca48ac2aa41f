"""Measures whole random hands of Wenzhou and Filipino per second; all acts are equally likely.

The rules have all tiles, and list every legal action before one is chosen. A figure is from the
finished set-up to the settlement, per second of processor time. This tree and the earlier commit
use the same set-ups.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rules.games import find_game, rules_of
from rules.steps import Build, Choose, DrawLot, Throw, TurnUp

if TYPE_CHECKING:
    from benchmarks import Row

HANDS = 60
GAMES = ("wenzhou", "filipino")
LEAST_TIMES, GOAL = 8, 400


def main() -> Iterator[Row]:
    """Measure this tree and the commit before the rules were optimised; yield a row per game."""
    from benchmarks import Row, beside  # noqa: PLC0415 - absent when an old commit is measured

    for game in GAMES:
        here, there = beside.rates("random_hands", game)
        yield Row(
            f"random whole hands a second, {game}",
            beside.compared(here, there),
            f"{GOAL}; at least {LEAST_TIMES} x before",
            here >= GOAL or (there is not None and here >= LEAST_TIMES * there),
        )


def measure(game: str) -> float:
    """Return the random hands of a game per second, after several hands as a warm-up."""
    rules = rules_of(game)
    deals = [_deal(game, random.Random(number)) for number in range(HANDS)]
    for number in range(HANDS // 6):
        _played(rules, *deals[number], random.Random(number))
    begun = time.process_time()
    for number, deal in enumerate(deals):
        _played(rules, *deal, random.Random(number))
    return HANDS / (time.process_time() - begun)


def _played(rules: Any, setup: Any, tiles: Any, chance: random.Random) -> None:
    play = rules.start(setup, tiles)
    while play.settlement is None:
        play = play.apply(chance.choice(tuple(play.legal_actions)))


def _deal(name: str, chance: random.Random) -> tuple[Any, dict[Any, str]]:
    """Return a finished set-up of a shuffled set, and the tile at each place."""
    game = find_game(name)
    faces = list(game.tiles.faces)
    chance.shuffle(faces)
    setup, tiles = game.setup(), {}
    while (step := setup.pending) is not None:
        outcome: Any = None
        match step:
            case Build():
                tiles = dict(zip(step.layout.places, faces, strict=True))
            case Throw():
                outcome = tuple(chance.randint(1, 6) for _ in range(step.dice * step.times))
            case TurnUp() | DrawLot():
                outcome = tiles[step.place]
            case Choose(what="flores laid out"):
                outcome = _flores(setup, tiles)
            case Choose():
                outcome = step.default
        setup = setup.apply(outcome)
    return setup, tiles


def _flores(setup: Any, tiles: Any) -> int:
    from rules.games.filipino import flores_to_lay_out  # noqa: PLC0415 - of one game alone

    return flores_to_lay_out(setup, tiles)


if __name__ == "__main__":
    if "--measure" in sys.argv:
        print(measure(sys.argv[-1]))
    else:
        for row in main():
            print(row.claim, row.goal, row.measured, sep=" | ")
