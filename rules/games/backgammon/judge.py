"""The judge of backgammon: a move (B1-B5, BG-04 to BG-11) and the doubling cube (section 4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from rules.errors import NotationError, RulesError
from rules.games.backgammon.actions import Action, Cube, Move, parse
from rules.games.backgammon.board import BAR, OFF, START_BOARD, BackgammonBoard, name_of
from rules.games.backgammon.legal import CUBE, HIGHEST, why_not
from rules.games.backgammon.match import BackgammonMatch
from rules.games.backgammon.moves import options
from rules.games.backgammon.play import BackgammonPlay
from rules.games.backgammon.setup import SEATS, Parameters
from rules.geometry import Seat
from rules.judging import (
    Objection,
    RecordedAct,
    Verdict,
    check_range,
    check_seats,
    no_case,
    refuse,
)
from rules.steps import Facts

NO_MOVE = "pass"
"""The text of a move for a player who cannot move."""


@dataclass(frozen=True)
class Case:
    """The position before a move, the throw, and the move.

    Raises RulesError for a case that contradicts itself.
    """

    position: str
    """The men of seat 0, a `|`, and the men of seat 1, each in its own numbering of the points:
    `24(2) 13(5) 8(3) 6(5) | bar 13(14)`. Men that are not named are off the board.
    """
    dice: tuple[int, int]
    """The throw of the seat."""
    move: str
    """The move of the seat, such as `24/18 13/10` or `bar/22*`; `pass` if the seat claims that it
    cannot move.
    """
    seat: Seat = 0
    """The seat that threw and moved."""
    cube: int = 1
    """The value of the doubling cube; 1 before it is turned."""
    owner: Seat | None = None
    """The seat that owns the cube."""
    parameters: Parameters = field(default_factory=Parameters)
    """The parameters of this house that differ from the defaults."""

    def __post_init__(self) -> None:
        refuse(check_seats({"seat": self.seat, "owner": self.owner}, SEATS))
        refuse(self._check_dice_and_cube())
        try:
            play = self.play
        except NotationError as error:
            raise RulesError(f"position: {error}") from error
        winner = play.winner
        if winner is not None:
            raise RulesError(
                f"position: Seat {winner} has no man left on the board, so the game is over; give"
                " the position before the move."
            )
        if self.move != NO_MOVE and not isinstance(self._moved, Move):
            raise RulesError(f"move: '{self.move}' is not a move; write 24/18 13/10, or 'pass'.")

    @property
    def _moved(self) -> Action:
        try:
            return parse(self.seat, self.move)
        except NotationError as error:
            raise RulesError(f"move: {error}") from error

    @property
    def play(self) -> BackgammonPlay:
        """The game before the move. Raises NotationError for an impossible position."""
        return BackgammonPlay(
            self.parameters,
            BackgammonBoard.parse(self.position),
            turn=self.seat,
            dice=self.dice,
            throws=1,
            doubling=self.parameters.doubling_cube or self.cube > 1,
            cube=self.cube,
            owner=self.owner,
        )

    def _check_dice_and_cube(self) -> Iterator[str]:
        house = self.parameters
        if not all(1 <= die <= 6 for die in self.dice):
            yield f"dice: Two dice show 1 to 6 each, not {_shown(self)}."
        if self.cube not in CUBE:
            yield (
                f"cube: The cube shows 2, 4 ... {HIGHEST}, or 1 before it is turned, not"
                f" {self.cube}."
            )
        most = 2**house.automatic_doubles
        if not house.doubling_cube and self.cube > most:
            yield (
                f"cube: This house plays without the doubling cube, so it shows {most} at most, not"
                f" {self.cube}; give `parameters: {{doubling_cube: true}}` if it does not."
            )
        if self.owner is not None and self.cube == 1:
            yield (
                f"owner: The cube shows 1, so it has not been turned and seat {self.owner} cannot"
                " own it; leave the owner out."
            )
        turned = self.cube > 2**house.automatic_doubles
        if house.jacoby and turned and self.owner is None:
            yield "owner: The cube has been turned; give the seat that owns it (Jacoby)."


def judge(case: Case) -> Verdict:
    """The verdict on the move of `case.seat`."""
    play = case.play
    if case.move == NO_MOVE:
        return _passed(case, play)
    move = parse(case.seat, case.move)
    assert isinstance(move, Move)
    option = play.option(move)
    if isinstance(option, Objection):
        stuck = () if play.options else (_stuck(case),)
        return Verdict(legal=False, reasons=(option.cited, *stuck))
    after = play.apply(move)
    reasons = (_dice_played(case, play, option), *_facts(play.move(option)))
    settlement = after.settlement
    if settlement is None:
        return Verdict(legal=True, reasons=reasons)
    why = ", ".join(settlement.reasons)
    return Verdict(
        legal=True,
        win=True,
        name=settlement.name,
        multiplier=settlement.multiplier,
        payments=settlement.payments,
        reasons=(*reasons, f"Seat {case.seat} has borne off all its men; {why} (BG-13)."),
    )


def _passed(case: Case, play: BackgammonPlay) -> Verdict:
    if not play.options:
        return Verdict(legal=True, reasons=(_stuck(case),))
    possible = play.move(play.options[0])
    reason = f"Seat {case.seat} has to move if it can; {_shown(case)} allows '{possible}' (BG-08)."
    return Verdict(legal=False, reasons=(reason,))


def _stuck(case: Case) -> str:
    bar = case.play.board.men(case.seat, BAR)
    what = "the man on the bar cannot enter" if bar else "no man can move"
    return f"With {_shown(case)} {what}; the turn passes (BG-06)."


def _dice_played(case: Case, play: BackgammonPlay, option: tuple[int, ...]) -> str:
    """The sentence that says how many dice the move plays, and why no more (B1, B2, BG-08)."""
    high, low = max(case.dice), min(case.dice)
    if high == low:
        whole = "all four moves" if len(option) == 4 else f"{len(option)} of four moves, the most"
        return f"{_shown(case)} is a doublet; '{case.move}' plays {whole} (B1, B2)."
    if len(option) == 2:
        return f"'{case.move}' plays both dice of {_shown(case)} (B2)."
    own, other = play.board[case.seat], play.board[1 - case.seat]
    either = {step >> 5 for (step,) in options(own, other, case.dice, larger=False)}
    die = option[0] >> 5
    if len(either) == 1:
        return f"Only the {die} of {_shown(case)} can be played, and the move plays it (BG-08)."
    choice = f"Either die of {_shown(case)} can be played, but not both"
    if not case.parameters.must_use_larger:
        return f"{choice}; in this house the player chooses."
    return f"{choice}: the larger, {die}, is forced (BG-08)."


def _facts(move: Move) -> list[str]:
    """Sentences about men from the bar, blots hit and men borne off."""
    entered = sum(step.source == BAR for step in move.steps)
    off = sum(step.target == OFF for step in move.steps)
    sentences = [f"Men on the bar enter first: {entered} of seat {move.seat} (BG-07)."] * bool(
        entered
    )
    sentences += [
        f"The blot on {name_of(step.target)} is hit; it goes to seat {1 - move.seat}'s bar (B5)."
        for step in move.steps
        if step.hits
    ]
    rule = "each by its number, or by a higher number from the rearmost point (BG-09)"
    return sentences + [f"All men are home; borne off: {off}, {rule}."] * bool(off)


def _shown(case: Case) -> str:
    return "-".join(map(str, case.dice))


def recorded_case(
    acts: Sequence[RecordedAct], play: BackgammonPlay, seat: Seat | None = None
) -> Facts:
    """The keys of the case of a game's last move; `seat` has no effect. Raises RulesError.

    A game that ended by a refused double has no move to judge.
    """
    if play.winner is None:
        raise no_case("it has not ended")
    before, action = acts[-1]
    if not isinstance(action, Move):
        raise no_case("it ended by a refused double and not by a move")
    facts: Facts = {
        "position": str(before.board),
        "dice": list(before.dice),
        "move": str(action),
        "seat": action.seat,
        "cube": before.cube,
    }
    return facts if before.owner is None else facts | {"owner": before.owner}


@dataclass(frozen=True)
class CubeAction:
    """Whether a seat may double, take, drop or beaver, and what follows."""

    seat: Seat
    """The seat that acts."""
    act: Literal["double", "take", "drop", "beaver"]
    """The action of the seat."""
    turn: Seat
    """The seat on turn, which has not thrown yet; the other seat answers its double."""
    cube: int = 1
    """The value of the cube before the double, 1 to 64."""
    owner: Seat | None = None
    """The seat that owns the cube; left out while it is in the middle."""
    offer: Literal["double", "beaver"] | None = None
    """The double or the beaver that waits for an answer."""
    scores: tuple[int, ...] = (0, 0)
    """The points of both seats before this game, in a match."""
    crawford_past: bool = False
    """The Crawford game of the match has been played."""
    parameters: Parameters = field(default_factory=Parameters)
    """The parameters of this house that differ from the defaults."""

    def __post_init__(self) -> None:
        refuse(check_seats({"seat": self.seat, "turn": self.turn, "owner": self.owner}, SEATS))
        refuse(self._wrong())

    def _wrong(self) -> Iterator[str]:
        if self.cube not in CUBE:
            yield f"cube: The cube shows 1, 2, 4 ... {HIGHEST}, not {self.cube}."
        if len(self.scores) != SEATS:
            yield f"scores: Give the points of both seats, not {self.scores}."
        to = self.parameters.match_points
        for points in self.scores:
            yield from check_range("scores", points, 0, to - 1 if to else 10**6, "match_points")
        if not self._has_cube and (self.cube, self.owner, self.offer) != (1, None, None):
            yield "cube: This game has no doubling cube (parameter `doubling_cube`, Crawford game)."
        if self.owner is not None and self.cube == 1:
            yield "owner: A cube that shows 1 has not been turned, so no player owns it."
        highest = 2**self.parameters.automatic_doubles
        if self.owner is None and self.cube > highest:
            yield (
                f"owner: A cube that shows {self.cube} was turned by a double; name its owner."
                f" Equal opening throws turn it to at most {highest} in this house."
            )
        if self.offer is not None and self.owner not in (None, self.turn):
            yield f"offer: Seat {self.owner} owns the cube, so seat {self.turn} has not doubled."
        if self.offer is not None and self.cube >= HIGHEST:
            yield f"offer: A cube that shows {HIGHEST} is not doubled."
        if self.offer == "beaver" and not self.parameters.beavers:
            yield "offer: This house has no beavers (parameter `beavers`)."

    @property
    def _has_cube(self) -> bool:
        match = BackgammonMatch(self.parameters, self.scores, crawford_past=self.crawford_past)
        return self.parameters.doubling_cube and not match.crawford_game

    def verdict(self) -> Verdict:
        """The verdict, valid if the action is allowed."""
        play = BackgammonPlay(
            self.parameters,
            START_BOARD,
            self.turn,
            throws=1,
            doubling=self._has_cube,
            cube=self.cube,
            owner=self.owner,
            offer=self.offer,
        )
        action = Cube(self.seat, self.act)
        why = why_not(play, action)
        if why is not None:
            return Verdict(legal=False, name="not allowed", reasons=(why,))
        after = play.apply(action)
        settled = after.settlement
        if settled is not None:
            return Verdict(
                legal=True,
                name=settled.name,
                payments=settled.payments,
                reasons=settled.reasons,
                winner=settled.winner,
            )
        if self.act == "take":
            why = f"The cube shows {after.cube}, and seat {after.owner} owns it."
        else:
            (asked,) = after.to_act
            stake = (4 if self.act == "beaver" else 2) * self.cube
            why = f"Seat {asked} answers: it plays on for {stake}, or drops and loses."
        return Verdict(legal=True, name=self.act, reasons=(why,))


QUESTIONS: Final = {"cube": CubeAction}
"""The questions besides a move, by the value of `ask`."""
