"""Wins and classes of random hands, against trying everything."""

from __future__ import annotations

import random

import pytest

from rules.games.wenzhou.caishen import Caishen
from rules.games.wenzhou.hand import Claim, Win, is_complete, judged
from rules.games.wenzhou.parameters import Parameters
from rules.melds import KINDS, Counts, face_of, kind_of
from tests.rules.wenzhou import brute_force

HANDS = 20_000
TILES = 17


def hand(chance: random.Random) -> list[int]:
    """Seventeen tiles: sets and a pair, or eight pairs, now and then with a tile or two changed."""
    kinds: list[int] = []
    if chance.random() < 0.15:
        for kind in chance.choices(range(KINDS), k=8):
            kinds += [kind, kind]
        kinds.append(chance.randrange(KINDS))
    else:
        for _ in range(5):
            low = chance.randrange(KINDS)
            is_run = low < 27 and low % 9 < 7 and chance.random() < 0.7
            kinds += [low, low + 1, low + 2] if is_run else [low] * 3
        kinds += [chance.randrange(KINDS)] * 2
    for _ in range(chance.choice((0, 0, 1, 2))):
        kinds[chance.randrange(TILES)] = chance.randrange(KINDS)
    chance.shuffle(kinds)
    return kinds


def hands(number: int, seed: int) -> list[tuple[list[int], int]]:
    """Plain tiles and how many wild ones stand beside them; three are rarer, being slow to try."""
    chance = random.Random(seed)
    dealt = []
    for _ in range(number):
        wild = chance.choices((0, 1, 2, 3), (30, 34, 30, 6))[0]
        dealt.append((hand(chance)[wild:], wild))
    return [(kinds, wild) for kinds, wild in dealt if max(map(kinds.count, kinds)) <= 4]


@pytest.mark.slow
def test_wins_are_those_of_trying_every_caishen_and_every_decomposition() -> None:
    tried = won = 0
    seed = 0
    while tried < HANDS:
        for kinds, wild in hands(1000, seed):
            slow = (
                wild >= 3 or brute_force.wins(kinds, wild) or brute_force.eight_pairs(kinds, wild)
            )
            assert is_complete(Counts.of(kinds), wild) == slow, (kinds, wild)
            tried += 1
            won += slow
        seed += 1
    assert HANDS // 5 < won < tried


def test_classes_of_hands_won_by_discard_are_those_of_trying_everything() -> None:
    """Soft, hard and double, where no claimed tile can be the pair of a lone caishen."""
    found: set[int] = set()
    chance = random.Random(7)
    for kinds, wild in hands(4000, seed=99):
        indicator = chance.randrange(KINDS)
        if wild > 1 or kind_of("5z") in kinds or indicator in kinds or not kinds:
            continue
        natural = [*kinds]
        claim = Claim(
            Caishen(face_of(indicator)),
            (*map(face_of, natural[1:]), *[face_of(indicator)] * wild),
            face_of(natural[0]),
            "discard",
        )
        if wild == 1 and _could_be_single_wait(natural):
            continue
        win = judged(claim, Parameters())
        slow = _slow_class(natural, wild, indicator)
        assert (win.multiplier if isinstance(win, Win) else None) == slow, claim
        found.add(slow or 0)
    assert found == {0, 1, 2, 4}


def _could_be_single_wait(kinds: list[int]) -> bool:
    """The rest is sets: a caishen is left over for the claimed tile."""
    rest = sorted(kinds[1:])
    return all(
        brute_force.are_sets(tuple(kind for kind in rest if kind // 9 == suit)) for suit in range(4)
    )


def _slow_class(kinds: list[int], wild: int, indicator: int) -> int | None:
    if brute_force.eight_pairs([*kinds, *[indicator] * wild], 0):
        return 4
    if brute_force.eight_pairs(kinds, wild):
        return 2
    if brute_force.at_face_value(kinds, wild, indicator):
        return 2
    return 1 if brute_force.wins(kinds, wild) else None
