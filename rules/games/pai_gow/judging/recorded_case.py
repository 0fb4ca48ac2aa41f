"""The judge case of a recorded hand: one player against the bank."""

from __future__ import annotations

from collections.abc import Sequence

from rules.games.pai_gow.play import Hand, PaiGowPlay
from rules.games.pai_gow.ranking.split import Split
from rules.geometry import Seat
from rules.judging.judge_registry import RecordedAct, no_case
from rules.steps import Facts


def recorded_case(acts: Sequence[RecordedAct], play: PaiGowPlay, seat: Seat | None = None) -> Facts:
    """The keys of the case of one player's bet; without `seat`, of the first player who bet.

    Raises RulesError for a seat without a bet, and for a hand that was not shown.
    """
    betting = [player for player in play.players if play.stakes[player] > 0]
    if seat is None and betting:
        seat = betting[0]
    if seat not in betting:
        who = "no seat" if seat is None else f"seat {seat}"
        raise no_case(f"{who} has bet against the bank at seat {play.banker}")
    bet = play.stakes[seat]
    if bet != int(bet):
        raise no_case(f"the bet of {bet} is not a whole number")
    player, banker = (_shown(play.hands[each], each) for each in (seat, play.banker))
    return {
        "player": list(player.tiles),
        "banker": list(banker.tiles),
        "player_set": str(player),
        "banker_set": str(banker),
        "bet": int(bet),
        "seat": seat,
        "dealer": play.banker,
    }


def _shown(hand: Hand, seat: Seat) -> Split:
    if hand.split is None:
        raise no_case(f"the tiles of seat {seat} were not shown")
    return hand.split
