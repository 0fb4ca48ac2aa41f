"""Wenzhou mahjong: which hands win, and in which class."""

from __future__ import annotations

from rules.games.wenzhou.setup import Parameters
from tests.rules.wenzhou.hands import BASE, refusal, result

SEVEN_PAIRS = "11m 33m 55m 77p 99p 11s 33s"
MISFITS = "1m 4m 7m 9m 1p 4p 7p 1s 4s 7s E S W"
BARE = ("345m", "678m", "123p", "456p", "789s")


def test_WZ_08_a_hand_without_caishen_wins_hard_on_a_discard() -> None:
    assert result(f"{BASE} 789s E", "E", "discard") == ("hard", 2)


def test_WZ_09_a_win_with_a_caishen_as_8s_is_soft_on_a_discard_and_hard_by_self_draw() -> None:
    assert result(f"{BASE} 7s C EE", "9s", "discard") == ("soft", 1)
    assert result(f"{BASE} 7s C EE", "9s") == ("self-draw", 2)
    assert result(f"{BASE} 7s C EE", "9s", "replacement") == ("self-draw", 2)


def test_WZ_10_caishen_and_white_as_a_pair_are_at_face_value() -> None:
    hand = f"{BASE} 78s C White"
    assert result(hand, "9s", "discard") == ("hard", 2)
    forbidden = Parameters(white_counts_as_face=False)
    assert result(hand, "9s", "discard", parameters=forbidden) == ("soft", 1)


def test_WZ_11_a_single_wait_on_a_caishen_cannot_win_on_a_discard() -> None:
    assert "single caishen" in refusal(f"{BASE} 789s C", "W", "discard")
    assert result(f"{BASE} 789s C", "W") == ("self-draw", 2)
    assert result(f"{BASE} 789s C", "W", "robbing") is None


def test_WZ_12_a_caishen_that_can_be_in_a_run_is_not_a_single_wait() -> None:
    assert result(f"{BASE} 78s C E", "E", "discard") == ("soft", 1)


def test_WZ_13_eight_pairs_without_caishen_are_double() -> None:
    assert result(f"{SEVEN_PAIRS} E S", "E", "discard") == ("hard eight pairs", 4)


def test_WZ_14_eight_pairs_with_a_transformed_caishen_are_hard() -> None:
    assert result(f"{SEVEN_PAIRS} E C", "S", "discard") == ("soft eight pairs", 2)


def test_WZ_15_two_caishen_are_a_pair_at_face_value() -> None:
    assert result(f"{SEVEN_PAIRS} C C", "N") == ("hard eight pairs", 4)


def test_WZ_16_four_equal_tiles_are_two_pairs() -> None:
    assert result("1111m 55m 77p 99p 11s 33s E S", "E") == ("hard eight pairs", 4)


def test_WZ_17_three_caishen_in_a_complete_shape_are_double() -> None:
    assert result(f"{BASE} 7s C C E", "C") == ("three caishen", 4)


def test_WZ_18_three_caishen_and_misfits_are_hard_but_not_in_the_first_turn() -> None:
    anything = ("three caishen and any tiles", 2)
    assert result(f"{MISFITS} N C C", "C") == anything
    assert result(f"{MISFITS} C C C", "N", "discard") == anything
    assert result(f"{MISFITS} N C C", "C", first_turn=True) is None
    assert result(f"{MISFITS} C C C", "N", "discard", first_turn=True) is None

    never = Parameters(three_caishen_any_on_discard=False)
    assert result(f"{MISFITS} C C C", "N", "discard", parameters=never) is None
    only_hard = Parameters(garbage_first_turn="hard")
    assert result(f"{MISFITS} N C C", "C", first_turn=True, parameters=only_hard) == anything


def test_WZ_19_heaven_and_earth_are_double() -> None:
    hand = f"{BASE} 7s C EE"
    assert result(hand, "9s", first_turn=True) == ("heaven", 4)
    assert result(hand, "9s", "discard", first_turn=True) == ("earth", 4)


def test_WZ_20_one_tile_in_hand_beside_five_sets_is_double() -> None:
    assert result("E", "E", "discard", melds=BARE) == ("bare single", 4)
    assert result("C", "N", melds=BARE) == ("all-seeking god", 4)
    assert result("C", "N", "discard", melds=BARE) is None


