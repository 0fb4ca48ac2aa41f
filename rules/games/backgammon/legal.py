"""What is legal in a game of backgammon: the view of it, and the sentence against what is not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from typing import Literal, Protocol, get_args

from rules.dice import Dice
from rules.games.backgammon.actions import Action, Cube, Move, Roll
from rules.games.backgammon.moves import Option
from rules.games.backgammon.setup import SEATS, Parameters
from rules.geometry import Seat
from rules.objections import Objection
from rules.play import IllegalActionError, LegalActions
from rules.well_typed import why_ill_typed

HIGHEST = 64
"""The cube's last face."""
_CLASSES = get_args(Action)


class Position(Protocol):
    """What legality asks of a game in progress; `BackgammonPlay` is one."""

    @property
    def parameters(self) -> Parameters: ...

    @property
    def turn(self) -> Seat: ...

    @property
    def dice(self) -> Dice | None: ...

    @property
    def doubling(self) -> bool: ...

    @property
    def cube(self) -> int: ...

    @property
    def owner(self) -> Seat | None: ...

    @property
    def offer(self) -> Literal["double", "beaver"] | None: ...

    @property
    def to_act(self) -> tuple[Seat, ...]: ...

    @property
    def winner(self) -> Seat | None: ...

    @property
    def wants_dice(self) -> bool: ...

    @property
    def options(self) -> list[Option]: ...

    @property
    def moves(self) -> tuple[Move, ...]: ...

    def move(self, option: Option) -> Move: ...

    def option(self, move: Move) -> Option | Objection: ...


class Offered(LegalActions[Action]):
    """The legal actions of a game; one of them by its number is made without the others.

    It asks the play itself: a view is made for every action, and functions for it would take
    longer than what they are asked.
    """

    __slots__ = ("_play",)

    def __init__(self, play: Position) -> None:
        self._play = play

    def _all(self) -> tuple[Action, ...]:
        play = self._play
        return said(play) if play.dice is None else play.moves

    def __iter__(self) -> Iterator[Action]:
        return iter(self._all())

    def __contains__(self, action: object) -> bool:
        return against(self._play, action) is None

    def require(self, action: Action) -> Action:
        """The action itself. Raises IllegalAction with the sentence against it."""
        sentence = against(self._play, action)
        if sentence is not None:
            raise IllegalActionError(sentence)
        return action

    def __len__(self) -> int:
        play = self._play
        return len(said(play) if play.dice is None else play.options)

    def _one(self, number: int) -> Action:
        play = self._play
        return said(play)[number] if play.dice is None else play.move(play.options[number])


def against(play: Position, action: object) -> str | None:
    """The sentence against an action, or None if it is legal."""
    if isinstance(action, Move):
        option = play.option(action)
        return option.sentence if isinstance(option, Objection) else None
    wrong = why_ill_typed(action, _CLASSES, "backgammon")
    if wrong is not None:
        return wrong
    if isinstance(action, Roll) and play.wants_dice and action.seat == play.turn:
        if action.dice in _faces():
            return None
        return f"Two dice show 1 to 6 each, not {' and '.join(map(str, action.dice))}."
    if play.winner is not None:
        return "The game is over."
    assert isinstance(action, Roll | Cube)
    (seat,) = play.to_act
    if action.seat != seat:
        return f"It is seat {seat}'s turn, not seat {action.seat}'s."
    if play.dice is not None:
        return f"Seat {seat} has thrown {play.dice[0]}-{play.dice[1]} and has to move."
    if isinstance(action, Roll):
        return f"The {play.offer} has to be answered before the dice are thrown."
    return None if action in said(play) else _against_cube(play, action)


def said(play: Position) -> tuple[Action, ...]:
    """What may be said where no dice lie: every throw, and what concerns the cube."""
    if play.winner is not None:
        return ()
    if play.offer is None:
        doubles = play.doubling and play.owner in (None, play.turn) and play.cube < HIGHEST
        return (*_throws(play.turn), Cube(play.turn, "double")) if doubles else _throws(play.turn)
    (seat,) = play.to_act
    answers: tuple[Action, ...] = (Cube(seat, "take"), Cube(seat, "drop"))
    beaver = play.parameters.beavers and play.offer == "double" and 4 * play.cube <= HIGHEST
    return (*answers, Cube(seat, "beaver")) if beaver else answers


@cache
def _throws(seat: Seat) -> tuple[Action, ...]:
    return tuple(Roll(seat, faces) for faces in _faces())


def is_listed_throw(action: Action) -> bool:
    """Whether an action is one of the very throws that are listed, and so well formed.

    A throw of that value made elsewhere is as good, and is checked field by field.
    """
    return id(action) in _listed_throws()


@cache
def _listed_throws() -> frozenset[int]:
    # The throws are kept by `_throws` for good, so that no other object gets their identity.
    return frozenset(id(roll) for seat in range(SEATS) for roll in _throws(seat))


@cache
def _faces() -> Mapping[Dice, None]:
    """What two dice can show, each as likely as another: in order, and quick to look up."""
    return dict.fromkeys(product(range(1, 7), repeat=2))


def _against_cube(play: Position, action: Cube) -> str:
    if action.says != "double":
        offers = " or ".join(str(said) for said in said(play) if isinstance(said, Cube))
        waiting = f"the {play.offer} wants {offers}" if play.offer else "nobody has doubled"
        return f"'{action}' answers nothing here: {waiting}."
    if play.offer is not None:
        return f"The {play.offer} has to be answered first."
    if not play.doubling:
        return "There is no doubling in this game."
    if play.cube >= HIGHEST:
        return f"The cube shows {play.cube}, its last face."
    return f"The cube is seat {play.owner}'s, who alone may double."
