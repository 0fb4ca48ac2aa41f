"""Frequency of each rank among 496 two-tile hands, and as best high hand of 35,960 (4.1, 4.2).

Numbers are counted by their points only, regardless of the stronger tile.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from rules.games.pai_gow.ranking.ranks import Rank, Ranking
from rules.games.pai_gow.ranking.split import splits
from rules.games.pai_gow.setting.optimum import four_tile_hands
from rules.tiles import tile_set


@dataclass(frozen=True, slots=True)
class RankRow:
    """A rank's name, the number of hands with it, and the number with it or a better rank.

    `hands` is the number of all hands.
    """

    name: str
    count: int
    at_least: int
    hands: int

    @property
    def probability(self) -> Fraction:
        return Fraction(self.count, self.hands)


def two_tile_table(ranking: Ranking | None = None) -> tuple[RankRow, ...]:
    """Every rank of two tiles, strongest first, over all pairs of the 32 tiles."""
    order = ranking or Ranking()
    pile = tile_set("pai_gow_32").faces
    return _table((order.rank(half), 1) for half in combinations(pile, 2))


def high_hand_table(ranking: Ranking | None = None) -> tuple[RankRow, ...]:
    """Every best high hand of four tiles, strongest first, over all four-tile hands."""
    order = ranking or Ranking()
    return _table(
        (max(order.rank(split.high) for split in splits(tiles, order)), count)
        for tiles, count in four_tile_hands().items()
    )


def _table(ranks: Iterable[tuple[Rank, int]]) -> tuple[RankRow, ...]:
    counts: dict[Rank, int] = {}
    for rank, count in ranks:
        counts[rank] = counts.get(rank, 0) + count
    by_name: dict[str, int] = {}
    for rank in sorted(counts, reverse=True):
        by_name[rank.name] = by_name.get(rank.name, 0) + counts[rank]
    every, so_far, rows = sum(counts.values()), 0, []
    for name, count in by_name.items():
        so_far += count
        rows.append(RankRow(name, count, so_far, every))
    return tuple(rows)
