"""Whole hands of a match for the law of results: a result gives what the followed hand gave."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from rules.games import find_game, results_of, rules_of
from rules.games.filipino.parameters import Parameters as Filipino
from rules.games.wenzhou.setup import Parameters as Wenzhou
from rules.play import AnyRules
from rules.playing.dealing import before_next_hand
from rules.results import Depth, FinishedHand, Result
from rules.setup import Setup
from tests.rules.hidden_hands import dealt, houses

HANDS_OF_A_MATCH = 12
"""A new match begins after this number of hands, so that streaks and chips grow in it."""

FALSE_WINS = 1 / 500
"""The share of turns in which a seat declares a win that it does not have, if the game has such."""
MORE_HOUSES: dict[str, tuple[Any, ...]] = {
    "filipino": (
        Filipino(pairs_double=True, after_false_win="ends", chip_target=3, back_to_back=2),
        Filipino(bonus_low=2, bonus_high=6, middle=3, back_to_back=4, stack="sum"),
    ),
    "wenzhou": (Wenzhou(dealer_scale=(3, 5), after_fourth="reseat", false_win_penalty="double"),),
}
"""Houses besides those of every test, which differ in what a hand costs and who deals next."""


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
            every = (*houses(game), *MORE_HOUSES.get(game, ()))
            house = every[turn % len(every)]
            players = chance.choice(find_game(game).players)
            match = rules.match(house, players, chance.randrange(players))
            wild = turn // len(every) % 2 == 1
        match = before_next_hand(game, match, chance)
        seating = {"players": players, "dealer": match.dealer}
        setup, tiles = dealt(game, chance, **seating, parameters=house)
        play, acts = rules.start(setup, tiles, match), []
        while play.settlement is None:
            action = _false_win(rules, play, chance) or _chosen(rules, play, chance, wild=wild)
            acts.append((play, action))
            play = play.apply(action)
        yield Followed(game, match, setup, tuple(acts), play)
        match = match.after(play)


def _chosen(rules: AnyRules, play: Any, chance: Random, *, wild: bool) -> Any:
    """The action of the seat that acts next: a random one in a wild hand, or one of ten times."""
    seat = play.to_act[0]
    if wild or chance.random() < 0.1:
        return chance.choice([each for each in play.legal_actions if each.seat == seat])
    return rules.sensible(play, seat)


def _false_win(rules: AnyRules, play: Any, chance: Random) -> Any | None:
    """A false win of any seat, in few turns; None in the others, and in a game without them."""
    if "false win" not in rules.declarations or chance.random() >= FALSE_WINS:
        return None
    action = rules.parse(chance.randrange(4), "false win")
    return action if action in play.legal_actions else None


def paid(settlement: Any) -> Counter[tuple[int, int]]:
    """What each seat, or the house, pays each other one in all, whatever the reasons.

    A followed hand of dominoes pays the points on the way one by one, a result in one sum.
    """
    sums: Counter[tuple[int, int]] = Counter()
    for each in settlement.payments:
        sums[each.source, each.to] += each.amount
    return sums


def told(settlement: Any) -> set[str]:
    """The reasons of a settlement, as far as a result can say them.

    It has no kongs of own tiles, no single scores of a hand of dominoes, and not the point of a man
    at a backgammon.
    """
    reasons = (each.replace("concealed ", "") for each in settlement.reasons)
    return {re.sub("has a man .*", "", each) for each in reasons if " scores " not in each}
