"""The best split by enumeration: the exact odds of a split against every possible opposite hand.

The opponent holds any four of the 28 remaining tiles and sets them by a house way. Each of the
35,960 four-tile hands is one bit of large integers. There is an integer for every tile, with the
hands that hold it, and for every rank, with the hands whose high (or low) half it beats. The odds
of a split then take a few `&` operations and bit counts. The same hands, counted by rank, are the
tables of 4.1 and 4.2; numbers are counted by their points only, regardless of the stronger tile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Literal

from rules.games.pai_gow.house_ways import HouseWay, find_house_way, require_four
from rules.games.pai_gow.ranking import Half, Rank, Ranking, Split, splits
from rules.games.pai_gow.settle import taker
from rules.games.pai_gow.setup import Parameters
from rules.tiles import Face, tile_set

Role = Literal["player", "banker"]
"""The odds are those of a player against the bank, or those of a banker against one player."""
HANDS = 35_960
"""The number of ways to take 4 of 32 tiles."""


@dataclass(frozen=True, slots=True)
class Odds:
    """The numbers of opposite hands that are won and lost, of `hands`; the others push."""

    wins: int
    losses: int
    hands: int

    def expected(self, commission: Fraction = Fraction(0)) -> Fraction:
        """The mean result for a stake of 1, with the commission taken from every win (4.2)."""
        return Fraction(self.gain(commission), self.hands * commission.denominator)

    def gain(self, commission: Fraction) -> int:
        """The sum of the results over all hands, in units of 1 / `commission.denominator`."""
        kept = commission.denominator - commission.numerator
        return self.wins * kept - self.losses * commission.denominator


def optimum(
    tiles: Iterable[Face],
    *,
    against: str = "canberra",
    parameters: Parameters | None = None,
    role: Role = "player",
) -> Split:
    """The split with the best expected result against hands set by that house way.

    Raises RulesError for tiles that are not four of one set, and for an unknown house way.
    """
    house = parameters or Parameters()
    opposite = opposition(find_house_way(against), house, role)
    commission = commission_of(house, role)
    return max(
        splits(require_four(tiles), house.ranking),
        key=lambda split: opposite.odds(split).gain(commission),
    )


def expectation(
    way: Callable[[tuple[Face, ...]], Split],
    *,
    against: str = "canberra",
    parameters: Parameters | None = None,
    role: Role = "player",
) -> Fraction:
    """The mean result, for a stake of 1, of setting each of the 35,960 hands with `way`."""
    house = parameters or Parameters()
    opposite = opposition(find_house_way(against), house, role)
    commission = commission_of(house, role)
    wins = losses = hands = 0
    for tiles, count in four_tile_hands().items():
        odds = opposite.odds(way(tiles))
        wins += count * odds.wins
        losses += count * odds.losses
        hands += count * odds.hands
    return Odds(wins, losses, hands).expected(commission)


def commission_of(parameters: Parameters, role: Role) -> Fraction:
    """The commission on a win in this role; a banker pays it only with `bank_commission`.

    With one player, the banker's net win is his win from that player.
    """
    free = role == "banker" and not parameters.bank_commission
    return Fraction(0) if free else parameters.commission_rate


@cache
def four_tile_hands() -> Mapping[tuple[Face, ...], int]:
    """Every different hand of four faces, sorted, and how many of the 35,960 hands have them."""
    counts: dict[tuple[Face, ...], int] = {}
    for four in combinations(tile_set("pai_gow_32").faces, 4):
        tiles = tuple(sorted(four))
        counts[tiles] = counts.get(tiles, 0) + 1
    return counts


@dataclass(frozen=True)
class Opposition:
    """All opposite hands as bits.

    `holders` has the hands that hold each tile. `high` and `low` have, for each rank, the hands
    whose half it beats and the hands whose half beats it.
    """

    parameters: Parameters
    every: int
    holders: Mapping[Face, tuple[int, ...]]
    high: Mapping[Rank, tuple[int, int]]
    low: Mapping[Rank, tuple[int, int]]
    _counted: dict[Split, Odds] = field(default_factory=dict, compare=False, repr=False)
    """The odds of every split that was counted: house ways often choose the same split."""

    def odds(self, split: Split) -> Odds:
        """The odds of this split against every hand of the other 28 tiles."""
        odds = self._counted.get(split)
        if odds is None:
            odds = self._counted[split] = self._count(split)
        return odds

    def _count(self, split: Split) -> Odds:
        possible = self.every
        for face in set(split.tiles):
            for holders in self.holders[face][: split.tiles.count(face)]:
                possible &= ~holders
        takes_high, yields_high = self.high[self._rank(split.high)]
        takes_low, yields_low = self.low[self._rank(split.low)]
        return Odds(
            wins=(takes_high & takes_low & possible).bit_count(),
            losses=(yields_high & yields_low & possible).bit_count(),
            hands=possible.bit_count(),
        )

    def _rank(self, half: Half) -> Rank:
        return self.parameters.ranking.rank(half)


@cache
def opposition(way: HouseWay, parameters: Parameters, role: Role) -> Opposition:
    """Every opposite hand as that house way sets it; computed on first use, in under a second."""
    ranking = parameters.ranking
    pile = tile_set("pai_gow_32").faces
    held: list[list[int]] = [[] for _ in pile]
    highs: dict[Rank, list[int]] = {}
    lows: dict[Rank, list[int]] = {}
    for hand, four in enumerate(combinations(range(len(pile)), 4)):
        split = way.set((pile[tile] for tile in four), ranking)
        highs.setdefault(ranking.rank(split.high), []).append(hand)
        lows.setdefault(ranking.rank(split.low), []).append(hand)
        for tile in four:
            held[tile].append(hand)
    holders: dict[Face, tuple[int, ...]] = {}
    for face, hands in zip(pile, held, strict=True):
        holders[face] = (*holders.get(face, ()), _bits(hands))
    return Opposition(
        parameters,
        every=_bits(range(HANDS)),
        holders=holders,
        high=_takes(highs, parameters, role),
        low=_takes(lows, parameters, role),
    )


def _takes(
    hands: Mapping[Rank, list[int]], parameters: Parameters, role: Role
) -> dict[Rank, tuple[int, int]]:
    """For every rank, the hands whose half it beats and the hands whose half beats it."""
    bits = {rank: _bits(each) for rank, each in hands.items()}
    pile = tile_set("pai_gow_32").faces
    mine = {parameters.ranking.rank(half) for half in combinations(pile, 2)}
    takes = {}
    for rank in mine:
        won = lost = 0
        for other, holding in bits.items():
            pair = (rank, other) if role == "player" else (other, rank)
            side = taker(*pair, parameters)
            if side == role:
                won |= holding
            elif side != "neither":
                lost |= holding
        takes[rank] = won, lost
    return takes


def _bits(hands: Iterable[int]) -> int:
    """The integer with these bits set."""
    octets = bytearray(-(-HANDS // 8))
    for hand in hands:
        octets[hand >> 3] |= 1 << (hand & 7)
    return int.from_bytes(octets, "little")


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
