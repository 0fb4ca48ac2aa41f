"""The open tiles of a hand as a part of the status."""

from __future__ import annotations

from controller.service.status import (
    OpenFactStatus,
    OpenSetStatus,
    OpenTilesStatus,
    PlayedTileStatus,
)
from rules.open_tiles import OpenTiles


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
        sets=tuple(
            OpenSetStatus(
                seat=each.seat,
                name=each.name,
                faces=tuple(face or "" for face in each.faces),
                claimed=each.claimed,
                source=each.source,
            )
            for each in tiles.sets
        ),
        facts=tuple(
            OpenFactStatus(name=each.name, text=each.text, seat=each.seat) for each in tiles.facts
        ),
    )
