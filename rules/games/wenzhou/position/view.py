"""The view of one seat on a hand of Wenzhou mahjong: its own tiles and all open tiles."""

from __future__ import annotations

from dataclasses import replace

from rules.games.wenzhou.discards.discard_check import Taken
from rules.games.wenzhou.play import WenzhouPlay
from rules.games.wenzhou.position.state import Position, SeatHand, Stage, after
from rules.games.wenzhou.setup import SEATS
from rules.geometry import Seat


def view(play: WenzhouPlay, seat: Seat) -> WenzhouPlay:
    """The play with the wall and the concealed tiles of the other seats unknown.

    While a tile is on offer, every other seat could have a claim, as far as this seat can know. The
    hand of a winner is open.
    """
    position = play.position
    settlement = position.settlement
    winner = None if settlement is None else settlement.winner
    seats = tuple(
        hand if owner in (seat, winner) else _hidden(hand)
        for owner, hand in enumerate(position.seats)
    )
    own_turn = position.turn == seat or position.stage in (Stage.CLAIM, Stage.ROB)
    return WenzhouPlay(
        replace(
            position,
            deal=replace(position.deal, tiles={}),
            seats=seats,
            tile=position.tile if own_turn else None,
            asked=_asked(position, seat),
            trail=tuple(
                Taken(event.seat) if isinstance(event, Taken) and event.seat != seat else event
                for event in position.trail
            ),
        )
    )


def _hidden(hand: SeatHand) -> SeatHand:
    return replace(hand, tiles=(None,) * len(hand.tiles))


def _asked(position: Position, seat: Seat) -> tuple[Seat, ...]:
    """The seats that could still answer, as far as the viewing seat can know."""
    if position.stage not in (Stage.CLAIM, Stage.ROB):
        return position.asked
    answered = {answer.seat for answer in position.answers}
    order = (after(position.turn, step) for step in range(1, SEATS))
    return tuple(
        other
        for other in order
        if other in position.asked
        or (other not in answered and other != seat and not position.seats[other].dead)
    )
