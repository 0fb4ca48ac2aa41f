"""The open tiles of a hand as a part of the status, for those who see all and for players."""

from __future__ import annotations

from typing import TYPE_CHECKING

from controller.service.status import (
    OpenFactStatus,
    OpenSetStatus,
    OpenTilesStatus,
    PlayedTileStatus,
    PlayersPicture,
    SceneStatus,
)
from controller.service.status.players_view import places_of_tiles
from rules.open_tiles import OpenFact, OpenSet, OpenTiles, mixed, tiles_before

if TYPE_CHECKING:
    from controller.run.daemon import Daemon


class OpenTilesView:
    """Converts the open tiles of the hand in play, once for each change."""

    def __init__(self) -> None:
        self._last: tuple[OpenTiles | None, OpenTilesStatus | None] = (None, None)

    def status(self, tiles: OpenTiles | None) -> OpenTilesStatus | None:
        """The open tiles for the status; None if the table follows no hand."""
        if self._last[0] is not tiles:
            self._last = tiles, None if tiles is None else _status(tiles)
        return self._last[1]


def _status(tiles: OpenTiles) -> OpenTilesStatus:
    return OpenTilesStatus(
        played=tuple(
            PlayedTileStatus(seat=each.seat, face=each.face or "", joined=each.joined)
            for each in tiles.played
        ),
        sets=tuple(map(_set, tiles.sets)),
        facts=tuple(map(_fact, tiles.facts)),
    )


def _set(each: OpenSet) -> OpenSetStatus:
    return OpenSetStatus(
        seat=each.seat,
        name=each.name,
        faces=tuple(face or "" for face in each.faces),
        claimed=each.claimed,
        source=each.source,
    )


def _fact(each: OpenFact) -> OpenFactStatus:
    return OpenFactStatus(name=each.name, text=each.text, seat=each.seat)


def players_picture(daemon: Daemon | None, scene: SceneStatus) -> PlayersPicture | None:
    """What players receive in place of some parts of the status.

    None if they may see all: if the discards do not lie mixed, or the table follows no hand.
    """
    if daemon is None or (hand := daemon.hand) is None or not hand.mixes_discards:
        return None
    number, deal = daemon.run_state.ledger.on_top, daemon.deal
    if number is None or deal is None:
        return None
    hands = daemon.run_state.ledger.sets[number].hands
    before = tiles_before(hand.open_tiles, {seat: len(places) for seat, places in hands.items()})
    gone = {str(place) for places in hands.values() for place in places}
    dealt = {
        seat: [str(place) for place in places if str(place) in gone]
        for seat, places in deal.setup.hands.items()
    }
    known = {place for places in dealt.values() for place in places}
    drawn = [str(place) for place in hand.drawn if str(place) in gone]
    # Tiles that came otherwise, such as flores that were turned up for mano, are in no action.
    other = sorted(gone - known - set(drawn))
    values = places_of_tiles(dealt, [*other, *drawn], before, hand.to_act)
    shown = {at: value for at, value in scene.places.items() if not value.startswith("seat ")}
    tiles = mixed(hand.open_tiles)
    return PlayersPicture(
        open_tiles=OpenTilesStatus(
            pool=tuple(face or "" for face in tiles.pool),
            sets=tuple(map(_set, tiles.sets)),
            facts=tuple(map(_fact, tiles.facts)),
        ),
        places=dict(sorted({**values, **shown}.items())),
        tiles=before,
    )
