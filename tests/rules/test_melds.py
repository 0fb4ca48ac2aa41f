"""Sets and pairs: counts of tiles, tests for a winning shape, readings, missing tiles."""

from __future__ import annotations

import random
from collections import Counter
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.errors import NotationError
from rules.games.dominoes import layout
from rules.melds import (
    KINDS,
    Counts,
    distance,
    face_of,
    groups_with,
    helpful_kinds,
    is_honour,
    kind_of,
    numbers_win,
    only_sets,
    pairs,
    readings,
    sets_and_pair,
    sets_within,
    tiles_short,
    triplets_and_pair,
    waits,
)
from tests.rules.wenzhou import brute_force

HAND = ["1m", "1m", "1m", "2m", "3m", "4m", "5m", "6m", "7m", "8m", "9m", "9m", "9m"]
KIND = st.integers(0, KINDS - 1)


def counted(text: str) -> Counts:
    return Counts.of_faces(text.split())


@st.composite
def small_hands(draw: st.DrawFn) -> tuple[list[int], int]:
    """Five or eight tiles of neighbouring kinds, up to three of them wild."""
    wild = draw(st.integers(0, 3))
    size = draw(st.sampled_from((5, 8))) - wild
    near = st.one_of(st.integers(0, 8), st.integers(15, 20), st.integers(25, 29))
    kinds = draw(st.lists(near, min_size=size, max_size=size))
    return (kinds, wild) if max(Counter(kinds).values()) <= 4 else (sorted(set(kinds)), 0)


def test_every_kind_has_a_face_that_converts_back_to_it() -> None:
    assert [kind_of(face_of(kind)) for kind in range(KINDS)] == list(range(KINDS))
    assert [face_of(kind) for kind in (0, 8, 9, 26, 27, 33)] == ["1m", "9m", "1p", "9s", "1z", "7z"]
    assert [kind for kind in range(KINDS) if is_honour(kind)] == list(range(27, 34))
    with pytest.raises(NotationError, match="'1f' is not a tile that forms sets; write one"):
        kind_of("1f")


@given(
    st.lists(KIND, max_size=17).filter(lambda kinds: not kinds or max(Counter(kinds).values()) < 8)
)
def test_counts_list_the_tiles_that_were_counted(kinds: list[int]) -> None:
    counts = Counts.of(kinds)
    assert list(counts.tiles()) == sorted(kinds)
    assert list(counts.kinds()) == sorted(set(kinds))
    assert counts.size == len(kinds)
    assert counts.lowest == min(kinds, default=KINDS)
    assert counts == Counts.of_numbers([kinds.count(kind) for kind in range(KINDS)])
    assert [counts.having(kind) for kind in range(KINDS)] == [
        kinds.count(kind) for kind in range(KINDS)
    ]
    if kinds:
        assert counts.minus(kinds[0]).plus(kinds[0]) == counts
        assert counts.less(kinds) == Counts()
        assert counts.less([*kinds, kinds[0]]) is None


def test_the_nine_gates_wait_for_nine_kinds() -> None:
    assert list(waits(Counts.of_faces(HAND))) == list(range(9))


def test_three_triplets_in_a_row_can_also_be_read_as_three_runs() -> None:
    counts = counted("1m 1m 1m 2m 2m 2m 3m 3m 3m 4m 4m")
    assert [str(reading) for reading in readings(counts)] == [
        "1m 1m 1m, 2m 2m 2m, 3m 3m 3m, 4m 4m",
        "1m 2m 3m, 1m 2m 3m, 1m 2m 3m, 4m 4m",
        "1m 2m 3m, 2m 3m 4m, 2m 3m 4m, 1m 1m",
    ]


def test_wild_tiles_complete_sets_and_the_pair() -> None:
    counts = counted("3m 4m 5m 7s 1z 1z")
    assert [str(reading) for reading in readings(counts, 2)] == [
        "3m 4m 5m, 1z 1z 1z*, 7s 7s*",
        "3m 4m 5m, 5s* 6s* 7s, 1z 1z",
        "3m 4m 5m, 6s* 7s 8s*, 1z 1z",
        "3m 4m 5m, 7s 7s* 7s*, 1z 1z",
        "3m 4m 5m, 7s 8s* 9s*, 1z 1z",
    ]


@given(small_hands())
@pytest.mark.slow
def test_sets_and_pair_agrees_with_a_search_of_all_combinations(
    hand: tuple[list[int], int],
) -> None:
    kinds, wild = hand
    assert sets_and_pair(Counts.of(kinds), wild) == brute_force.wins(kinds, wild)


