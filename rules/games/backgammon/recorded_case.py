"""The judge case of a recorded game: the move that ended it."""

from __future__ import annotations

from collections.abc import Sequence

from rules.games.backgammon.actions import Move
from rules.games.backgammon.play import BackgammonPlay
from rules.geometry import Seat
from rules.judging.judge_registry import RecordedAct, no_case
from rules.steps import Facts


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
