"""Compares random games of Da San per second with rlcard's doudizhu, a related game.

Each side plays random games as its documentation describes: the rules choose and apply any legal
action, rlcard runs an environment with three of its random agents. The sides run alternately, so
that a slow phase of the machine affects both.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator

from benchmarks import Row
from rules.games.da_san import DA_SAN, start
from rules.setup import settle

SECONDS = 1.0
ROUNDS = 4
GOAL = 20


def main() -> Iterator[Row]:
    """Measure rlcard and the rules alternately; yield the games per second of each."""
    import rlcard  # noqa: PLC0415 - heavy, and only here
    from rlcard.agents import RandomAgent  # noqa: PLC0415

    peer = rlcard.make("doudizhu", config={"seed": 1})
    peer.set_agents([RandomAgent(num_actions=peer.num_actions) for _ in range(3)])
    own_game = _own_game(random.Random(1))
    own_rate = peer_rate = 0.0
    for _ in range(ROUNDS):
        own_rate += _games_a_second(own_game) / ROUNDS
        peer_rate += _games_a_second(lambda: peer.run(is_training=False)) / ROUNDS
    yield Row("random doudizhu games a second, rlcard", f"{peer_rate:,.1f}")
    yield Row(
        "random games a second",
        f"{own_rate:,.0f} ({own_rate / peer_rate:.0f} x rlcard)",
        f"{GOAL} x",
        own_rate >= GOAL * peer_rate,
    )


def _games_a_second(game: Callable[[], object]) -> float:
    """Play games for `SECONDS` of real time; return the games per second."""
    begun, games = time.perf_counter(), 0
    while (taken := time.perf_counter() - begun) < SECONDS:
        game()
        games += 1
    return games / taken


def _own_game(rng: random.Random) -> Callable[[], object]:
    """Return a function that shuffles the cards and plays one game, auction included."""
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
