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

from collections.abc import Mapping, MutableSequence, Sequence
from typing import Any, NamedTuple, Protocol

from rules.errors import IllegalSetupError
from rules.games import find_game, rules_of
from rules.geometry import Place, Seat
from rules.play import Match
from rules.setup import Setup
from rules.steps import Choose, DrawLot, Outcome, ReturnLots, Step, Throw, TurnUp
from rules.tiles import Face

_WITH_THE_SAME_DICE = 6
_ATTEMPTS = 40 * _WITH_THE_SAME_DICE
"""The most set-ups that `from_hands` runs; most hands are dealt in the second or third."""


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

    A question that the tiles decide (how many flores a hand has) is answered from the tiles. Every
    other choice is the game's default. Raises IllegalSetupError as `new_hand` does.
    """
    setup = find_game(game).setup(players=players, dealer=dealer, parameters=parameters)
    faces = list(setup.game.tiles.faces)
    chance.shuffle(faces)
    return _settled(setup, dict(zip(setup.layout.places, faces, strict=True)), chance)


def _settled(setup: Setup, tiles: dict[Place, Face], chance: Chance) -> Dealt:
    """Runs the set-up to its end with these tiles."""
    while (step := setup.pending) is not None:
        if isinstance(step, ReturnLots):
            _mix(step, tiles, chance)
        setup = setup.apply(_outcome(step, setup, tiles, chance))
    return Dealt(setup, tiles)


def from_hands(
    game: str,
    hands: Mapping[Seat, Sequence[Face | None]],
    chance: Chance,
    *,
    players: int | None = None,
    dealer: Seat = 0,
    parameters: Any = None,
    match: Match | None = None,
) -> Any:
    """Returns a play of that game in which these seats were dealt these tiles.

        >>> from random import Random
        >>> from rules import from_hands
        >>> play = from_hands("block", {2: "6-6 6-5 6-4 6-3 6-2".split()}, Random(1))
        >>> play.hands[2]
        ('6-6', '6-5', '6-4', '6-3', '6-2')

    A hand names its tiles in the order in which they are dealt; None, a seat that is not named, the
    dice, the wall and the boneyard are random. The hands are those at the end of the set-up, after
    flores were replaced. Raises IllegalSetupError for hands that cannot be dealt, and as
    `new_hand` does.
    """
    start = find_game(game).setup(players=players, dealer=dealer, parameters=parameters)
    faces = list(start.game.tiles.faces)
    chance.shuffle(faces)
    tiles = dict(zip(start.layout.places, faces, strict=True))
    for attempt in range(_ATTEMPTS):
        # The places of a hand can depend on the tiles (a setter, replaced flores). The set-up is
        # therefore repeated with the same dice, until it deals the requested hands. After some
        # attempts it gets new dice, because the dice decide which seat gets one tile more.
        if attempt % _WITH_THE_SAME_DICE == 0:
            repeated = _RepeatedChance(chance)
        repeated.begin()
        dealt = _settled(start, dict(tiles), repeated)
        wrong = _differing(dealt, hands)
        if not wrong:
            return rules_of(game).start(dealt.setup, dealt.tiles, match)
        tiles = _exchanged(tiles, dealt, hands)
    raise IllegalSetupError(f"These hands of {game} cannot be dealt: {wrong}")


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


class _RepeatedChance:
    """Returns the numbers of another source, and after each `begin` the same numbers again."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self._numbers: list[int] = []
        self._orders: list[list[int]] = []
        self._number = self._order = 0

    def begin(self) -> None:
        self._number = self._order = 0

    def randint(self, a: int, b: int, /) -> int:
        if self._number == len(self._numbers):
            self._numbers.append(self._chance.randint(a, b))
        self._number += 1
        return self._numbers[self._number - 1]

    def shuffle(self, x: MutableSequence[Any], /) -> None:
        if self._order == len(self._orders):
            order = list(range(len(x)))
            self._chance.shuffle(order)
            self._orders.append(order)
        x[:] = [x[at] for at in self._orders[self._order]]
        self._order += 1


def _differing(dealt: Dealt, hands: Mapping[Seat, Sequence[Face | None]]) -> str:
    """The first difference between the dealt and the requested hands; "" if there is none."""
    for seat, hand in hands.items():
        places = dealt.setup.hands.get(seat, ())
        if len(places) != len(hand):
            return f"seat {seat} is dealt {len(places)} tiles; {len(hand)} are named."
        for place, face in zip(places, hand, strict=True):
            if face is not None and dealt.tiles[place] != face:
                return f"seat {seat} is dealt {dealt.tiles[place]} instead of {face}."
    return ""


def _exchanged(
    tiles: dict[Place, Face], dealt: Dealt, hands: Mapping[Seat, Sequence[Face | None]]
) -> dict[Place, Face]:
    """Exchanges tiles so that these seats get these hands.

    Raises IllegalSetupError if the hands name a tile more often than the set contains it.
    """
    tiles, fixed = dict(tiles), set[Place]()
    asked = [
        (place, face)
        for seat, hand in hands.items()
        for place, face in zip(dealt.setup.hands.get(seat, ()), hand, strict=False)
        if face is not None
    ]
    fixed.update(place for place, face in asked if tiles[place] == face)
    for place, face in asked:
        if tiles[place] != face:
            other = next(
                (at for at, each in tiles.items() if each == face and at not in fixed), None
            )
            if other is None:
                raise IllegalSetupError(
                    f"The hands name '{face}' more often than the set has it; name other tiles."
                )
            tiles[place], tiles[other] = face, tiles[place]
            fixed.add(place)
    return tiles


def _outcome(step: Step, setup: Setup, tiles: dict[Place, Face], chance: Chance) -> Outcome:
    match step:
        case TurnUp(place=place) | DrawLot(place=place):
            return tiles[place]
        case Choose():
            answer = rules_of(setup.game.name).answers(setup, tiles)
            return step.default if answer is None else answer
    return _by_chance(step, chance)


def _by_chance(step: Step, chance: Chance) -> Outcome:
    match step:
        case Throw():
            return tuple(chance.randint(1, 6) for _ in range(step.dice * step.times))
        case Choose():
            return step.default
    return None


def _mix(step: ReturnLots, tiles: dict[Place, Face], chance: Chance) -> None:
    """Mixes the returned lots with the rest of the boneyard before seats draw again (C5)."""
    faces = [tiles[place] for place in step.boneyard]
    chance.shuffle(faces)
    tiles.update(zip(step.boneyard, faces, strict=True))
