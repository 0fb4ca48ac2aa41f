"""The judge case of a recorded hand: the tiles on the table when its winner claimed the win."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from rules.games.wenzhou.actions import Win
from rules.games.wenzhou.judging.win_claim import claim_of
from rules.games.wenzhou.play import WenzhouPlay
from rules.games.wenzhou.position.state import Position, Stage
from rules.geometry import Seat
from rules.judging.judge_registry import RecordedAct, no_case
from rules.steps import Facts


def recorded_case(
    acts: Sequence[RecordedAct], play: WenzhouPlay, seat: Seat | None = None
) -> Facts:
    """The keys of the case of a hand's win; `seat` has no effect. Raises RulesError.

    A hand without a win has no case, and neither has a win with unknown tiles.
    """
    settlement = play.position.settlement
    if settlement is None or settlement.winner is None:
        raise no_case("no seat has won it")
    winner = settlement.winner
    before, action = _winning_act(acts)
    claims = {act.seat: act for act in (*before.answers, action) if isinstance(act, Win)}
    claim = claim_of(before, winner, claims[winner].shows)
    if claim is None or before.deal.caishen.face is None:
        raise no_case("tiles of the win are not recorded")
    stakes = before.deal.stakes
    taken = before.stage is not Stage.ACT
    facts: Facts = {
        "indicator": before.deal.caishen.face,
        "hand": [*claim.hand, claim.tile],
        "seat": winner,
        "tile": claim.tile,
        "by": claim.by,
        "melds": [list(meld.faces) for meld in claim.melds],
        "dealer": stakes.dealer,
        "streak": stakes.streak,
        "first_turn": claim.first_turn,
        "undisturbed": claim.undisturbed,
    }
    if taken:
        facts["discarder"] = before.turn
        facts["claims"] = [_rival(before, win) for win in claims.values() if win.seat != winner]
    return facts


def _winning_act(acts: Sequence[RecordedAct]) -> tuple[Position, object]:
    """The position before the action that ended the hand with a win, and that action."""
    for (before, action), (after, _) in itertools.pairwise(acts):
        if after.position.settlement is not None:
            return before.position, action
    before, action = acts[-1]
    return before.position, action


def _rival(before: Position, win: Win) -> Facts:
    """Another seat that claimed the same tile. Raises RulesError for unknown tiles."""
    claim = claim_of(before, win.seat, win.shows)
    if claim is None:
        raise no_case(f"tiles of seat {win.seat}, which claimed the win too, are not recorded")
    melds = [list(meld.faces) for meld in claim.melds]
    return {"seat": win.seat, "hand": list(claim.hand), "melds": melds}
