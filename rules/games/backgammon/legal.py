"""What is legal in a game of backgammon: the view of it, and the sentence against what is not."""

from __future__ import annotations

from functools import cache, partial
from itertools import product
from typing import TYPE_CHECKING

from rules.games.backgammon.actions import Action, Cube, Move, Roll
from rules.geometry import Seat
from rules.play import LegalActions

if TYPE_CHECKING:
    from rules.games.backgammon.play import BackgammonPlay

HIGHEST = 64
"""The cube's last face."""
_FACES = tuple(product(range(1, 7), repeat=2))
"""What two dice can show, each as likely as another."""


class Offered(LegalActions[Action]):
    """The legal actions of a game, by number too: a random player makes one and not all of them."""

    __slots__ = ("_play",)

    def __init__(self, play: BackgammonPlay) -> None:
        super().__init__(partial(against, play), lambda: map(self.__getitem__, range(len(self))))
        self._play = play

    def __len__(self) -> int:
        play = self._play
        return len(_said(play)) if play.dice is None else len(play.options)

    def __getitem__(self, number: int) -> Action:
        play = self._play
        return _said(play)[number] if play.dice is None else play.move(play.options[number])


def against(play: BackgammonPlay, action: Action) -> str | None:
    """The sentence against an action, or None if it is legal."""
    if isinstance(action, Roll) and play.wants_dice and action.seat == play.turn:
        if action.dice in _FACES:
            return None
        return f"Two dice show 1 to 6 each, not {' and '.join(map(str, action.dice))}."
    if isinstance(action, Move):
        option = play.option(action)
        return option if isinstance(option, str) else None
    if play.winner is not None:
        return "The game is over."
    if not isinstance(action, Roll | Cube):
        return f"{action!r} is no action of backgammon."
    (seat,) = play.to_act
    if action.seat != seat:
        return f"It is seat {seat}'s turn, not seat {action.seat}'s."
    if play.dice is not None:
        return f"Seat {seat} has thrown {play.dice[0]}-{play.dice[1]} and has to move."
    if isinstance(action, Roll):
        return f"The {play.offer} has to be answered before the dice are thrown."
    return None if action in _said(play) else _against_cube(play, action)


def _said(play: BackgammonPlay) -> tuple[Action, ...]:
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
    return tuple(Roll(seat, faces) for faces in _FACES)


def _against_cube(play: BackgammonPlay, action: Cube) -> str:
    if action.says != "double":
        offers = " or ".join(str(said) for said in _said(play) if isinstance(said, Cube))
        waiting = f"the {play.offer} wants {offers}" if play.offer else "nobody has doubled"
        return f"'{action}' answers nothing here: {waiting}."
    if play.offer is not None:
        return f"The {play.offer} has to be answered first."
    if not play.doubling:
        return "There is no doubling in this game."
    if play.cube >= HIGHEST:
        return f"The cube shows {play.cube}, its last face."
    return f"The cube is seat {play.owner}'s, who alone may double."
