"""Deals a random hand: runs a set-up with random dice and tiles, every tile known.

The rules generate no random numbers. The caller passes the generator:

    >>> from random import Random
    >>> from rules import new_hand
    >>> play = new_hand("wenzhou", Random(7))
    >>> play.to_act
    (0,)
    >>> len(play.legal_actions)
    3
    >>> print(play.legal_actions[0])
    discard 1z
"""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Any, NamedTuple, Protocol

from rules.games import find_game, rules_of
from rules.geometry import Place, Seat
from rules.play import Match
from rules.setup import Setup
from rules.steps import Choose, DrawLot, Outcome, ReturnLots, Step, Throw, TurnUp
from rules.tiles import Face


class Chance(Protocol):
    """A source of random numbers: `random.Random`, `random.SystemRandom` or the module `random`."""

    def randint(self, a: int, b: int, /) -> int: ...

    def shuffle(self, x: MutableSequence[Any], /) -> None: ...


class Dealt(NamedTuple):
    """A finished set-up, and the face of the tile at each place of it."""

    setup: Setup
    tiles: dict[Place, Face]


def new_hand(
    game: str,
    chance: Chance,
    *,
    players: int | None = None,
    dealer: Seat | None = None,
    parameters: Any = None,
    match: Match | None = None,
) -> Any:
    """Returns a play of that game from a shuffled set, before its first action.

    Without `players`, `dealer` or `parameters` the game's defaults apply; a hand of a match has the
    players and the dealer of the match. Raises IllegalSetupError for a game, a number of players
    or a dealer that does not exist.
    """
    if match is not None:
        players = len(match.scores) if players is None else players
        dealer = match.dealer if dealer is None else dealer
    dealt = deal(game, chance, players=players, dealer=dealer or 0, parameters=parameters)
    return rules_of(game).start(dealt.setup, dealt.tiles, match)


def deal(
    game: str,
    chance: Chance,
    *,
    players: int | None = None,
    dealer: Seat = 0,
    parameters: Any = None,
) -> Dealt:
    """Returns a finished set-up from a shuffled set, with random dice, lots and indicator.

    A question that the tiles decide (how many flores a hand has) is answered from the tiles; any
    other
    choice is the game's default. Raises IllegalSetupError as `new_hand` does.
    """
    setup = find_game(game).setup(players=players, dealer=dealer, parameters=parameters)
    faces = list(setup.game.tiles.faces)
    chance.shuffle(faces)
    tiles = dict(zip(setup.layout.places, faces, strict=True))
    while (step := setup.pending) is not None:
        if isinstance(step, ReturnLots):
            _mix(step, tiles, chance)
        setup = setup.apply(_outcome(step, setup, tiles, chance))
    return Dealt(setup, tiles)


def before_next_hand(game: str, match: Match, chance: Chance) -> Match:
    """Returns the match ready for its next hand, with seats drawn and the bank offered if due.

    Dice are random, and every choice is the game's default.
    """
    drawing = rules_of(game).before_hand(match)
    if drawing is None:
        return match
    step = next(drawing)
    while True:
        try:
            step = drawing.send(step.check(_by_chance(step, chance)))
        except StopIteration as end:
            settled: Match = end.value.match
            return settled


def _outcome(step: Step, setup: Setup, tiles: dict[Place, Face], chance: Chance) -> Outcome:
    match step:
        case TurnUp(place=place) | DrawLot(place=place):
            return tiles[place]
        case Choose():
            true = rules_of(setup.game.name).answers(setup, tiles)
            return step.default if true is None else true
    return _by_chance(step, chance)


def _by_chance(step: Step, chance: Chance) -> Outcome:
    match step:
        case Throw():
            return tuple(chance.randint(1, 6) for _ in range(step.dice * step.times))
        case Choose():
            return step.default
    return None


def _mix(step: ReturnLots, tiles: dict[Place, Face], chance: Chance) -> None:
    """Shown lots are mixed with the boneyard before others are drawn (C5)."""
    faces = [tiles[place] for place in step.boneyard]
    chance.shuffle(faces)
    tiles.update(zip(step.boneyard, faces, strict=True))
