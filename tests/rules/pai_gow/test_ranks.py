"""The ranks of two tiles: PG-17 to PG-20, and the ranking as a total order."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.errors import RulesError
from rules.games.pai_gow.ranking import Half, Rank, Ranking
from rules.tiles import tile_set

PILE = tile_set("pai_gow_32").faces
HALVES = sorted(set(combinations(PILE, 2)))
HOUSES = (Ranking(), Ranking("both_lowest"), Ranking(zeros_alike=False))

halves = st.sampled_from(HALVES)
houses = st.sampled_from(HOUSES)


def rank(text: str, house: Ranking | None = None) -> Rank:
    one, other = text.split()
    return (house or Ranking()).rank((one, other))


ORDER = """
4-2 2-1 | 6-6 6-6 | 1-1 1-1 | 4-4 4-4 | 3-1 3-1 | 5-5 5-5 | 3-3 3-3 | 2-2 2-2 | 6-5 6-5 | 6-4 6-4 |
6-1 6-1 | 5-1 5-1 | 6-3 5-4 | 5-3 6-2 | 4-3 5-2 | 4-1 3-2 | 6-6 6-3 | 1-1 5-4 | 6-6 4-4 | 1-1 6-2 |
6-6 6-1 | 1-1 4-3 | 4-4 6-5 | 3-1 4-1 | 5-5 6-3 | 6-6 3-3 | 1-1 5-1 | 3-1 2-2 | 4-2 4-1 | 2-1 3-2 |
5-5 6-1 | 6-5 5-1 | 6-5 4-1 | 3-1 6-5 | 6-6 1-1 | 2-2 5-4 | 6-6 5-5 | 5-5 6-5 | 5-5 6-4
"""


def test_two_tile_hands_rank_in_the_order_of_the_rules() -> None:
    ranks = [rank(text) for text in " ".join(ORDER.split()).split(" | ")]
    assert all(stronger > weaker for stronger, weaker in pairwise(ranks))


def test_PG_17_teen_wong_beats_day_wong() -> None:
    assert rank("6-6 5-4") > rank("1-1 6-3")
    assert (rank("6-6 5-4").name, rank("1-1 6-3").name) == ("Teen Wong", "Day Wong")


def test_every_wong_beats_every_gong_and_4_4_makes_a_gong() -> None:
    assert rank("1-1 5-4") > rank("6-6 4-4") > rank("1-1 5-3") > rank("6-6 5-2")
    assert rank("1-1 4-4").name == "Day Gong"


def test_PG_18_the_same_number_with_the_same_highest_tile_is_a_copy() -> None:
    assert rank("2-2 6-1") == rank("2-2 4-3")
    assert rank("2-2 6-1").name == "1"


def test_PG_19_all_hands_of_0_are_equal() -> None:
    assert rank("5-5 6-4") == rank("2-2 5-1")
    house = Ranking(zeros_alike=False)
    assert rank("5-5 6-4", house) > rank("2-2 5-1", house)


def test_PG_20_a_gee_joon_tile_counts_3_or_6_to_the_advantage_of_the_hand() -> None:
    assert rank("4-2 3-3").name == "9"
    assert rank("2-1 3-3").name == "9"
    assert rank("2-1 6-6").name == "8"
    assert rank("4-2 6-1").name == "3"


def test_a_gee_joon_tile_makes_no_wong_and_no_pair_with_another_six() -> None:
    assert rank("4-2 6-6").name == "8"
    assert rank("4-2 5-1").name == "9"


def test_a_single_4_2_outranks_the_fives_if_the_house_splits_gee_joon() -> None:
    split, lowest = Ranking(), Ranking("both_lowest")
    assert rank("4-2 4-1") > rank("2-1 4-1")
    assert rank("4-2 4-1", lowest) == rank("2-1 4-1", lowest)
    sevens, six, fives, three = (split.single(face) for face in ("4-3", "4-2", "3-2", "2-1"))
    assert sevens > six > fives > three
    assert lowest.single("3-2") > lowest.single("4-2") == lowest.single("2-1")


@pytest.mark.parametrize("text", ["5-4 5-4", "6-6 0-0", "4-2 4-2"])
def test_tiles_that_are_not_two_of_one_set_have_no_rank(text: str) -> None:
    with pytest.raises(RulesError, match="are not two tiles of one pai gow set"):
        rank(text)


@given(houses, halves, halves, halves)
def test_the_ranking_is_a_total_preorder(house: Ranking, a: Half, b: Half, c: Half) -> None:
    one, two, three = house.rank(a), house.rank(b), house.rank(c)
    assert (one < two) + (one == two) + (one > two) == 1
    if one >= two >= three:
        assert one >= three


@given(houses, halves)
def test_the_order_of_two_tiles_does_not_matter(house: Ranking, half: Half) -> None:
    assert house.rank(half) == house.rank((half[1], half[0]))
