"""Splits of four tiles into a high and a low hand, and their text."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.errors import NotationError
from rules.games.pai_gow.ranking import Ranking, Split, is_legal, parse_split, settings, splits
from rules.tiles import Face, tile_set

fours = st.permutations(tile_set("pai_gow_32").faces).map(lambda pile: tuple(pile[:4]))


def texts(tiles: str) -> set[str]:
    return {str(split) for split in splits(tiles.split(), Ranking())}


def test_four_different_tiles_have_three_splits_each_with_the_stronger_hand_high() -> None:
    assert texts("6-6 5-4 1-1 3-1") == {
        "6-6 5-4 / 1-1 3-1",
        "6-6 1-1 / 3-1 5-4",
        "1-1 5-4 / 6-6 3-1",
    }


def test_a_pair_leaves_two_splits_and_two_pairs_leave_two() -> None:
    assert texts("6-6 6-6 5-1 2-2") == {"6-6 6-6 / 2-2 5-1", "6-6 5-1 / 6-6 2-2"}
    assert len(texts("6-6 6-6 2-2 2-2")) == 2


def test_either_of_two_halves_of_equal_rank_can_be_the_high_hand() -> None:
    ways = settings(["6-6", "6-3", "6-6", "5-4"], Ranking())
    assert [str(way) for way in ways if way.high[1] != "6-6"] == [
        "6-6 6-3 / 6-6 5-4",
        "6-6 5-4 / 6-6 6-3",
    ]


@pytest.mark.parametrize("text", ["", "6-6 5-4", "6-6 / 5-4 1-1", "6-6 5-4 / 1-1 9-9", "a / b"])
def test_a_text_that_is_not_a_split_is_refused(text: str) -> None:
    with pytest.raises(NotationError, match="is not a split; write the high hand, a"):
        parse_split(text)


@given(fours)
def test_every_split_is_legal_and_keeps_the_four_tiles(tiles: tuple[Face, ...]) -> None:
    found = splits(tiles, Ranking())
    assert 1 <= len(found) <= 3
    for split in found:
        assert is_legal(split, Ranking())
        assert Counter(split.tiles) == Counter(tiles)
        assert parse_split(str(split)) == split


@given(fours, st.permutations(range(4)))
def test_the_order_of_the_tiles_does_not_matter(tiles: tuple[Face, ...], order: list[int]) -> None:
    mixed = [tiles[place] for place in order]
    assert set(splits(mixed, Ranking())) == set(splits(tiles, Ranking()))
    assert Split((mixed[1], mixed[0]), (mixed[3], mixed[2])) == Split(
        (mixed[0], mixed[1]), (mixed[2], mixed[3])
    )


@given(fours)
def test_settings_are_the_legal_splits(tiles: tuple[Face, ...]) -> None:
    a, b, c, d = tiles
    every = [Split((a, b), (c, d)), Split((a, c), (b, d)), Split((a, d), (b, c))]
    every += [split.exchanged() for split in every]
    legal = {split for split in every if is_legal(split, Ranking())}
    found = settings(tiles, Ranking())
    assert set(found) == legal
    assert len(found) == len(legal)
