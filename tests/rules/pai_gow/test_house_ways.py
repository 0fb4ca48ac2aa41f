"""House ways: hands from the published rules of the houses, and legal splits of every hand."""

from __future__ import annotations

from typing import get_args

import pytest

from rules.errors import RulesError
from rules.games.pai_gow import set_hand
from rules.games.pai_gow.house_ways import HOUSE_WAYS
from rules.games.pai_gow.optimum import four_tile_hands
from rules.games.pai_gow.ranking import Rank, Ranking, Split, is_legal, parse_split, splits
from rules.games.pai_gow.setup import HouseWayName
from tests.quick import tries


def laid(tiles: str, house_way: str) -> str:
    return str(Split(*set_hand(tiles.split(), house_way)))


def worth(split: str) -> list[Rank]:
    """The ranks of both halves; the tiles of a mixed pair can be exchanged."""
    parsed = parse_split(split)
    return [Ranking().rank(parsed.high), Ranking().rank(parsed.low)]


@pytest.mark.parametrize("name", HOUSE_WAYS)
@pytest.mark.slow
@pytest.mark.evidence
def test_a_house_way_sets_every_hand_legally(name: str) -> None:
    for ranking in (Ranking(), Ranking("both_lowest", zeros_alike=False)):
        for tiles in tuple(four_tile_hands())[:: tries(3, quick=7, evidence=1)]:
            split = HOUSE_WAYS[name].set(tiles, ranking)
            assert is_legal(split, ranking)
            assert split in splits(tiles, ranking)


@pytest.mark.parametrize("name", HOUSE_WAYS)
def test_every_house_sets_two_pairs_as_two_hands(name: str) -> None:
    assert laid("2-1 3-3 4-2 3-3", name) == "4-2 2-1 / 3-3 3-3"
    assert laid("5-3 4-4 6-2 4-4", name) == "4-4 4-4 / 5-3 6-2"


@pytest.mark.parametrize("name", HOUSE_WAYS)
@pytest.mark.parametrize("pair", ["3-1 3-1", "2-2 2-2", "4-1 3-2", "3-3 3-3", "6-4 6-4", "6-5 6-5"])
def test_no_house_splits_a_pair_of_fours_fives_sixes_tens_or_elevens(name: str, pair: str) -> None:
    high, _ = set_hand([*pair.split(), "6-6", "6-3"], name)
    assert set(high) == set(pair.split())


@pytest.mark.slow
def test_california_keeps_every_pair() -> None:
    assert laid("6-6 6-6 5-4 6-3", "california") == "6-6 6-6 / 6-3 5-4"
    for tiles in four_tile_hands():
        split = HOUSE_WAYS["california"].set(tiles, Ranking())
        can = any(Ranking().rank(each.high).is_pair for each in splits(tiles, Ranking()))
        assert Ranking().rank(split.high).is_pair == can


@pytest.mark.parametrize(
    ("tiles", "split"),
    [
        ("4-2 2-1 5-1 6-4", "4-2 2-1 / 6-4 5-1"),
        ("4-2 2-1 5-1 3-1", "5-1 4-2 / 3-1 2-1"),
        ("6-6 6-6 5-4 6-5", "6-6 5-4 / 6-6 6-5"),
        ("6-6 6-6 6-3 6-2", "6-6 6-3 / 6-6 6-2"),
        ("6-6 6-6 5-1 4-1", "6-6 5-1 / 6-6 4-1"),
        ("6-6 6-6 6-5 5-1", "6-6 6-6 / 6-5 5-1"),
        ("6-3 5-4 6-6 6-4", "6-6 6-3 / 6-4 5-4"),
        ("6-3 5-4 6-6 6-5", "6-3 5-4 / 6-6 6-5"),
        ("5-3 6-2 5-5 6-4", "5-5 5-3 / 6-4 6-2"),
        ("4-3 5-2 6-5 6-6", "6-6 4-3 / 6-5 5-2"),
        ("6-6 6-3 6-2 6-5", "6-6 6-3 / 6-5 6-2"),
        ("6-6 6-3 5-2 5-5", "6-6 5-2 / 5-5 6-3"),
        ("1-1 6-3 5-2 6-5", "1-1 6-3 / 6-5 5-2"),
        ("1-1 6-2 5-2 3-1", "1-1 6-2 / 3-1 5-2"),
        ("6-6 1-1 6-3 5-5", "6-6 6-3 / 1-1 5-5"),
        ("6-6 1-1 6-3 5-3", "6-6 6-3 / 1-1 5-3"),
        ("6-5 6-4 5-1 3-1", "6-4 5-1 / 3-1 6-5"),
        ("5-5 6-3 4-1 6-5", "5-5 6-3 / 6-5 4-1"),
        ("6-5 6-4 5-1 5-5", "6-5 5-1 / 5-5 6-4"),
    ],
)
def test_foxwoods_sets_as_in_its_published_rules(tiles: str, split: str) -> None:
    assert worth(laid(tiles, "foxwoods")) == worth(split)


