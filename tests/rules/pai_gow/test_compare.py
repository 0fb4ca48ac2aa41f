"""Comparison of a player's hands with the banker's: PG-18, PG-19, PG-21, copies, ranks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rules.games.pai_gow.ranking import Ranking, Split, parse_split, splits
from rules.games.pai_gow.settle import Comparison, compare
from rules.games.pai_gow.setup import Parameters
from rules.tiles import tile_set


def compared(player: str, banker: str, house: Parameters | None = None) -> Comparison:
    return compare(parse_split(player), parse_split(banker), house)


def test_a_player_who_wins_both_hands_wins_the_bet() -> None:
    comparison = compared("6-6 5-4 / 3-1 4-1", "1-1 6-3 / 3-3 5-5")
    assert comparison.result == "win"
    assert comparison.reasons == (
        "high 6-6 5-4 to 1-1 6-3: the player's Teen Wong beats Day Wong (4.2)",
        "low 3-1 4-1 to 5-5 3-3: the player's 9 beats 6 (4.2)",
    )


def test_PG_18_the_banker_wins_a_copy() -> None:
    comparison = compared("6-6 5-4 / 2-2 6-1", "1-1 6-3 / 2-2 4-3")
    assert (comparison.high, comparison.low, comparison.result) == ("player", "banker", "push")
    assert comparison.reasons[1] == (
        "low 2-2 6-1 to 2-2 4-3: both 1, a copy, which the banker wins (4.2)"
    )


def test_PG_19_the_banker_wins_two_hands_of_0_even_if_the_players_tile_is_higher() -> None:
    comparison = compared("6-6 6-3 / 5-5 6-4", "1-1 5-4 / 2-2 5-1")
    assert (comparison.high, comparison.low, comparison.result) == ("player", "banker", "push")
    assert comparison.reasons[1].endswith("both 0, which the banker wins (4.2)")


def test_PG_21_one_hand_each_is_a_push() -> None:
    assert compared("6-6 6-6 / 5-5 6-5", "1-1 6-3 / 3-3 5-5").result == "push"


def test_a_banker_who_wins_both_hands_wins_the_bet() -> None:
    assert compared("3-1 5-1 / 6-5 6-4", "1-1 6-3 / 3-3 5-5").result == "lose"


def test_equal_numbers_are_decided_by_the_stronger_tile() -> None:
    comparison = compared("6-6 6-1 / 6-4 6-5", "1-1 5-2 / 6-5 5-5")
    assert (comparison.high, comparison.low) == ("player", "banker")
    assert comparison.reasons[0].endswith("both 9, the player's stronger tile decides (4.2)")


def test_a_house_can_play_without_copies_or_zeros_for_the_banker() -> None:
    no_copies = Parameters(banker_wins_copies=False)
    assert compared("6-6 5-4 / 2-2 6-1", "6-6 6-3 / 2-2 4-3", no_copies).result == "push"
    assert compared("6-6 5-4 / 5-5 6-4", "1-1 6-3 / 2-2 5-1", no_copies).low == "banker"
    no_zeros = Parameters(zero_zero_to_banker=False)
    assert compared("6-6 5-4 / 5-5 6-4", "1-1 6-3 / 2-2 5-1", no_zeros).result == "win"


piles = st.permutations(tile_set("pai_gow_32").faces)


def two_splits(pile: list[str], pick: int) -> tuple[Split, Split]:
    mine, his = splits(pile[:4], Ranking()), splits(pile[4:8], Ranking())
    return mine[pick % len(mine)], his[pick % len(his)]


@given(piles, st.integers(0, 5))
def test_comparison_agrees_with_the_ranking(pile: list[str], pick: int) -> None:
    player, banker = two_splits(pile, pick)
    comparison, rank = compare(player, banker), Ranking().rank
    assert (comparison.high == "player") == (rank(player.high) > rank(banker.high))
    assert (comparison.low == "player") == (rank(player.low) > rank(banker.low))
    assert {comparison.high, comparison.low} <= {"player", "banker"}


@given(piles, st.integers(0, 5))
def test_no_two_sides_can_both_win(pile: list[str], pick: int) -> None:
    player, banker = two_splits(pile, pick)
    if compare(player, banker).result == "win":
        assert compare(banker, player).result == "lose"
