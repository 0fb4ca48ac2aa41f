"""Winning-hand engine: sets, pairs and wild tiles, by table lookup.

A hand's concealed tiles are `Counts`; its wild tiles are a number. The number of tiles determines
the number of sets: seventeen tiles are five sets and a pair, and each set laid down takes three
tiles away. Checking whether a hand wins takes one table lookup for each suit. `readings` returns
every way to divide the hand into sets and a pair.

    counts = Counts.of_faces("3m 4m 5m 6m 7m 8m 7s 1z 1z".split())
    sets_and_pair(counts, wild=2)
    for reading in readings(counts, wild=2): ...
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rules.melds.counts import (
    DIGIT,
    HONOUR_DIGITS,
    HONOURS,
    KINDS,
    SUIT_BITS,
    SUIT_DIGITS,
    Counts,
    Kind,
    face_of,
    is_honour,
    kind_of,
)
from rules.melds.distance import helpful_kinds, tiles_short
from rules.melds.readings import Group, Reading, groups_with, readings, sets_within
from rules.melds.tables import (
    HONOURS_BY_NUMBERS,
    HONOURS_EXACT,
    HONOURS_SHORT,
    SETS,
    SETS_AND_PAIR,
    SUIT_BY_NUMBERS,
    SUIT_EXACT,
    SUIT_SHORT,
)

__all__ = [
    "DIGIT",
    "HONOURS",
    "KINDS",
    "Counts",
    "Group",
    "Kind",
    "Reading",
    "face_of",
    "groups_with",
    "helpful_kinds",
    "is_honour",
    "kind_of",
    "numbers_win",
    "only_sets",
    "packed_sets_and_pair",
    "pairs",
    "readings",
    "sets_and_pair",
    "sets_within",
    "tiles_short",
    "triplets_and_pair",
    "waits",
]


def sets_and_pair(counts: Counts, wild: int = 0) -> bool:
    """Whether all of these tiles form sets and one pair."""
    characters, circles, bamboos, honours = counts
    # Suits are checked one by one: most hands that do not win fail at the first or second suit.
    if not wild:
        made = HONOURS_EXACT[honours]
        if made:
            made *= SUIT_EXACT[characters]
            if made:
                made *= SUIT_EXACT[circles]
                return made != 0 and made * SUIT_EXACT[bamboos] == SETS_AND_PAIR
        return False
    return _with_wild(characters, circles, bamboos, honours, wild)


def packed_sets_and_pair(packed: int, wild: int = 0) -> bool:
    """`sets_and_pair` for packed tiles (`Counts.unpacked`)."""
    return _with_wild(
        packed & SUIT_DIGITS,
        packed >> SUIT_BITS & SUIT_DIGITS,
        packed >> 2 * SUIT_BITS & SUIT_DIGITS,
        packed >> 3 * SUIT_BITS & HONOUR_DIGITS,
        wild,
    )


def _with_wild(characters: int, circles: int, bamboos: int, honours: int, wild: int) -> bool:
    """Whether the tiles of four suits and `wild` wild tiles form sets and one pair."""
    sets_a, pair_a = SUIT_SHORT[characters]
    if sets_a > wild < pair_a:
        return False
    sets_b, pair_b = SUIT_SHORT[circles]
    if sets_a + sets_b > wild + 2:
        return False
    sets_c, pair_c = SUIT_SHORT[bamboos]
    sets_d, pair_d = HONOURS_SHORT[honours]
    left = wild - sets_a - sets_b - sets_c - sets_d
    left -= min(pair_a - sets_a, pair_b - sets_b, pair_c - sets_c, pair_d - sets_d)
    return left >= 0 and left % 3 == 0


def only_sets(counts: Counts, wild: int = 0) -> bool:
    """Whether all of these tiles form sets."""
    characters, circles, bamboos, honours = counts
    if not wild:
        return (
            SUIT_EXACT[characters]
            * SUIT_EXACT[circles]
            * SUIT_EXACT[bamboos]
            * HONOURS_EXACT[honours]
            == SETS
        )
    left = wild - SUIT_SHORT[characters][0] - SUIT_SHORT[circles][0]
    left -= SUIT_SHORT[bamboos][0] + HONOURS_SHORT[honours][0]
    return left >= 0 and left % 3 == 0


def triplets_and_pair(counts: Counts, wild: int = 0) -> bool:
    """Whether all of these tiles form triplets and one pair."""
    each = [HONOURS_SHORT[suit] for suit in counts]
    left = wild - sum(sets for sets, _ in each) - min(pair - sets for sets, pair in each)
    return left >= 0 and left % 3 == 0


def pairs(counts: Counts, wild: int = 0) -> int:
    """The largest number of pairs that these tiles form; four equal tiles are two pairs."""
    characters, circles, bamboos, honours = counts
    packed = characters | circles << 27 | bamboos << 54 | honours << 81
    single = (packed & _ONES).bit_count()
    matched = (packed & 2 * _ONES).bit_count() + 2 * (packed & 4 * _ONES).bit_count()
    return matched + min(single, wild) + max(0, wild - single) // 2


def waits(counts: Counts, wild: int = 0) -> Iterator[Kind]:
    """Each kind of which one more tile completes these tiles to sets and a pair."""
    return (kind for kind in range(KINDS) if sets_and_pair(counts.plus(kind), wild))


def numbers_win(numbers: Sequence[int]) -> bool:
    """`sets_and_pair` for a hand given as 34 numbers, one for each kind, without wild tiles."""
    made = SUIT_BY_NUMBERS[tuple(numbers[:9])]
    if not made:
        return False
    made *= SUIT_BY_NUMBERS[tuple(numbers[9:18])]
    if not made:
        return False
    made *= SUIT_BY_NUMBERS[tuple(numbers[18:27])]
    return made != 0 and made * HONOURS_BY_NUMBERS[tuple(numbers[27:])] == SETS_AND_PAIR


_ONES: Final = sum(1 << DIGIT * kind for kind in range(KINDS))
