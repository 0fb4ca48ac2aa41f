"""The judge case of a recorded hand: who went out first, and the bid, for the payments."""

from __future__ import annotations

from collections.abc import Sequence

from rules.games.da_san.play import DaSanPlay
from rules.geometry import Seat
from rules.judging.judge_registry import RecordedAct, no_case
from rules.steps import Facts


def recorded_case(acts: Sequence[RecordedAct], play: DaSanPlay, seat: Seat | None = None) -> Facts:
    """The keys of the case of a hand's payments; `seat` has no effect. Raises RulesError."""
    if play.winner is None or play.bidder is None:
        raise no_case("no seat has gone out")
    facts: Facts = {"bidder": play.bidder, "bid": play.auction.bid, "out": play.winner}
    return facts | ({"doubled": True} if play.doubled else {})
