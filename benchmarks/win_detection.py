"""Compares win detection with the package `mahjong`, and measures win detection with caishen."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from benchmarks import Row
from rules.games.wenzhou.wins import is_complete
from rules.melds import KINDS, Counts, numbers_win, sets_and_pair

try:
    from mahjong.agari import Agari
except ImportError:  # `mahjong` is a development dependency
    Agari = None

HANDS = 5_000
REPEATS = 7
TARGET = 5.0
CHECKS_A_SECOND = 100_000

Hand = TypeVar("Hand")


def main() -> Iterator[Row]:
    """Compare with `mahjong` on winning and nearly winning hands; then measure Wenzhou's checks."""
    chance = random.Random(1)
    if Agari is None:
        yield Row("win detection beside `mahjong`", "`mahjong` is not installed")
    else:
        for what, least, make in (("winning", 3.0, winning), ("near-miss", 1.5, near_miss)):
            yield from _beside(what, least, [make(chance) for _ in range(HANDS)])
    yield from _wenzhou(chance)


def winning(chance: random.Random) -> list[int]:
    """Return a random winning hand as 34 counts: four sets and a pair, at most four of a kind."""
    while True:
        numbers = [0] * KINDS
        for _ in range(4):
            low = chance.randrange(KINDS)
            is_run = low < 27 and low % 9 < 7
            for kind in (low, low + 1, low + 2) if is_run else (low,) * 3:
                numbers[kind] += 1
        numbers[chance.randrange(KINDS)] += 2
        if max(numbers) <= 4:
            return numbers


def near_miss(chance: random.Random) -> list[int]:
    """Return a winning hand with one tile changed, so that it no longer wins."""
    while True:
        numbers = winning(chance)
        numbers[chance.choice([kind for kind in range(KINDS) if numbers[kind]])] -= 1
        numbers[chance.randrange(KINDS)] += 1
        if max(numbers) <= 4 and not Agari.is_agari(numbers):
            return numbers


def _beside(what: str, least: float, hands: list[list[int]]) -> Iterator[Row]:
    counts = [Counts.of_numbers(numbers) for numbers in hands]
    peer = _seconds(Agari.is_agari, hands)
    goal = f"at least {least:g} x; target {TARGET:g} x"
    for form, own in (
        ("as a play stores them", _seconds(sets_and_pair, counts)),
        ("as 34 numbers", _seconds(numbers_win, hands)),
    ):
        yield Row(
            f"{what} hands of 14 tiles, {form}, beside mahjong's Agari",
            f"{peer / own:.1f} x ({own * 1e6:.2f} us to {peer * 1e6:.2f} us)",
            goal,
            peer / own >= least,
        )


def _wenzhou(chance: random.Random) -> Iterator[Row]:
    """Yield the checks per second of hands of 17 tiles with one to three caishen, half winning."""
    hands = []
    for at in range(HANDS):
        wild = 1 + at % 3
        kinds = [kind for kind, number in enumerate(winning(chance)) for _ in range(number)]
        low = chance.randrange(7)
        kinds += [low, low + 1, low + 2]
        chance.shuffle(kinds)
        if at % 2:
            kinds[-1] = chance.randrange(KINDS)
        kinds = kinds[wild:]
        hands.append((Counts.of(kinds), wild))
    rate = 1 / _seconds(lambda hand: is_complete(*hand), hands)
    yield Row(
        "Wenzhou win checks a second, one to three caishen",
        f"{rate:,.0f}",
        f"at least {CHECKS_A_SECOND:,}",
        rate >= CHECKS_A_SECOND,
    )
    rate = 1 / _seconds(lambda hand: sets_and_pair(*hand), hands)
    yield Row("five sets and a pair alone, one to three caishen, a second", f"{rate:,.0f}")


def _seconds(check: Callable[[Hand], object], hands: Sequence[Hand]) -> float:
    """Return the seconds per hand, the best of several rounds after a warm-up round."""
    best = float("inf")
    for round_ in range(REPEATS + 1):
        begun = time.perf_counter()
        for hand in hands:
            check(hand)
        if round_:
            best = min(best, time.perf_counter() - begun)
    return best / len(hands)


if __name__ == "__main__":
    for row in main():
        print(row.claim, row.goal, row.measured, sep=" | ")
