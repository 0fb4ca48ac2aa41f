"""The tiles of a hand of Wenzhou mahjong that every person at the table sees."""

from __future__ import annotations

from typing import Final

from rules.games.wenzhou.actions import Discard, Show, WenzhouAction
from rules.games.wenzhou.play import WenzhouPlay
from rules.games.wenzhou.position.state import Stage
from rules.geometry import Seat
from rules.open_tiles import ClaimedDiscards, OpenSet
from rules.tiles import Face


def _discarded(action: WenzhouAction) -> tuple[Face, ...]:
    return (action.face,) if isinstance(action, Discard) else ()


def _is_on_offer(play: WenzhouPlay) -> bool:
    return play.position.stage is Stage.CLAIM


def _melds(play: WenzhouPlay) -> tuple[tuple[OpenSet, ...], ...]:
    """The sets by seat; a kong of four own tiles lies open as well, because it is named."""
    return tuple(
        tuple(
            OpenSet(seat, f"{'concealed ' * meld.concealed}{meld.what}", meld.faces)
            for meld in hand.melds
        )
        for seat, hand in enumerate(play.position.seats)
    )


def _others(play: WenzhouPlay) -> tuple[OpenSet, ...]:
    """A tile that is being added to a pong, and the winner's hand."""
    position, winner = play.position, _winner(play)
    added = position.tile if position.stage is Stage.ROB else None
    return (
        *((OpenSet(position.turn, "added", (added,)),) if added is not None else ()),
        *((OpenSet(winner, "hand", position.seats[winner].tiles),) if winner is not None else ()),
    )


def _winner(play: WenzhouPlay) -> Seat | None:
    settlement = play.position.settlement
    return None if settlement is None else settlement.winner


def _shown(action: WenzhouAction) -> tuple[Face, ...]:
    return action.tiles if isinstance(action, Show) else ()


OPEN_TILES: Final = ClaimedDiscards(
    discarded=_discarded,
    on_offer=_is_on_offer,
    melds=_melds,
    others=_others,
    winner=_winner,
    shown=_shown,
)
"""The tiles that all see, from the plays of a hand."""
