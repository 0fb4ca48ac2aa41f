"""A slow search for winning hands of Filipino mahjong, to compare with the rules.

Jokers are distributed among the suits in every way and get every combination of the nine numbers;
the tiles of each suit are divided into sets and pairs in every way.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations_with_replacement, product
from typing import NamedTuple

Suit = tuple[int, ...]
STRAIGHT = {(0, 1, 2), (3, 4, 5), (6, 7, 8)}


class Parted(NamedTuple):
    """One division of a suit: its pairs, its sets, and whether three sets form the straight."""

    pairs: int
    sets: int
    straight: bool


def wins_as(faces: list[str], jokers: int) -> set[str]:
    """Every kind of win that these tiles and jokers form: `plain`, `escalera`, `seven first`."""
    found: set[str] = set()
    for parts in _all_parts(faces, jokers):
        pairs, sets = sum(p.pairs for p in parts), sum(p.sets for p in parts)
        if pairs == 1 and 3 * sets + 2 == len(faces) + jokers:
            found.add("plain")
            if any(part.straight for part in parts):
                found.add("escalera")
        if (pairs, sets) in ((7, 1), (7, 0)) and 3 * sets + 14 == len(faces) + jokers:
            found.add("seven first")
    return found


def any_tile_wins(faces: list[str], jokers: int) -> bool:
    """Whether the tiles and all jokers except one form five sets, or six pairs and a set."""
    size = len(faces) + jokers - 1
    for parts in _all_parts(faces, jokers - 1) if jokers else ():
        pairs, sets = sum(p.pairs for p in parts), sum(p.sets for p in parts)
        if (pairs == 0 and 3 * sets == size) or ((pairs, sets) in ((6, 1), (6, 0))):
            return True
    return False


def _all_parts(faces: list[str], jokers: int) -> Iterator[tuple[Parted, ...]]:
    suits = [
        tuple(sum(face == f"{number}{suit}" for face in faces) for number in range(1, 10))
        for suit in "mps"
    ]
    for shares in product(range(jokers + 1), repeat=3):
        if sum(shares) == jokers:
            yield from product(*map(_with_jokers, suits, shares))


@cache
def _with_jokers(suit: Suit, jokers: int) -> frozenset[Parted]:
    return frozenset(
        part
        for given in combinations_with_replacement(range(9), jokers)
        for part in _parted(tuple(n + given.count(at) for at, n in enumerate(suit)), ())
    )


@cache
def _parted(suit: Suit, runs: tuple[tuple[int, int, int], ...]) -> frozenset[Parted]:
    lowest = next((at for at, count in enumerate(suit) if count), None)
    if lowest is None:
        return frozenset({Parted(0, 0, set(runs) >= STRAIGHT)})
    ways = set()
    for taken in ((lowest,) * 3, (lowest,) * 2, (lowest, lowest + 1, lowest + 2)):
        rest = [count - taken.count(at) for at, count in enumerate(suit)]
        if min(rest) < 0 or taken[-1] > 8:
            continue
        is_run = taken[0] != taken[-1]
        more = (*runs, (taken[0], taken[1], taken[-1])) if is_run else runs
        for pairs, sets, straight in _parted(tuple(rest), more):
            ways.add(Parted(pairs + (len(taken) == 2), sets + (len(taken) == 3), straight))
    return frozenset(ways)
