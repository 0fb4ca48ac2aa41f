"""Distance of a hand from winning (shanten), used to choose a discard."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import product

from rules.melds.counts import DIGIT, KINDS, SUIT, Counts, Kind

Blocks = tuple[int, int, int]
"""The number of sets, the number of partial sets (two tiles of three), the number of pairs (0 or
1)."""
NO_BLOCKS: frozenset[Blocks] = frozenset({(0, 0, 0)})
_HONOURS_AT = 3
"""The index of the honours, which form no runs, among the four suits of `Counts`."""
_REMEMBERED = 1 << 14
"""Limit of the results of each function that are kept. A suit has 405,350 possible holdings, so a
process that plays for months would otherwise keep hundreds of megabytes."""


def tiles_short(counts: Counts, sets: int, wild: int = 0) -> int:
    """The number of tiles that a hand must exchange to become `sets` sets and a pair; 0 is a win.

    A hand that is one tile short is waiting. Each wild tile replaces one missing tile.
    """
    characters, circles, bamboos, honours = counts
    numbers = _together(
        _together(_blocks(characters, runs=True), _blocks(circles, runs=True)),
        _blocks(bamboos, runs=True),
    )
    return max(0, _short(_together(numbers, _blocks(honours, runs=False)), sets) - wild)


def helpful_kinds(counts: Counts, sets: int, wild: int = 0) -> Iterator[Kind]:
    """The kinds of which one more tile brings a hand nearer to winning, in order.

    Only an equal tile, or a neighbour at most two away in its suit, can join another tile; other
    kinds are left out, even where a single tile of any kind would complete the pair.
    """
    short = tiles_short(counts, sets, wild)
    if not short:
        return
    blocks = [_blocks(suit, runs=at < _HONOURS_AT) for at, suit in enumerate(counts)]
    for at, suit in enumerate(counts):
        if not suit:
            continue
        others = NO_BLOCKS
        for place, each in enumerate(blocks):
            if place != at:
                others = _together(others, each)
        near = suit | suit << DIGIT | suit >> DIGIT | suit << 2 * DIGIT | suit >> 2 * DIGIT
        for number in range(min(SUIT, KINDS - SUIT * at)):
            if near >> DIGIT * number & 7:
                more = _blocks(suit + (1 << DIGIT * number), runs=at < _HONOURS_AT)
                if _short(_together(others, more), sets) - wild < short:
                    yield SUIT * at + number


@lru_cache(_REMEMBERED)
def _short(blocks: frozenset[Blocks], sets: int) -> int:
    return min(
        2 * (sets - min(made, sets)) - min(begun, sets - min(made, sets)) + 1 - pair
        for made, begun, pair in blocks
    )


@lru_cache(_REMEMBERED)
def _together(some: frozenset[Blocks], others: frozenset[Blocks]) -> frozenset[Blocks]:
    """The best sums of two suits' blocks, with at most one pair."""
    return _best(
        (made + more, begun + beginnings, pair + second)
        for (made, begun, pair), (more, beginnings, second) in product(some, others)
        if pair + second < 2
    )


@lru_cache(_REMEMBERED)
def _blocks(suit: int, *, runs: bool) -> frozenset[Blocks]:
    """The best ways to divide one suit; its lowest tile joins a block or stays single."""
    if not suit:
        return NO_BLOCKS
    lowest = 0
    while not suit >> lowest & 7:
        lowest += DIGIT
    tiles = suit >> lowest
    there = tiles & 7
    taken: list[tuple[int, Blocks]] = [(there, (0, 0, 0))]
    if there >= 2:
        taken += [(2, (0, 1, 0)), (2, (0, 0, 1))]
    if there >= 3:
        taken.append((3, (1, 0, 0)))
    if runs:
        follows, follows_after = tiles & 0o70, tiles & 0o700
        if follows:
            taken.append((0o11, (0, 1, 0)))
        if follows_after:
            taken.append((0o101, (0, 1, 0)))
        if follows and follows_after:
            taken.append((0o111, (1, 0, 0)))
    return _best(
        (made + more, begun + beginnings, pair + second)
        for part, (made, begun, pair) in taken
        for more, beginnings, second in _blocks(suit - (part << lowest), runs=runs)
        if pair + second < 2
    )


def _best(ways: Iterable[Blocks]) -> frozenset[Blocks]:
    """The ways to which no other way is at least equal in all three numbers."""
    every = set(ways)
    return frozenset(
        way
        for way in every
        if not any(
            other != way and other[0] >= way[0] and other[1] >= way[1] and other[2] >= way[2]
            for other in every
        )
    )
