"""Checks whether a hand wins, and its classes: seven first, escalera, single joker (F26-F31)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from rules.games.filipino.hand import Meld, in_order
from rules.games.filipino.parameters import Parameters
from rules.melds import (
    Counts,
    groups_with,
    kind_of,
    only_sets,
    pairs,
    readings,
    sets_and_pair,
    sets_within,
)
from rules.tiles import Face

PAIRS = 7
"""The number of pairs of seven first, in addition to one set (F27)."""
Run = tuple[Face, ...]


@dataclass(frozen=True, slots=True)
class Declared:
    """The tiles of a declared win.

    `concealed` are all tiles that are not in a meld, including `tile`, the winning tile. `tile` is
    None if mano wins with the dealt tiles. A tile taken from another seat (`taken`) counts as its
    own face only, even if it is a joker (F25).
    """

    concealed: tuple[Face, ...]
    joker: Face | None
    tile: Face | None = None
    taken: bool = False
    melds: tuple[Meld, ...] = ()

    @property
    def jokers(self) -> int:
        """The number of tiles that count as any tile (F17)."""
        if self.joker is None:
            return 0
        return self.concealed.count(self.joker) - (self.taken and self.tile == self.joker)

    @property
    def counts(self) -> Counts:
        """The counts of the tiles that count as their own face."""
        natural = [face for face in self.concealed if face != self.joker]
        if self.taken and self.tile is not None and self.tile == self.joker:
            natural.append(self.tile)
        return counts_of(natural)


@dataclass(frozen=True, slots=True)
class WinningHand:
    """The special features of a winning hand; `reads` is one way to divide it, as a text."""

    reads: str
    seven_first: bool = False
    escalera: bool = False
    single_joker: bool = False
    back_to_back: bool = False
    middle: bool = False


def winning_hand(declared: Declared, house: Parameters) -> WinningHand | None:
    """The winning hand that these tiles form, or None if they do not win (F26, F27).

    A hand with flores that are not laid out does not win (F11).
    """
    if any(map(house.is_flores, declared.concealed)):
        return None
    counts, jokers = declared.counts, declared.jokers
    plain = sets_and_pair(counts, jokers)
    seven = _pairs_and_set(counts, jokers, declared.melds, house, PAIRS)
    if not plain and not seven:
        return None
    back_to_back, middle = _waits(declared) if plain else (False, False)
    return WinningHand(
        reads=str(next(readings(counts, jokers))) if plain else _describe_seven_first(declared),
        seven_first=seven,
        escalera=plain and is_escalera(counts, jokers, declared.melds),
        single_joker=is_single_joker(declared, house),
        back_to_back=back_to_back,
        middle=middle,
    )


def wins(declared: Declared, house: Parameters) -> bool:
    """Whether these tiles win."""
    if any(map(house.is_flores, declared.concealed)):
        return False
    return wins_with(declared.counts, declared.jokers, declared.melds, house)


def wins_with(counts: Counts, jokers: int, melds: tuple[Meld, ...], house: Parameters) -> bool:
    """`wins` for tiles that are already counted and have no flores among them."""
    return sets_and_pair(counts, jokers) or _pairs_and_set(counts, jokers, melds, house, PAIRS)


def is_escalera(counts: Counts, jokers: int, melds: Iterable[Meld] = ()) -> bool:
    """Whether the hand has three runs 1-9 of one suit, and two sets and a pair (F28).

    Called runs count (A7). Only readings are tried that use a natural tile in the straight wherever
    there is one: in any other reading the joker and the natural tile can change places.
    """
    called = {meld.reads for meld in melds}
    for straight in _straights():
        missing = [run for run in straight if run not in called]
        kinds = [kind_of(face) for run in missing for face in run]
        natural = [kind for kind in kinds if counts.having(kind)]
        rest = counts.less(natural)
        left = jokers - (len(kinds) - len(natural))
        if rest is not None and left >= 0 and sets_and_pair(rest, left):
            return True
    return False


def is_single_joker(declared: Declared, house: Parameters) -> bool:
    """Whether the hand waited with a single joker for the pair, so that any tile won (F31).

    Without the winning tile and without that joker the hand is five sets, or six pairs and a set.
    """
    if declared.tile is None or declared.joker is None:
        return False
    before = list(declared.concealed)
    before.remove(declared.tile)
    jokers = before.count(declared.joker) - 1
    if jokers < 0:
        return False
    counts = counts_of(face for face in before if face != declared.joker)
    return only_sets(counts, jokers) or _pairs_and_set(
        counts, jokers, declared.melds, house, PAIRS - 1
    )


def counts_of(faces: Iterable[Face]) -> Counts:
    """The counts of these faces."""
    return Counts.of(map(kind_of, faces))


def _pairs_and_set(
    counts: Counts, jokers: int, melds: tuple[Meld, ...], house: Parameters, wanted: int
) -> bool:
    """Whether these tiles are `wanted` concealed pairs and one set (F27, A6).

    The set can be a called one if `seven_first_open` is set. Four equal tiles are two pairs.
    """
    if len(melds) > 1 or (melds and not (melds[0].concealed or house.seven_first_open)):
        return False
    if not melds and _unpaired(counts) > 3 + jokers:
        return False  # the fastest check, which decides for most hands
    if counts.size + jokers != 2 * wanted + 3 * (1 - len(melds)):
        return False
    if melds:
        return pairs(counts, jokers) == wanted
    return any(True for _ in _sets_beside_pairs(counts, jokers, wanted))


def _sets_beside_pairs(counts: Counts, jokers: int, wanted: int) -> Iterator[tuple[str, Counts]]:
    """Each set without which the rest of the hand is `wanted` pairs."""
    for group, rest in sets_within(counts, jokers):
        if pairs(rest, jokers - len(group.wild)) == wanted:
            yield str(group), rest


def _unpaired(counts: Counts) -> int:
    characters, circles, bamboos, honours = counts
    return (
        (characters & 0o111111111).bit_count()
        + (circles & 0o111111111).bit_count()
        + (bamboos & 0o111111111).bit_count()
        + (honours & 0o111111111).bit_count()
    )


def _describe_seven_first(declared: Declared) -> str:
    counts, jokers = declared.counts, declared.jokers
    if declared.melds:
        return f"seven pairs: {' '.join(in_order(declared.concealed))}"
    group, _ = next(_sets_beside_pairs(counts, jokers, PAIRS))
    return f"{group} and seven pairs"


def _waits(declared: Declared) -> tuple[bool, bool]:
    """Whether the hand waited on two pairs, and whether it waited between two tiles."""
    if declared.tile is None or (declared.tile == declared.joker and not declared.taken):
        return False, False
    won = kind_of(declared.tile)
    groups = list(groups_with(declared.counts, won, declared.jokers))
    return (
        any(group.is_triplet and not group.wild for group in groups),
        any(group.is_run and group.kinds[1] == won and not group.wild for group in groups),
    )


@cache
def _straights() -> tuple[tuple[Run, ...], ...]:
    """The three runs of the straight of each suit."""
    return tuple(
        tuple(tuple(f"{first + step}{suit}" for step in range(3)) for first in (1, 4, 7))
        for suit in "mps"
    )
