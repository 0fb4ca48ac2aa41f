"""The judge case of a recorded hand: its last tile, or the score of the hand at its end."""

from __future__ import annotations

from collections.abc import Sequence

from rules.games.dominoes.actions import Call, Lay
from rules.games.dominoes.play import DominoPlay
from rules.geometry import Seat
from rules.judging.judge_registry import RecordedAct, no_case
from rules.steps import Facts


def recorded_case(acts: Sequence[RecordedAct], play: DominoPlay, seat: Seat | None = None) -> Facts:
    """The keys of the case of a hand's end; `seat` has no effect. Raises RulesError.

    A hand in which the last tile or its call won the game asks about that action; any other hand
    asks for its score. A hand with unknown tiles has no case.
    """
    if play.settlement is None:
        raise no_case("it has not ended")
    if play.ended == "target":
        return _winning_act(acts)
    facts = _position(play, play.hands)
    # The points of the hand are those before its end; the case adds the score of the hand.
    return facts | {"scores": list(play.scores)}


def _winning_act(acts: Sequence[RecordedAct]) -> Facts:
    """The case of the action that won the game."""
    before, action = next(each for each in reversed(acts) if isinstance(each[1], Lay | Call))
    facts = _position(before, before.hands)
    facts |= {"tile": str(action), "seat": action.seat, "scores": list(before.scores)}
    if before.goes:
        facts["passed"] = before.goes
    return facts


def _position(play: DominoPlay, hands: Sequence[Sequence[str | None]]) -> Facts:
    """The tiles on the table and in the hands. Raises RulesError for unknown tiles."""
    if any(tile is None for hand in hands for tile in hand):
        raise no_case("tiles in the hands are not recorded")
    return {
        "layout": [str(each) for each in play.actions if isinstance(each, Lay)],
        "hands": [list(hand) for hand in hands],
        "boneyard": len(play.boneyard),
    }
