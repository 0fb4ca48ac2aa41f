"""Wins and classes of random hands, compared with a slow search of all possibilities."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from rules.errors import RulesError
from rules.games.wenzhou.setup import Parameters
from rules.games.wenzhou.tiles import Caishen, SetDown, set_down
from rules.games.wenzhou.wins import Claim, WinReading, is_complete, judged
from rules.melds import KINDS, Counts, face_of, kind_of
from tests.quick import tries
from tests.rules.wenzhou import brute_force, every_reading

HANDS = tries(1_000, quick=1_000, evidence=20_000)
TILES = 17


def hand(chance: random.Random) -> list[int]:
    """Seventeen tiles: sets and a pair, or eight pairs, with up to two tiles changed."""
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
    """Hands as plain tiles and a number of wild tiles; three wild tiles are rare (slow search)."""
    chance = random.Random(seed)
    dealt = []
    for _ in range(number):
        wild = chance.choices((0, 1, 2, 3), (30, 34, 30, 6))[0]
        dealt.append((hand(chance)[wild:], wild))
    return [(kinds, wild) for kinds, wild in dealt if max(map(kinds.count, kinds)) <= 4]


@pytest.mark.slow
@pytest.mark.evidence
def test_wins_agree_with_the_slow_search() -> None:
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


@pytest.mark.slow
def test_classes_of_hands_won_on_a_discard_agree_with_the_slow_search() -> None:
    """Only hands in which the claimed tile cannot be the pair of a single caishen."""
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
        assert (win.multiplier if isinstance(win, WinReading) else None) == slow, claim
        found.add(slow or 0)
    assert found == {0, 1, 2, 4}


def _could_be_single_wait(kinds: list[int]) -> bool:
    """Whether the other tiles form sets, so that the caishen can pair with the claimed tile."""
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


def claims(chance: random.Random) -> Claim:
    """A claim of a hand near a win: up to three caishen, some sets laid down, any last tile."""
    kinds = hand(chance)
    if chance.random() < 0.5:
        kinds.sort()  # so that the tiles of a set are neighbours
    caishen = Caishen(face_of(chance.randrange(KINDS)))
    faces = [caishen.face_of(kind) for kind in kinds]
    for _ in range(chance.randrange(4)):
        faces[chance.randrange(TILES)] = caishen.face or ""
    melds: list[SetDown] = []
    while len(melds) < chance.choice((0, 0, 1, 3, 5)) and len(faces) > 2:
        three = tuple(sorted(faces[-3:], key=caishen.kind_of))
        if caishen.face in three:
            break
        try:
            melds.append(set_down(three, caishen))
        except RulesError:
            break
        del faces[-3:]
    return Claim(
        caishen,
        tuple(faces[1:]),
        faces[0],
        chance.choice(("self", "replacement", "discard", "discard", "robbing")),
        tuple(melds),
        first_turn=chance.random() < 0.1,
        undisturbed=chance.random() < 0.5,
    )


HOUSES = [
    Parameters(
        white_counts_as_face=white,
        caishen_single_strict=strict,
        all_pungs_double=pungs,
    )
    for white in (True, False)
    for strict in (True, False)
    for pungs in (True, False)
]


@pytest.mark.slow
def test_a_judged_hand_gets_the_first_of_its_best_readings() -> None:
    chance = random.Random(11)
    found: Counter[int] = Counter()
    for _ in range(3000):
        claim, house = claims(chance), chance.choice(HOUSES)
        win = judged(claim, house)
        slow = every_reading.best_reading(claim, house)
        if isinstance(win, WinReading) and win.reading is not None:
            assert (win.multiplier, win.reading) == slow, claim
            found[win.multiplier] += 1
        elif slow is not None:
            # Eight pairs, or three caishen with any tiles, pay more than every reading.
            assert isinstance(win, WinReading), claim
            assert win.multiplier > slow[0], claim
    assert min(found[1], found[2], found[4]) > 100
