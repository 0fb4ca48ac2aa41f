"""The tiles of a hand of Filipino mahjong that every person at the table sees."""

from __future__ import annotations

from typing import Final

from rules.games.filipino.actions import Act, face_under
from rules.games.filipino.play import FilipinoPlay
from rules.games.filipino.position.hand import Meld
from rules.geometry import Seat
from rules.open_tiles import ClaimedDiscards, OpenSet
from rules.tiles import Face


def faces_of_meld(meld: Meld, joker: Face | None) -> tuple[Face | None, ...]:
    """The tiles of a set, jokers by their own face; None for each tile of a set not read."""
    if not meld.tiles:
        return (None,) * meld.size
    return tuple(face_under(tile, joker) for tile in meld.tiles)


def _discarded(act: Act) -> tuple[Face | None, ...]:
    if act.verb != "discard":
        return ()
    return act.tiles or (None,)


def _is_on_offer(play: FilipinoPlay) -> bool:
    return play.table.offer is not None and play.table.offer.added is None


def _melds(play: FilipinoPlay) -> tuple[tuple[OpenSet, ...], ...]:
    """The sets by seat; a secret kong lies face down (F23)."""
    joker = play.table.joker
    return tuple(
        tuple(
            OpenSet(seat, "secret kong", (None,) * meld.size)
            if meld.secret
            else OpenSet(seat, meld.name, faces_of_meld(meld, joker))
            for meld in hand.melds
        )
        for seat, hand in enumerate(play.table.hands)
    )


def _others(play: FilipinoPlay) -> tuple[OpenSet, ...]:
    """The flores, a tile that is being added to a pong, and the winner's hand."""
    table, winner = play.table, _winner(play)
    flores = (
        OpenSet(seat, "flores", hand.flores) for seat, hand in enumerate(table.hands) if hand.flores
    )
    added = table.offer if table.offer is not None and table.offer.added is not None else None
    return (
        *flores,
        *((OpenSet(added.by, "added", (added.face,)),) if added is not None else ()),
        *((OpenSet(winner, "hand", table.hands[winner].concealed),) if winner is not None else ()),
    )


def _winner(play: FilipinoPlay) -> Seat | None:
    return None if play.settlement is None else play.settlement.winner


OPEN_TILES: Final = ClaimedDiscards(
    discarded=_discarded, on_offer=_is_on_offer, melds=_melds, others=_others, winner=_winner
)
"""The tiles that all see, from the plays of a hand."""
