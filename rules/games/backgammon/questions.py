"""Rulings of backgammon besides a move: the doubling cube (section 4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal

from rules.games.backgammon.actions import Cube
from rules.games.backgammon.board import START_BOARD
from rules.games.backgammon.legal import HIGHEST, why_not
from rules.games.backgammon.match import BackgammonMatch
from rules.games.backgammon.play import BackgammonPlay
from rules.games.backgammon.setup import SEATS, Parameters
from rules.geometry import Seat
from rules.judging.judge_checks import check_range, check_seats, refuse
from rules.judging.judge_registry import Verdict

VALUES: Final = tuple(2**power for power in range(7))


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
        if self.cube not in VALUES:
            yield f"cube: The cube shows 1, 2, 4 ... {HIGHEST}, not {self.cube}."
        if len(self.scores) != SEATS:
            yield f"scores: Give the points of both seats, not {self.scores}."
        to = self.parameters.match_points
        for points in self.scores:
            yield from check_range("scores", points, 0, to - 1 if to else 10**6, "match_points")
        if not self._has_cube and (self.cube, self.owner, self.offer) != (1, None, None):
            yield "cube: This game has no doubling cube (parameter `doubling_cube`, Crawford game)."
        if self.owner is not None and self.cube == 1:
            yield "owner: A cube that shows 1 has not been turned, so nobody owns it."
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
