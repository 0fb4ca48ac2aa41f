"""A game of backgammon in progress: the throw, the move, the cube, and the value of the game.

The player on turn can double, if the house has a cube. Then the dice are thrown, by hand or by the
dice unit, and entered as `Roll`. A throw without a legal move passes the turn at once (BG-06).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from rules.dice import Dice
from rules.errors import IllegalSetupError
from rules.games.backgammon.actions import Action, Cube, Move
from rules.games.backgammon.board import BAR, MEN, OFF, START_BOARD, BackgammonBoard, Mask
from rules.games.backgammon.legal import Offered, is_listed_throw, why_not
from rules.games.backgammon.match import BackgammonMatch
from rules.games.backgammon.moves import HOME, Option, options_and_blots, played
from rules.games.backgammon.reading import moves_of, read
from rules.games.backgammon.results import Win, settled
from rules.games.backgammon.setup import SEATS, Parameters, automatic_doubles
from rules.geometry import Seat
from rules.judging import Objection
from rules.play import IllegalActionError, Settlement, Tiles
from rules.playing.known_tiles import known_tiles
from rules.setup import Setup
from rules.well_typed import why_ill_typed


@dataclass(frozen=True)
class BackgammonPlay:
    """A game in progress.

    `turn` is the seat that throws and moves; `dice` is its throw that has not been played yet.
    `cube` is the stake and `owner` the seat that owns the cube, None before it is turned.
    `doubling` is true if the game has a cube. `offer` is the double or the beaver that waits for an
    answer. `throws` counts the throws. `dropped` is the seat that gave the game up.
    """

    parameters: Parameters
    board: BackgammonBoard
    turn: Seat
    dice: Dice | None = None
    throws: int = 0
    doubling: bool = False
    cube: int = 1
    owner: Seat | None = None
    offer: Literal["double", "beaver"] | None = None
    dropped: Seat | None = None

    @property
    def to_act(self) -> tuple[Seat, ...]:
        if self.winner is not None:
            return ()
        return (1 - self.turn if self.offer == "double" else self.turn,)

    @property
    def winner(self) -> Seat | None:
        """The seat that has borne off all its men, or whose opponent has dropped."""
        if self.dropped is not None:
            return 1 - self.dropped
        first, second = self.board
        if first & MEN == MEN:  # the lowest four bits count the men that are off
            return 0
        return 1 if second & MEN == MEN else None

    @property
    def wants_dice(self) -> bool:
        """Whether a throw is next, unless the seat on turn doubles first."""
        return self.dice is None and self.offer is None and self.winner is None

    @property
    def legal_actions(self) -> Offered:
        return Offered(self)

    def apply(self, action: Action) -> BackgammonPlay:
        """Returns the play after an action; this value is unchanged. Raises IllegalActionError."""
        if isinstance(action, Move):
            option = self.option(action)
            if isinstance(option, Objection):
                raise IllegalActionError(str(option))
            return self._next(played(self.board, self.turn, option), 1 - self.turn)
        if not (is_listed_throw(action) and self.wants_dice and action.seat == self.turn):
            sentence = why_not(self, action)
            if sentence is not None:
                raise IllegalActionError(sentence)
        if isinstance(action, Cube):
            return self._answered(action)
        thrown = self._next(self.board, self.turn, action.dice, 1)
        return thrown if thrown.options else self._next(self.board, 1 - self.turn, None, 1)

    @property
    def settlement(self) -> Settlement | None:
        winner = self.winner
        if winner is None:
            return None
        jacoby = self.parameters.jacoby and self.doubling and self.owner is None
        on_bar = self.board.men(1 - winner, BAR)
        return settled(
            self.parameters,
            winner,
            self.win,
            self.cube,
            gammons_count=not jacoby,
            behind="on the bar" if on_bar else "in the winner's home",
        )

    @property
    def win(self) -> Win:
        """How the winner of a finished game has won (BG-13)."""
        assert self.winner is not None
        loser = 1 - self.winner
        if self.dropped is not None:
            return "dropped"
        if self.board.men(loser, OFF):
            return "single"
        behind = any(point >= BAR - HOME for point in self.board.where(loser))
        return "backgammon" if behind else "gammon"

    @property
    def options(self) -> list[Option]:
        """Every move that the dice allow, as steps (`rules.games.backgammon.moves`)."""
        return self._allowed[0]

    @property
    def moves(self) -> tuple[Move, ...]:
        """The options as actions, in the same order."""
        known: tuple[Move, ...] | None = self.__dict__.get("_moves")
        if known is None:
            known = moves_of(self.turn, *self._allowed)
            self.__dict__["_moves"] = known
        return known

    def move(self, option: Option) -> Move:
        """One of the options as an action."""
        (move,) = moves_of(self.turn, [option], self._allowed[1])
        self.__dict__["_picked"] = move, option
        return move

    def option(self, move: Move) -> Option | Objection:
        """The option that a move means, or the objection to it."""
        if self.dice is not None:
            # A move that was picked from the list needs no interpretation.
            picked: tuple[Move | None, Option] = self.__dict__.get("_picked", (None, ()))
            if picked[0] is move:
                return picked[1]
            listed: tuple[Move, ...] = self.__dict__.get("_moves", ())
            for number, known in enumerate(listed):
                if known is move:
                    return self.options[number]
        wrong = why_ill_typed(move, (Move,), "backgammon")
        if wrong is not None:
            return Objection(wrong)
        if self.winner is not None:
            return Objection("The game is over.")
        if self.dice is None:
            return Objection(f"No dice are thrown; throw before the move '{move}'.")
        if move.seat != self.turn:
            return Objection(f"It is seat {self.turn}'s turn, not seat {move.seat}'s.")
        return read(self.board, self.dice, self.options, move)

    @property
    def _allowed(self) -> tuple[list[Option], Mask]:
        """All options, and the opponent's blots; computed once."""
        # Cached in `__dict__`: `cached_property` takes a lock, which costs as much time as the view
        # of a throw.
        known: tuple[list[Option], Mask] | None = self.__dict__.get("_known")
        if known is None:
            known = [], 0
            if self.dice is not None and self.winner is None:
                turn = self.turn
                known = options_and_blots(
                    self.board[turn],
                    self.board[1 - turn],
                    self.dice,
                    larger=self.parameters.must_use_larger,
                )
            self.__dict__["_known"] = known
        return known

    def _next(
        self, board: BackgammonBoard, turn: Seat, dice: Dice | None = None, thrown: int = 0
    ) -> BackgammonPlay:
        """The play with this board and throw.

        Built without `__init__` for speed: every move of a game makes two of these values.
        """
        after = object.__new__(BackgammonPlay)
        after.__dict__.update(
            parameters=self.parameters,
            board=board,
            turn=turn,
            dice=dice,
            throws=self.throws + thrown,
            doubling=self.doubling,
            cube=self.cube,
            owner=self.owner,
            offer=None,
            dropped=None,
        )
        return after

    def _answered(self, action: Cube) -> BackgammonPlay:
        match action.call:
            case "double":
                return replace(self, offer="double")
            case "beaver":
                return replace(self, offer="beaver")
            case "take":
                times = 2 if self.offer == "double" else 4
                return replace(self, offer=None, cube=times * self.cube, owner=1 - self.turn)
        at_stake = self.cube if self.offer == "double" else 2 * self.cube
        return replace(self, offer=None, cube=at_stake, dropped=action.seat)


def start(
    setup: Setup, tiles: Tiles | None = None, match: BackgammonMatch | None = None
) -> BackgammonPlay:
    """Begins a game after its opening throw: the seat with the higher die plays both dice.

    Each pair of equal opening throws doubles the stake, up to `automatic_doubles` times. Raises
    IllegalSetupError for a set-up that is not finished, and for tiles: the game has none.
    """
    if setup.ready is None or setup.ready.begins is None:
        raise IllegalSetupError(
            "The opening throw has not decided who begins; finish the set-up first."
        )
    known_tiles(setup, tiles)
    parameters: Parameters = setup.parameters
    begins = setup.ready.begins
    faces = {step.by: outcome[0] for step, outcome in setup.throws[-SEATS:]}
    doubling = parameters.doubling_cube if match is None else match.has_cube
    return BackgammonPlay(
        parameters,
        START_BOARD,
        begins,
        dice=(faces[begins], faces[1 - begins]),
        throws=1,
        doubling=doubling,
        cube=2 ** automatic_doubles(setup) if doubling else 1,
    )
