"""Simulated players of pai gow: functions from a play and a seat to an action."""

from __future__ import annotations

from rules.games.pai_gow.actions import Action, Call, SetHand
from rules.games.pai_gow.optimum import Role, optimum
from rules.games.pai_gow.play import PaiGowPlay
from rules.geometry import Seat


def sensible(play: PaiGowPlay, seat: Seat) -> Action:
    """Returns the action of a player who sets hands by the house way.

    A hand with unknown tiles is set without faces, and its result is called as a push. Raises
    IllegalActionError for a seat that cannot act.
    """
    hand = play.hands[seat]
    if not hand.is_set:
        split = play.house_split(hand.known) if hand.is_known else None
        return play.legal_actions.require(SetHand(seat, split))
    caller = play.to_act[0] if seat in play.to_act else seat
    return play.legal_actions.require(Call(caller, "push"))


def best(play: PaiGowPlay, seat: Seat) -> Action:
    """Returns the action of a player who sets the split with the best expected result.

    The expectation is against the house way. Everything else is as in `sensible`.
    """
    hand = play.hands[seat]
    if hand.is_set or not hand.is_known or seat in play.parameters.house_seats:
        return sensible(play, seat)
    role: Role = "banker" if seat == play.banker else "player"
    split = optimum(
        hand.known, against=play.parameters.house_way, parameters=play.parameters, role=role
    )
    return play.legal_actions.require(SetHand(seat, split))
