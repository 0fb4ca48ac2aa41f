"""A player's hands against the banker's: PG-18, PG-19, PG-21, copies, and agreement with ranks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rules.games.pai_gow.compare import Comparison, compare
from rules.games.pai_gow.ranks import Ranking
from rules.games.pai_gow.setup import Parameters
from rules.games.pai_gow.split import Split, parse_split, splits
from rules.tiles import tile_set


def compared(player: str, banker: str, house: Parameters | None = None) -> Comparison:
    return compare(parse_split(player), parse_split(banker), house)


def test_a_player_who_takes_both_hands_wins() -> None:
    told = compared("6-6 5-4 / 3-1 4-1", "1-1 6-3 / 3-3 5-5")
    assert told.result == "win"
    assert told.reasons == (
        "high 6-6 5-4 to 1-1 6-3: the player's Teen Wong beats Day Wong (4.2)",
        "low 3-1 4-1 to 5-5 3-3: the player's 9 beats 6 (4.2)",
    )


def test_PG_18_a_copy_is_the_bankers() -> None:
    told = compared("6-6 5-4 / 2-2 6-1", "1-1 6-3 / 2-2 4-3")
    assert (told.high, told.low, told.result) == ("player", "banker", "push")
    assert told.reasons[1] == "low 2-2 6-1 to 2-2 4-3: both 1, a copy, to the banker (4.2)"


def test_PG_19_zero_against_zero_is_the_bankers_although_the_players_tile_is_higher() -> None:
    told = compared("6-6 6-3 / 5-5 6-4", "1-1 5-4 / 2-2 5-1")
    assert (told.high, told.low, told.result) == ("player", "banker", "push")
    assert told.reasons[1].endswith("both 0, to the banker (4.2)")


def test_PG_21_one_hand_each_is_a_push() -> None:
    assert compared("6-6 6-6 / 5-5 6-5", "1-1 6-3 / 3-3 5-5").result == "push"


def test_a_banker_who_wins_both_hands_wins_the_bet() -> None:
    assert compared("3-1 5-1 / 6-5 6-4", "1-1 6-3 / 3-3 5-5").result == "lose"


def test_equal_numbers_are_decided_by_the_stronger_tile() -> None:
    told = compared("6-6 6-1 / 6-4 6-5", "1-1 5-2 / 6-5 5-5")
    assert (told.high, told.low) == ("player", "banker")
    assert told.reasons[0].endswith("both 9, the player's stronger tile decides (4.2)")


def test_a_house_may_give_its_banker_no_copies_and_no_zeros() -> None:
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
    told, rank = compare(player, banker), Ranking().rank
    assert (told.high == "player") == (rank(player.high) > rank(banker.high))
    assert (told.low == "player") == (rank(player.low) > rank(banker.low))
    assert {told.high, told.low} <= {"player", "banker"}


@given(piles, st.integers(0, 5))
def test_no_two_sides_can_both_win(pile: list[str], pick: int) -> None:
    player, banker = two_splits(pile, pick)
    if compare(player, banker).result == "win":
        assert compare(banker, player).result == "lose"