def test_WZ_21_robbing_a_kong_is_hard() -> None:
    assert result(f"{BASE} 7s C EE", "9s", "robbing") == ("robbing a kong", 2)


def test_WZ_22_with_white_as_indicator_the_whites_are_the_caishen() -> None:
    hand = f"{BASE} 7s White EE"
    assert result(hand, "9s", "discard", indicator="5z") == ("soft", 1)


def test_WZ_23_white_is_the_indicators_kind_in_a_run() -> None:
    hand = "1m White 456m 678m 123p 456p EE"
    assert result(hand, "3m", "discard") == ("hard", 2)


def test_E7_a_single_caishen_cannot_win_on_white_or_on_its_own_kind() -> None:
    hand = "456m 789m 123p 456p 789s C"
    forgiving = Parameters(caishen_single_strict=False)
    for tile in ("White", "C"):
        assert result(hand, tile, "discard") is None
        assert result(hand, tile, "discard", parameters=forgiving) == ("hard", 2)
    assert result(hand, "W", "discard", parameters=forgiving) is None


def test_E7_a_tile_that_also_ends_a_run_is_not_paired_with_the_caishen() -> None:
    assert result(f"{BASE} 789s C", "9s", "discard") == ("soft", 1)


def test_E7_a_tile_that_begins_another_run_is_not_a_single_wait() -> None:
    assert result(f"{BASE} 789s C", "White", "discard") == ("soft", 1)


def test_E8_a_house_can_refuse_a_win_on_a_discard_of_eight_pairs_that_wait_for_any_tile() -> None:
    house = Parameters(any_tile_wait_discard=False)
    assert result(f"{SEVEN_PAIRS} EE", "S", "discard") == ("hard eight pairs", 4)
    assert result(f"{SEVEN_PAIRS} EE", "S", "discard", parameters=house) is None
    assert result(f"{SEVEN_PAIRS} EE", "S", parameters=house) == ("hard eight pairs", 4)
    assert result(f"{SEVEN_PAIRS} E S", "E", "discard", parameters=house) is not None


def test_E9_three_caishen_with_a_single_wait_win_on_any_tile() -> None:
    assert result("345m 678m 123p 456p E C C C", "W", "discard") == ("three caishen", 4)
    assert result(f"{MISFITS} C C C", "E", "discard") == ("three caishen and any tiles", 2)


def test_E11_after_a_call_a_win_is_not_heaven_or_earth() -> None:
    hand = f"{BASE} 7s C EE"
    assert result(hand, "9s", first_turn=True, undisturbed=False) == ("self-draw", 2)
    assert result(hand, "9s", "discard", first_turn=True, undisturbed=False) == ("soft", 1)


def test_E17_concealed_kongs_count_among_the_five_sets() -> None:
    melds = ("3333m", "678m", "123p", "456p", "789s")
    assert result("E", "E", "discard", melds=melds) == ("bare single", 4)


def test_a_caishen_at_face_value_in_a_run_is_hard() -> None:
    assert result("1m C 3m 678m 123p 456p 789s E", "E", "discard") == ("hard", 2)


def test_all_triplets_are_double_if_the_house_plays_so() -> None:
    house = Parameters(all_pungs_double=True)
    hand = "111m 333m 555p 777p 99s E"
    assert result(hand, "E", "discard") is None
    hand = "111m 333m 555p 777p 999s E"
    assert result(hand, "E", "discard") == ("hard", 2)
    assert result(hand, "E", "discard", parameters=house) == ("all triplets", 4)
    melds = ("345m",)
    assert result("333m 555p 777p 999s E", "E", "discard", melds=melds, parameters=house) == (
        "hard",
        2,
    )


def test_a_hand_of_the_wrong_size_or_without_an_indicator_is_refused_with_the_reason() -> None:
    assert "17 tiles, a kong counted as three, not 14" in refusal("345m 678m 123p 456p E", "E")
    assert "indicator has not been read" in refusal(f"{BASE} 789s E", "E", indicator=None)
    assert "neither five sets and a pair" in refusal(f"{BASE} 789s E", "S")
