"""The tiles of a hand of dominoes that every person at the table sees."""

from __future__ import annotations

from collections.abc import Sequence

from rules.games.dominoes.actions import DominoAction, Lay
from rules.games.dominoes.play import DominoPlay
from rules.open_tiles import OpenFact, OpenSet, OpenTiles, PlayedTile


def open_tiles(begun: DominoPlay, taken: Sequence[tuple[DominoAction, DominoPlay]]) -> OpenTiles:
    """The line of tiles with the joint of each, its open ends, and hands shown after the end."""
    play = taken[-1][1] if taken else begun
    hands = (
        OpenSet(seat, "hand", tuple(tile for tile in hand if tile is not None))
        for seat, hand in enumerate(play.hands)
        if play.ended
    )
    return OpenTiles(
        played=tuple(
            PlayedTile(action.seat, action.tile, str(action).removeprefix(action.tile).strip())
            for action, _ in taken
            if isinstance(action, Lay)
        ),
        sets=tuple(hand for hand in hands if hand.faces),
        facts=(OpenFact("open ends", str(play.tableau)),),
    )
