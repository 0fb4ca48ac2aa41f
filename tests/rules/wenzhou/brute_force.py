"""A slow search for wins of Wenzhou: every tile for each caishen, every division into sets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import combinations_with_replacement

HONOURS = range(27, 34)


@cache
def are_sets(kinds: tuple[int, ...]) -> bool:
    """Whether sorted tiles form triplets and runs; both are tried for the lowest tile."""
    if not kinds:
        return True
    low = kinds[0]
    for group in ((low,) * 3, (low, low + 1, low + 2)):
        if group[0] != group[-1] and (low in HONOURS or low % 9 > 6):
            continue
        rest = Counter(kinds)
        rest.subtract(group)
        if min(rest.values()) >= 0 and are_sets(tuple(sorted(rest.elements()))):
            return True
    return False


@cache
def suit_makes(kinds: tuple[int, ...]) -> tuple[bool, bool]:
    """Whether the tiles of one suit form sets, and whether they form sets and a pair."""
    pairs = (kind for kind, number in Counter(kinds).items() if number >= 2)
    with_pair = any(
        are_sets(tuple(sorted((Counter(kinds) - Counter({pair: 2})).elements()))) for pair in pairs
    )
    return are_sets(kinds), with_pair


def sets_and_pair(kinds: Sequence[int]) -> bool:
    """Whether tiles form sets and a pair, without wild tiles."""
    suits: list[list[int]] = [[], [], [], []]
    for kind in sorted(kinds):
        suits[kind // 9].append(kind)
    made = [suit_makes(tuple(suit)) for suit in suits]
    return any(
        pair and all(sets for other, (sets, _) in enumerate(made) if other != at)
        for at, (_, pair) in enumerate(made)
    )


def wins(kinds: Sequence[int], wild: int) -> bool:
    """Whether the tiles form five sets and a pair with any kinds for the wild tiles."""
    return any(
        sets_and_pair((*kinds, *wilds)) for wilds in combinations_with_replacement(range(34), wild)
    )


def eight_pairs(kinds: Sequence[int], wild: int) -> bool:
    """Whether the tiles form eight pairs and a tile with any kinds for the wild tiles."""
    return any(
        sum(number // 2 for number in Counter((*kinds, *wilds)).values()) >= 8
        for wilds in combinations_with_replacement(sorted({*kinds, 0}), wild)
    )


def at_face_value(kinds: Sequence[int], wild: int, kind: int) -> bool:
    """Whether the tiles form five sets and a pair with every wild tile as its own kind."""
    return sets_and_pair((*kinds, *[kind] * wild))
