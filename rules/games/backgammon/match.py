"""A backgammon match to a number of points, or unlimited money play; the Crawford game."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rules.games.backgammon.setup import SEATS, Parameters
from rules.geometry import Seat
from rules.play import Finished, IllegalActionError


@dataclass(frozen=True)
class BackgammonMatch:
    """The points so far. `crawford_past` is true once the Crawford game has been played.

    `dealer` throws the opening die first; the dice decide who begins.
    """

    parameters: Parameters
    scores: tuple[int, ...] = (0,) * SEATS
    dealer: Seat = 0
    crawford_past: bool = False

    @property
    def over(self) -> bool:
        """Whether a player has reached the points of the match."""
        return 0 < self.parameters.match_points <= max(self.scores)

    @property
    def crawford_game(self) -> bool:
        """Whether the next game is the Crawford game.

        It is the first game after a player needs only one more point; it has no doubling cube.
        """
        to = self.parameters.match_points
        last = self.parameters.crawford and to > 1 and max(self.scores) == to - 1
        return last and not self.crawford_past

    @property
    def has_cube(self) -> bool:
        """Whether the next game has a doubling cube."""
        return self.parameters.doubling_cube and not self.crawford_game

    def after(self, play: Finished) -> BackgammonMatch:
        """Returns the match with the points of a finished game. Raises IllegalActionError."""
        settled = play.settlement
        if settled is None or settled.winner is None:
            raise IllegalActionError(
                "The game is not over; finish it before its points are added to the match."
            )
        scores = list(self.scores)
        scores[settled.winner] += settled.multiplier
        return replace(
            self,
            scores=tuple(scores),
            crawford_past=self.crawford_past or self.crawford_game,
        )


def begin(
    parameters: Parameters | None = None, players: int = SEATS, dealer: Seat = 0
) -> BackgammonMatch:
    """A match before its first game."""
    return BackgammonMatch(parameters or Parameters(), (0,) * players, dealer)


begin_match = begin
"""The name of this function in every game's package."""
