"""The double-six set, tile by tile: halves, pips, doublets (C1)."""

from __future__ import annotations

from functools import cache

from rules.tiles import Face, tile_set


@cache
def double_six() -> tuple[Face, ...]:
    """All 28 tiles, 0-0 to 6-6 (C1)."""
    return tile_set("dominoes_28").faces


@cache
def halves(tile: Face) -> tuple[int, int]:
    """Both numbers of a tile, the higher first."""
    high, low = tile.split("-")
    return int(high), int(low)


@cache
def pips(tile: Face) -> int:
    """The sum of both numbers of a tile (C1)."""
    return sum(halves(tile))


def is_doublet(tile: Face) -> bool:
    """Whether both halves are equal (C1)."""
    high, low = halves(tile)
    return high == low


def is_matador(tile: Face) -> bool:
    """Whether the tile is 6-1, 5-2, 4-3 or 0-0, which fit any end at Matador (2.8)."""
    return pips(tile) in (0, 7)
