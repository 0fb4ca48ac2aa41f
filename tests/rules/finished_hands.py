"""Whole hands of a match for the law of results: a result gives what the followed hand gave."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from rules.games import find_game, results_of, rules_of
from rules.playing.dealing import before_next_hand
from rules.results import Depth, FinishedHand, Result
from rules.setup import Setup
from tests.rules.hidden_hands import dealt, houses

HANDS_OF_A_MATCH = 12
"""A new match begins after this number of hands, so that streaks and chips grow in it."""


@dataclass(frozen=True)
class Followed:
    """A hand that was followed to its end; `match` is the state before it."""

    game: str
    match: Any
    setup: Setup
    acts: tuple[tuple[Any, Any], ...]
    play: Any

    def entered(self, depth: Depth) -> tuple[Result, FinishedHand]:
        """The result read off the hand, as JSON, checked by its form; the hand that it gives."""
        results = results_of(self.game)
        read = json.loads(json.dumps(results.read(self.match, self.acts, self.play, depth)))
        result = results.form(self.match, self.setup).checked(read)
        return result, results.finish(self.match, result)


def followed_hands(game: str, count: int) -> Iterator[Followed]:
    """Hands of many matches: each house in turn, sensible players and random ones in turn.

    Dice, the number of players and the answers of the set-up are random.

    The sensible players take a random legal action in one of ten turns.
    """
    rules = rules_of(game)
    match: Any = None
    for number in range(count):
        chance = Random(f"{game} {number}")
        if number % HANDS_OF_A_MATCH == 0 or match.over:
            turn = number // HANDS_OF_A_MATCH
            house = houses(game)[turn % len(houses(game))]
            players = chance.choice(find_game(game).players)
            match = rules.match(house, players, chance.randrange(players))
            wild = turn // len(houses(game)) % 2 == 1
        match = before_next_hand(game, match, chance)
        seating = {"players": players, "dealer": match.dealer}
        setup, tiles = dealt(game, chance, **seating, parameters=house)
        play, acts = rules.start(setup, tiles, match), []
        while play.settlement is None:
            seat = play.to_act[0]
            if wild or chance.random() < 0.1:
                offered = [each for each in play.legal_actions if each.seat == seat]
                action = chance.choice(offered)
            else:
                action = rules.sensible(play, seat)
            acts.append((play, action))
            play = play.apply(action)
        yield Followed(game, match, setup, tuple(acts), play)
        match = match.after(play)


def paid(settlement: Any) -> Counter[tuple[int, int]]:
    """What each seat, or the house, pays each other one in all, whatever the reasons.

    A followed hand of dominoes pays the points on the way one by one, a result in one sum.
    """
    sums: Counter[tuple[int, int]] = Counter()
    for each in settlement.payments:
        sums[each.source, each.to] += each.amount
    return sums
