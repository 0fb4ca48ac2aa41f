"""The legal actions of a game of backgammon, and the objection to an illegal action."""

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
from rules.judging import Objection
from rules.play import IllegalActionError, LegalActions
from rules.well_typed import why_ill_typed

HIGHEST = 64
"""The largest value of the cube."""
CUBE: tuple[int, ...] = tuple(2**turns for turns in range(HIGHEST.bit_length()))
"""The values of the cube; 1 is the cube before its first turn."""
_CLASSES = get_args(Action)


class Position(Protocol):
    """The parts of a game in progress that decide which actions are legal; see `BackgammonPlay`."""

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
    """The legal actions of a game; an action picked by its number is made without the others.

    A new view is made for every action of a game. This class therefore calls the play directly:
    creating the two functions that `LegalActions` takes would cost more time than their calls.
    """

    __slots__ = ("_play",)

    def __init__(self, play: Position) -> None:
        self._play = play

    def _all(self) -> tuple[Action, ...]:
        play = self._play
        return actions_without_dice(play) if play.dice is None else play.moves

    def __iter__(self) -> Iterator[Action]:
        return iter(self._all())

    def __contains__(self, action: object) -> bool:
        return why_not(self._play, action) is None

    def require(self, action: Action) -> Action:
        """Returns the action. Raises IllegalActionError if it is not legal."""
        sentence = why_not(self._play, action)
        if sentence is not None:
            raise IllegalActionError(sentence)
        return action

    def __len__(self) -> int:
        play = self._play
        return len(actions_without_dice(play) if play.dice is None else play.options)

    def _one(self, number: int) -> Action:
        play = self._play
        if play.dice is None:
            return actions_without_dice(play)[number]
        return play.move(play.options[number])


def why_not(play: Position, action: object) -> str | None:
    """The objection to an action, or None if it is legal."""
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
    return None if action in actions_without_dice(play) else _why_cube_illegal(play, action)


def actions_without_dice(play: Position) -> tuple[Action, ...]:
    """The legal actions before the dice are thrown: every throw, and the cube actions."""
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
    """Whether an action is one of the objects that `_throws` lists, which need no check.

    An equal throw that was made elsewhere is checked field by field.
    """
    return id(action) in _listed_throws()


@cache
def _listed_throws() -> frozenset[int]:
    # `_throws` keeps the throws forever, so that no other object can get the same id.
    return frozenset(id(roll) for seat in range(SEATS) for roll in _throws(seat))


@cache
def _faces() -> Mapping[Dice, None]:
    """The 36 throws of two dice, in order; a mapping, because it is quick to look up."""
    return dict.fromkeys(product(range(1, 7), repeat=2))


def _why_cube_illegal(play: Position, action: Cube) -> str:
    if action.call != "double":
        cube_actions = [each for each in actions_without_dice(play) if isinstance(each, Cube)]
        answers = " or ".join(map(str, cube_actions))
        if play.offer is None:
            return f"'{action}' is not possible now: no double waits for an answer."
        return f"'{action}' is not possible now: answer the {play.offer} with {answers}."
    if play.offer is not None:
        return f"The {play.offer} has to be answered before another double."
    if not play.doubling:
        return "This game has no doubling cube; throw the dice."
    if play.cube >= HIGHEST:
        return f"The cube shows {play.cube}, its largest value, so it cannot be doubled."
    return f"Seat {play.owner} owns the cube; only seat {play.owner} can double."