@pytest.mark.parametrize(
    ("tiles", "high", "low"),
    [
        ("6-6 6-6 5-4 6-5", "Teen Wong", "3"),
        ("4-4 5-5 6-5 6-1", "9", "7"),
        ("4-2 3-3 4-1 6-6", "9", "7"),
        ("4-2 3-1 4-1 6-5", "9", "7"),
        ("4-4 5-3 6-3 6-4", "8", "7"),
        ("3-3 5-1 2-1 6-1", "9", "3"),
        ("6-6 5-3 6-3 2-2", "Teen Gong", "3"),
        ("3-3 5-1 6-5 4-1", "7", "1"),
        ("4-4 5-3 6-3 2-2", "7", "2"),
        ("6-6 6-6 4-2 3-1", "pair of Teen", "7"),
        ("6-6 6-6 5-1 4-1", "8", "7"),
        ("6-3 5-4 6-5 6-4", "mixed pair of nines", "1"),
        ("6-3 5-4 5-5 6-4", "9", "9"),
        ("6-1 6-1 6-6 1-1", "9", "9"),
        ("5-5 6-3 6-1 5-1", "6", "6"),
    ],
)
def test_canberra_sets_as_in_its_published_rules(tiles: str, high: str, low: str) -> None:
    halves = set_hand(tiles.split(), "canberra")
    assert [Ranking().rank(half).name for half in halves] == [high, low]


def test_canberra_puts_the_stronger_tile_into_the_weaker_hand() -> None:
    assert laid("4-4 5-3 6-3 6-4", "canberra") == "6-4 5-3 / 4-4 6-3"
    assert laid("3-3 5-1 2-1 6-1", "canberra") == "5-1 2-1 / 3-3 6-1"


@pytest.mark.parametrize(
    ("tiles", "split"),
    [
        ("1-1 1-1 6-3 6-5", "1-1 6-3 / 1-1 6-5"),
        ("1-1 1-1 4-4 5-3", "1-1 4-4 / 1-1 5-3"),
        ("1-1 1-1 6-5 6-4", "1-1 1-1 / 6-5 6-4"),
        ("6-3 5-4 6-6 1-1", "6-6 6-3 / 1-1 5-4"),
        ("4-3 5-2 6-5 6-4", "6-5 4-3 / 6-4 5-2"),
        ("4-3 5-2 6-5 5-5", "6-5 4-3 / 5-5 5-2"),
        ("6-6 6-3 5-3 3-1", "6-6 5-3 / 3-1 6-3"),
        ("6-6 6-3 5-3 2-2", "6-6 6-3 / 2-2 5-3"),
    ],
)
def test_new_zealand_sets_as_in_its_published_rules(tiles: str, split: str) -> None:
    assert worth(laid(tiles, "new_zealand")) == worth(split)


def test_set_hand_returns_the_high_hand_and_the_low_hand() -> None:
    assert set_hand(("2-2", "6-3", "6-6", "6-1"), "foxwoods") == (("6-6", "6-1"), ("2-2", "6-3"))


@pytest.mark.parametrize(
    ("tiles", "message"),
    [
        ("6-6 5-4 1-1", "A pai gow hand has 4 tiles, not 3: 6-6 5-4 1-1"),
        ("6-6 6-6 6-6 1-1", "'6-6' 3 times, but a pai gow set has it 2"),
        ("6-6 5-4 1-1 0-0", "'0-0' 1 times, but a pai gow set has it 0"),
    ],
)
def test_tiles_that_are_not_a_hand_are_refused(tiles: str, message: str) -> None:
    with pytest.raises(RulesError, match=message):
        set_hand(tiles.split())


def test_every_house_way_can_be_a_parameter_of_a_house() -> None:
    assert get_args(HouseWayName) == tuple(HOUSE_WAYS)


def test_an_unknown_house_way_is_refused_with_a_list_of_all_house_ways() -> None:
    with pytest.raises(RulesError, match="no house way 'monaco'; choose one of canberra, foxwoods"):
        set_hand(["6-6", "5-4", "1-1", "3-1"], "monaco")
