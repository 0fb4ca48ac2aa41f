"""Lookup tables of the sets that one suit can form, indexed by its number in `Counts`.

Each table computes an entry when it is first looked up, from the entries of the smaller suits that
remain when the suit's lowest tile is taken away.
"""

from __future__ import annotations

from typing import Final

from rules.melds.counts import DIGIT

NEITHER, SETS, SETS_AND_PAIR = 0, 1, 2
"""The groups that a suit without wild tiles forms. In a winning hand exactly one suit contains the
pair, so the product of its four values is SETS_AND_PAIR."""

_NEXT: Final = 0o10
_AFTER: Final = 0o100
_NOTHING_LEFT: Final = (0, 2)


class Short(dict[int, tuple[int, int]]):
    """The number of wild tiles that a suit needs to form sets only, and to form sets and a pair.

    Three additional wild tiles always form another set; one or two never do. A suit can therefore
    also use a number that is larger by a multiple of three, and no other.
    """

    def __init__(self, *, runs: bool) -> None:
        super().__init__()
        self._runs = runs
        self[0] = _NOTHING_LEFT

    def __missing__(self, suit: int) -> tuple[int, int]:
        lowest = 0
        while not suit >> lowest & 7:
            lowest += DIGIT
        tiles = suit >> lowest
        there = tiles & 7
        sets, pair = self._without(suit, 1 << lowest, 2)
        pair = min(pair, 1 + self[suit - (1 << lowest)][0])
        if there >= 2:
            sets, pair = _least(sets, pair, *self._without(suit, 2 << lowest, 1))
            pair = min(pair, self[suit - (2 << lowest)][0])
        if there >= 3:
            sets, pair = _least(sets, pair, *self._without(suit, 3 << lowest, 0))
        if self._runs:
            for run, wild in _runs_from(tiles):
                sets, pair = _least(sets, pair, *self._without(suit, run << lowest, wild))
        self[suit] = sets, pair
        return sets, pair

    def _without(self, suit: int, taken: int, wild: int) -> tuple[int, int]:
        """The wild tiles needed if `taken` and `wild` wild tiles form a set."""
        sets, pair = self[suit - taken]
        return sets + wild, pair + wild


class Exact(dict[int, int]):
    """The groups that a suit forms without wild tiles: NEITHER, SETS or SETS_AND_PAIR."""

    def __init__(self, short: Short) -> None:
        super().__init__()
        self._short = short

    def __missing__(self, suit: int) -> int:
        sets, pair = self._short[suit]
        self[suit] = made = SETS if sets == 0 else SETS_AND_PAIR if pair == 0 else NEITHER
        return made


class ByNumbers(dict[tuple[int, ...], int]):
    """`Exact` for a suit that is given as one number for each kind."""

    def __init__(self, exact: Exact) -> None:
        super().__init__()
        self._exact = exact

    def __missing__(self, numbers: tuple[int, ...]) -> int:
        suit = sum(number << DIGIT * place for place, number in enumerate(numbers))
        self[numbers] = made = self._exact[suit]
        return made


def _runs_from(tiles: int) -> tuple[tuple[int, int], ...]:
    """The runs that a suit's lowest tile makes with its neighbours, and the wild tiles they need.

    Runs of the lowest tile and two wild tiles are left out: the triplet needs the same two.
    """
    follows, follows_after = tiles & 7 * _NEXT, tiles & 7 * _AFTER
    runs = []
    if follows:
        runs.append((1 + _NEXT, 1))
    if follows_after:
        runs.append((1 + _AFTER, 1))
    if follows and follows_after:
        runs.append((1 + _NEXT + _AFTER, 0))
    return tuple(runs)


def _least(sets: int, pair: int, other_sets: int, other_pair: int) -> tuple[int, int]:
    return min(sets, other_sets), min(pair, other_pair)


SUIT_SHORT: Final = Short(runs=True)
HONOURS_SHORT: Final = Short(runs=False)
"""`Short` without runs: for the honours, and for any suit where only triplets count."""
SUIT_EXACT: Final = Exact(SUIT_SHORT)
HONOURS_EXACT: Final = Exact(HONOURS_SHORT)
SUIT_BY_NUMBERS: Final = ByNumbers(SUIT_EXACT)
HONOURS_BY_NUMBERS: Final = ByNumbers(HONOURS_EXACT)
