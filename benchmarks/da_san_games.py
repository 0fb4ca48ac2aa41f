"""Da San: whole random games through the rules, and rlcard's doudizhu, its nearest neighbour.

Each side plays as its documentation says a random game is played: here any legal action is picked
and applied, there an environment runs with three of its random agents. The two take turns, so that
a slower moment of the machine slows both.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator

from benchmarks import Row
from rules.games.da_san import DA_SAN, start
from rules.setup_facts import settle

SECONDS = 1.0
ROUNDS = 4
GOAL = 20


def main() -> Iterator[Row]:
    """Measure both in turns."""
    import rlcard  # noqa: PLC0415 - heavy, and only here
    from rlcard.agents import RandomAgent  # noqa: PLC0415

    theirs = rlcard.make("doudizhu", config={"seed": 1})
    theirs.set_agents([RandomAgent(num_actions=theirs.num_actions) for _ in range(3)])
    own = _own_game(random.Random(1))
    here = there = 0.0
    for _ in range(ROUNDS):
        here += _a_second(own) / ROUNDS
        there += _a_second(lambda: theirs.run(is_training=False)) / ROUNDS
    yield Row("random doudizhu games a second, rlcard", f"{there:,.1f}")
    yield Row(
        "random games a second",
        f"{here:,.0f} ({here / there:.0f} x rlcard)",
        f"{GOAL} x",
        here >= GOAL * there,
    )


def _a_second(game: Callable[[], object]) -> float:
    """Games a second, over games played for a while."""
    begun, games = time.perf_counter(), 0
    while (taken := time.perf_counter() - begun) < SECONDS:
        game()
        games += 1
    return games / taken


def _own_game(rng: random.Random) -> Callable[[], object]:
    """A game of freshly shuffled cards, from the auction to the last card."""
    setup = settle(DA_SAN.setup())
    faces = list(DA_SAN.tiles.faces)
    places = setup.layout.places

    def game() -> object:
        rng.shuffle(faces)
        play = start(setup, dict(zip(places, faces, strict=True)))
        while count := len(legal := play.legal_actions):
            play = play.apply(legal[int(rng.random() * count)])
        return play.settlement

    return game
