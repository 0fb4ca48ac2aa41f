"""Splits of four tiles into a high and a low hand; the high hand cannot be the weaker one (4.2).

The text of a split is its high hand, a slash and its low hand: `6-6 5-4 / 1-1 3-1`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from rules.errors import NotationError
from rules.games.pai_gow.ranking.ranks import Half, Ranking
from rules.tiles import Face, tile_set

WAYS = (((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2)))
"""The three ways to divide four tiles into two pairs, as indices."""
_REMEMBERED = 1 << 14
"""Hands whose splits are remembered; the tiles of one set form 8,130 different hands."""


@dataclass(frozen=True, slots=True)
class Split:
    """A high and a low hand. Each half has its tiles in the order of the tile set."""

    high: Half
    low: Half

    def __post_init__(self) -> None:
        object.__setattr__(self, "high", _in_order(self.high))
        object.__setattr__(self, "low", _in_order(self.low))

    @property
    def tiles(self) -> tuple[Face, ...]:
        return self.high + self.low

    def exchanged(self) -> Split:
        """The split with its two hands exchanged."""
        return Split(self.low, self.high)

    def __str__(self) -> str:
        return f"{' '.join(self.high)} / {' '.join(self.low)}"


def splits(tiles: Iterable[Face], ranking: Ranking) -> tuple[Split, ...]:
    """Every different split of four tiles (one to three), each with its stronger half high.

    Of halves of equal rank, the half with the stronger tile is high.
    """
    return _splits(tuple(tiles), ranking)


def settings(tiles: Iterable[Face], ranking: Ranking) -> tuple[Split, ...]:
    """Every legal way to set four tiles: all splits; those with equal halves in both orders."""
    return _settings(tuple(tiles), ranking)


@lru_cache(_REMEMBERED)
def _splits(four: tuple[Face, ...], ranking: Ranking) -> tuple[Split, ...]:
    found: dict[Split, None] = {}
    for (a, b), (c, d) in WAYS:
        split = Split((four[a], four[b]), (four[c], four[d]))
        if _strength(split.high, ranking) < _strength(split.low, ranking):
            split = split.exchanged()
        found[split] = None
    return tuple(found)


@lru_cache(_REMEMBERED)
def _settings(four: tuple[Face, ...], ranking: Ranking) -> tuple[Split, ...]:
    each = []
    for split in _splits(four, ranking):
        each.append(split)
        if is_legal(split.exchanged(), ranking) and split.exchanged() != split:
            each.append(split.exchanged())
    return tuple(each)


def is_legal(split: Split, ranking: Ranking) -> bool:
    """Whether the high hand is not weaker than the low hand (4.2)."""
    return ranking.rank(split.high) >= ranking.rank(split.low)


def parse_split(text: str) -> Split:
    """Parses the text of a split.

    Raises NotationError for any other text, and for a tile that the set does not have.
    """
    halves = [tuple(half.split()) for half in text.split("/")]
    match halves:
        case [(a, b), (c, d)] if all(face in tile_set("pai_gow_32") for face in (a, b, c, d)):
            return Split((a, b), (c, d))
    raise NotationError(
        f"'{text}' is not a split; write the high hand, a slash and the low hand, as"
        " 6-6 5-4 / 1-1 3-1."
    )


def _in_order(half: Half) -> Half:
    one, other = half
    return half if _place(one) <= _place(other) else (other, one)


@cache
def _place(face: Face) -> int:
    pile = tile_set("pai_gow_32")
    return pile.faces.index(pile.require(face))


def _strength(half: Half, ranking: Ranking) -> tuple[object, ...]:
    return ranking.rank(half), max(ranking.single(face) for face in half), half
