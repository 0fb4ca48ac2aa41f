"""Plays a match of random hands: each player chooses at random among all legal actions.

python examples/random_match.py [GAME] [SEED]
"""

from __future__ import annotations

import sys
from random import Random

from rules import before_next_hand, find_game, new_hand, random_action, rules_of

HANDS = 5


def main(game: str = "block", seed: str = "7") -> None:
    """Play at most five hands of a match, and print the scores after each."""
    chance = Random(int(seed))
    setup = find_game(game).setup()
    parameters = setup.parameters
    match = rules_of(game).match(parameters, setup.seating.players, 0)
    for _ in range(HANDS):
        if match.over:
            break
        match = before_next_hand(game, match, chance)
        play = new_hand(game, chance, parameters=parameters, match=match)
        actions = 0
        while play.settlement is None:
            play = play.apply(random_action(play, chance.choice))
            actions += 1
        match = match.after(play)
        scores = ", ".join(map(str, match.scores))
        print(f"{play.settlement.name} after {actions} actions; scores {scores}")


if __name__ == "__main__":
    main(*sys.argv[1:])
