"""Comparison of `sets_and_pair` with the package `mahjong`, hand by hand."""

from __future__ import annotations

import random

import pytest

from rules.melds import KINDS, Counts, numbers_win, sets_and_pair
from tests.quick import tries

agari = pytest.importorskip("mahjong.agari")
HANDS = tries(20_000, quick=20_000, evidence=200_000)
ORPHANS = (0, 8, 9, 17, 18, 26, *range(27, 34))


def hand(chance: random.Random) -> list[int]:
    """Fourteen tiles as 34 counts: sets and a pair, with up to two tiles changed."""
    while True:
        numbers = [0] * KINDS
        for _ in range(4):
            low = chance.randrange(KINDS)
            is_run = low < 27 and low % 9 < 7
            for kind in (low, low + 1, low + 2) if is_run else (low,) * 3:
                numbers[kind] += 1
        numbers[chance.randrange(KINDS)] += 2
        for _ in range(chance.choice((0, 0, 1, 2))):
            numbers[chance.choice([kind for kind in range(KINDS) if numbers[kind]])] -= 1
            numbers[chance.randrange(KINDS)] += 1
        if max(numbers) <= 4:
            return numbers


def of_another_shape(numbers: list[int]) -> bool:
    """Whether these are seven pairs or thirteen orphans, which the package counts as wins."""
    return numbers.count(2) == 7 or all(numbers[kind] for kind in ORPHANS)


@pytest.mark.slow
@pytest.mark.evidence
def test_the_same_hands_win_as_in_the_package_mahjong() -> None:
    chance = random.Random(34)
    won = 0
    for _ in range(HANDS):
        numbers = hand(chance)
        ours = sets_and_pair(Counts.of_numbers(numbers))
        assert ours == numbers_win(numbers)
        if ours or not of_another_shape(numbers):
            assert ours == agari.Agari.is_agari(numbers), numbers
        won += ours
    assert HANDS // 4 < won < HANDS