@given(small_hands())
def test_the_readings_are_complete_correct_and_without_repeats(
    hand: tuple[list[int], int],
) -> None:
    kinds, wild = hand
    counts = Counts.of(kinds)
    found = list(readings(counts, wild))
    assert len(found) == len(set(found))
    assert bool(found) == sets_and_pair(counts, wild)
    for reading in found:
        natural = [kind for group in reading.groups for kind in group.natural]
        assert sorted(natural) == sorted(kinds)
        assert len(reading.wild) == wild
        assert all(group.is_run != group.is_triplet for group in reading.sets)
    wild_kinds = {reading.wild for reading in found}
    if wild <= 2:
        assert wild_kinds == {
            wilds
            for wilds in brute_force.combinations_with_replacement(range(KINDS), wild)
            if brute_force.sets_and_pair((*kinds, *wilds))
        }
    for kind in set(kinds):
        holding = {group for reading in found for group in reading.groups if kind in group.natural}
        assert set(groups_with(counts, kind, wild)) == holding


@given(small_hands(), st.integers(0, KINDS - 1))
def test_readings_with_a_filter_are_a_part_of_all_readings_in_the_same_order(
    hand: tuple[list[int], int], kind: int
) -> None:
    kinds, wild = hand
    counts = Counts.of(kinds)
    every = list(readings(counts, wild))
    for only in (
        lambda group: not group.is_run,
        lambda group: all(each == kind for each in group.wild),
    ):
        assert list(readings(counts, wild, only)) == [
            reading for reading in every if all(map(only, reading.groups))
        ]


@given(small_hands())
def test_sets_alone_pairs_and_triplets_agree_with_the_readings(
    hand: tuple[list[int], int],
) -> None:
    kinds, wild = hand
    counts = Counts.of(kinds)
    for kind in range(0, KINDS, 5):
        assert only_sets(counts, wild) <= sets_and_pair(counts.plus(kind, 2), wild)
    triplets = any(
        all(group.is_triplet for group in reading.sets) for reading in readings(counts, wild)
    )
    assert triplets_and_pair(counts, wild) == triplets
    assert pairs(counts, wild) == min(
        (len(kinds) + wild) // 2,
        sum(number // 2 for number in Counter(kinds).values())
        + min(wild, sum(number % 2 for number in Counter(kinds).values()))
        + max(0, wild - sum(number % 2 for number in Counter(kinds).values())) // 2,
    )
    for group, rest in sets_within(counts, wild):
        assert Counter(rest.tiles()) + Counter(group.natural) == Counter(kinds)


def test_the_number_of_missing_tiles_is_the_number_of_tiles_to_exchange() -> None:
    assert tiles_short(counted("1m 2m 3m 5p 5p"), 1) == 0
    assert tiles_short(counted("1m 2m 5p 5p"), 1) == 1
    assert tiles_short(counted("1m 2m 5p 9s"), 1, wild=1) == 1
    assert tiles_short(counted("1m 4m 7m 1p"), 1) == 3


@pytest.mark.slow
def test_the_helpful_kinds_are_those_near_a_tile_that_leave_fewer_tiles_to_exchange() -> None:
    chance = random.Random(8)
    helped = 0
    for _ in range(300):
        wall = chance.choice((range(KINDS), (*range(9), *range(27, 30))))
        tiles = chance.sample([kind for kind in wall for _ in range(4)], 16)
        wild = chance.randrange(4)
        counts = Counts.of(tiles[wild:])
        short = tiles_short(counts, 5, wild)
        nearer = [
            kind
            for kind in range(KINDS)
            if any(kind // 9 == other // 9 and abs(kind - other) <= 2 for other in tiles[wild:])
            and tiles_short(counts.plus(kind), 5, wild) < short
        ]
        assert list(helpful_kinds(counts, 5, wild)) == nearer
        helped += bool(nearer)
    assert helped > 200


def test_numbers_win_agrees_with_sets_and_pair() -> None:
    chance = random.Random(3)
    for _ in range(2000):
        numbers = [0] * KINDS
        for low in chance.sample(range(27), 4):
            for kind in (low, low + 1, low + 2) if low % 9 < 7 else (low,) * 3:
                numbers[kind] += 1
        numbers[chance.randrange(KINDS)] += 2
        assert numbers_win(numbers)
        assert sets_and_pair(Counts.of_numbers(numbers))
        numbers[chance.randrange(KINDS)] += 1
        assert not numbers_win(numbers)


@pytest.mark.parametrize("module", [distance, layout], ids=["distance", "tableau"])
def test_a_table_that_plays_for_months_keeps_a_limited_number_of_results(
    module: ModuleType,
) -> None:
    kept = {
        name: each.cache_info().maxsize
        for name, each in vars(module).items()
        if hasattr(each, "cache_info") and each.__module__ == module.__name__
    }
    assert kept
    assert None not in kept.values(), f"{module.__name__} keeps results without limit: {kept}"
