"""The eight cuts of pai gow: every hand of every option, as listed in the rules."""

from __future__ import annotations

import pytest

from rules.errors import RulesError
from rules.games.pai_gow.cuts import CUTS, PILE, cut, cut_choice, cut_choices, find_cut, setup_moves
from rules.geometry import PilePlace, parse_place

TABLES = {
    "one_stack": """
        1.1 1.2 1.3 1.4
        2.1 2.2 2.3 2.4
        3.1 3.2 3.3 3.4
        4.1 4.2 4.3 4.4
        5.1 5.2 5.3 5.4
        6.1 6.2 6.3 6.4
        7.1 7.2 7.3 7.4
        8.1 8.2 8.3 8.4
        """,
    "one_stack+reverse": """
        8.1 8.2 8.3 8.4
        7.1 7.2 7.3 7.4
        6.1 6.2 6.3 6.4
        5.1 5.2 5.3 5.4
        4.1 4.2 4.3 4.4
        3.1 3.2 3.3 3.4
        2.1 2.2 2.3 2.4
        1.1 1.2 1.3 1.4
        """,
    "cup_say": """
        1.1 1.2 2.1 2.2
        1.3 1.4 2.3 2.4
        3.1 3.2 4.1 4.2
        3.3 3.4 4.3 4.4
        5.1 5.2 6.1 6.2
        5.3 5.4 6.3 6.4
        7.1 7.2 8.1 8.2
        7.3 7.4 8.3 8.4
        """,
    "cup_say+reverse": """
        8.1 8.2 7.1 7.2
        8.3 8.4 7.3 7.4
        6.1 6.2 5.1 5.2
        6.3 6.4 5.3 5.4
        4.1 4.2 3.1 3.2
        4.3 4.4 3.3 3.4
        2.1 2.2 1.1 1.2
        2.3 2.4 1.3 1.4
        """,
    "cup_say+bottom": """
        1.3 1.4 2.3 2.4
        1.1 1.2 2.1 2.2
        3.3 3.4 4.3 4.4
        3.1 3.2 4.1 4.2
        5.3 5.4 6.3 6.4
        5.1 5.2 6.1 6.2
        7.3 7.4 8.3 8.4
        7.1 7.2 8.1 8.2
        """,
    "cup_say+reverse+bottom": """
        8.3 8.4 7.3 7.4
        8.1 8.2 7.1 7.2
        6.3 6.4 5.3 5.4
        6.1 6.2 5.1 5.2
        4.3 4.4 3.3 3.4
        4.1 4.2 3.1 3.2
        2.3 2.4 1.3 1.4
        2.1 2.2 1.1 1.2
        """,
    "chee_yee": """
        1.1 1.2 8.1 8.2
        1.3 1.4 8.3 8.4
        2.1 2.2 7.1 7.2
        2.3 2.4 7.3 7.4
        3.1 3.2 6.1 6.2
        3.3 3.4 6.3 6.4
        4.1 4.2 5.1 5.2
        4.3 4.4 5.3 5.4
        """,
    "chee_yee+bottom": """
        1.3 1.4 8.3 8.4
        1.1 1.2 8.1 8.2
        2.3 2.4 7.3 7.4
        2.1 2.2 7.1 7.2
        3.3 3.4 6.3 6.4
        3.1 3.2 6.1 6.2
        4.3 4.4 5.3 5.4
        4.1 4.2 5.1 5.2
        """,
    "dai_pin": """
        1.1 2.1 3.1 4.1
        5.1 6.1 7.1 8.1
        1.2 2.2 3.2 4.2
        5.2 6.2 7.2 8.2
        1.3 2.3 3.3 4.3
        5.3 6.3 7.3 8.3
        1.4 2.4 3.4 4.4
        5.4 6.4 7.4 8.4
        """,
    "dai_pin+reverse": """
        8.1 7.1 6.1 5.1
        4.1 3.1 2.1 1.1
        8.2 7.2 6.2 5.2
        4.2 3.2 2.2 1.2
        8.3 7.3 6.3 5.3
        4.3 3.3 2.3 1.3
        8.4 7.4 6.4 5.4
        4.4 3.4 2.4 1.4
        """,
    "jung_quat": """
        4.1 4.2 5.1 5.2
        4.3 4.4 5.3 5.4
        3.1 3.2 6.1 6.2
        3.3 3.4 6.3 6.4
        2.1 2.2 7.1 7.2
        2.3 2.4 7.3 7.4
        1.1 1.2 8.1 8.2
        1.3 1.4 8.3 8.4
        """,
    "jung_quat+bottom": """
        4.3 4.4 5.3 5.4
        4.1 4.2 5.1 5.2
        3.3 3.4 6.3 6.4
        3.1 3.2 6.1 6.2
        2.3 2.4 7.3 7.4
        2.1 2.2 7.1 7.2
        1.3 1.4 8.3 8.4
        1.1 1.2 8.1 8.2
        """,
    "dragon_head": """
        1.1 1.2 2.1 2.2
        8.1 7.1 6.1 5.1
        1.3 1.4 2.3 2.4
        8.2 7.2 6.2 5.2
        3.1 3.2 4.1 4.2
        8.3 7.3 6.3 5.3
        3.3 3.4 4.3 4.4
        8.4 7.4 6.4 5.4
        """,
    "dragon_head+reverse": """
        8.1 8.2 7.1 7.2
        1.1 2.1 3.1 4.1
        8.3 8.4 7.3 7.4
        1.2 2.2 3.2 4.2
        6.1 6.2 5.1 5.2
        1.3 2.3 3.3 4.3
        6.3 6.4 5.3 5.4
        1.4 2.4 3.4 4.4
        """,
    "hong_kong_bank": """
        2.3 2.4 7.3 7.4
        1.1 1.2 8.1 8.2
        1.3 1.4 8.3 8.4
        4.1 4.2 5.1 5.2
        4.3 4.4 5.3 5.4
        3.1 3.2 6.1 6.2
        3.3 3.4 6.3 6.4
        2.1 2.2 7.1 7.2
        """,
    "four_across": """
        1.1 2.1 7.1 8.1
        1.2 2.2 7.2 8.2
        1.3 2.3 7.3 8.3
        1.4 2.4 7.4 8.4
        3.1 4.1 5.1 6.1
        3.2 4.2 5.2 6.2
        3.3 4.3 5.3 6.3
        3.4 4.4 5.4 6.4
        """,
}

NAMES = ["one_stack", "cup_say", "chee_yee", "dai_pin", "jung_quat", "dragon_head"]
NAMES += ["hong_kong_bank", "four_across"]


def places(text: str) -> tuple[PilePlace, ...]:
    found = tuple(parse_place(f"p{word}") for word in text.split())
    return tuple(place for place in found if isinstance(place, PilePlace))


def test_the_eight_cuts_have_the_names_of_the_command_line() -> None:
    assert list(CUTS) == NAMES
    assert set(TABLES) == set(cut_choices(NAMES))


@pytest.mark.parametrize("choice", TABLES)
def test_every_cut_gives_the_hands_of_its_table(choice: str) -> None:
    expected = tuple(places(line) for line in TABLES[choice].strip().splitlines())
    name, *options = choice.split("+")
    assert cut(name, reverse="reverse" in options, bottom="bottom" in options) == expected


@pytest.mark.parametrize("choice", TABLES)
def test_PG_01_every_cut_is_eight_hands_of_four_and_names_each_place_once(choice: str) -> None:
    hands = find_cut(choice).hands
    assert [len(hand) for hand in hands] == [4] * 8
    assert sorted(place for hand in hands for place in hand) == list(PILE.places)


def test_PG_02_one_stack_gives_the_third_column_as_hand_3() -> None:
    assert cut("one_stack")[2] == places("3.1 3.2 3.3 3.4")


def test_PG_03_one_stack_reversed_begins_at_the_left_end() -> None:
    hands = cut("one_stack", reverse=True)
    assert hands[0] == places("8.1 8.2 8.3 8.4")
    assert hands[7] == places("1.1 1.2 1.3 1.4")


def test_PG_04_cup_say_takes_blocks_of_two_columns() -> None:
    hands = cut("cup_say")
    assert set(hands[0]) == set(places("1.1 1.2 2.1 2.2"))
    assert set(hands[1]) == set(places("1.3 1.4 2.3 2.4"))
    assert set(hands[2]) == set(places("3.1 3.2 4.1 4.2"))


def test_PG_05_cup_say_from_the_bottom_gives_the_lower_half_first() -> None:
    hands = cut("cup_say", bottom=True)
    assert set(hands[0]) == set(places("1.3 1.4 2.3 2.4"))
    assert set(hands[1]) == set(places("1.1 1.2 2.1 2.2"))


def test_PG_06_cup_say_takes_both_options_together() -> None:
    hands = cut("cup_say", reverse=True, bottom=True)
    assert set(hands[0]) == set(places("8.3 8.4 7.3 7.4"))


def test_PG_07_chee_yee_takes_hands_from_both_ends_to_the_centre() -> None:
    hands = cut("chee_yee")
    assert set(hands[0]) == set(places("1.1 1.2 8.1 8.2"))
    assert set(hands[7]) == set(places("4.3 4.4 5.3 5.4"))


def test_PG_08_dai_pin_takes_a_level_of_one_half_then_of_the_other() -> None:
    hands = cut("dai_pin")
    assert set(hands[0]) == set(places("1.1 2.1 3.1 4.1"))
    assert set(hands[1]) == set(places("5.1 6.1 7.1 8.1"))
    assert set(hands[6]) == set(places("1.4 2.4 3.4 4.4"))


def test_PG_09_jung_quat_takes_hands_from_the_centre_to_both_ends() -> None:
    hands = cut("jung_quat")
    assert set(hands[0]) == set(places("4.1 4.2 5.1 5.2"))
    assert set(hands[6]) == set(places("1.1 1.2 8.1 8.2"))


def test_PG_10_dragon_head_alternates_head_and_tail() -> None:
    hands = cut("dragon_head")
    assert set(hands[0]) == set(places("1.1 1.2 2.1 2.2"))
    assert set(hands[1]) == set(places("5.1 6.1 7.1 8.1"))
    assert set(hands[4]) == set(places("3.1 3.2 4.1 4.2"))
    assert set(hands[7]) == set(places("5.4 6.4 7.4 8.4"))


def test_PG_11_dragon_head_reversed_has_its_head_on_the_left() -> None:
    hands = cut("dragon_head", reverse=True)
    assert set(hands[0]) == set(places("8.1 8.2 7.1 7.2"))
    assert set(hands[1]) == set(places("1.1 2.1 3.1 4.1"))


def test_PG_12_hong_kong_bank_ends_with_the_wings() -> None:
    hands = cut("hong_kong_bank")
    assert set(hands[0]) == set(places("2.3 2.4 7.3 7.4"))
    assert set(hands[4]) == set(places("4.3 4.4 5.3 5.4"))
    assert set(hands[5]) == set(places("3.1 3.2 6.1 6.2"))
    assert set(hands[7]) == set(places("2.1 2.2 7.1 7.2"))


def test_PG_13_four_across_takes_a_level_of_four_stacks() -> None:
    hands = cut("four_across")
    assert set(hands[0]) == set(places("1.1 2.1 7.1 8.1"))
    assert set(hands[4]) == set(places("3.1 4.1 5.1 6.1"))


@pytest.mark.parametrize("name", ["hong_kong_bank", "four_across", "chee_yee", "jung_quat"])
def test_PG_14_reverse_is_refused_for_a_cut_that_does_not_offer_it(name: str) -> None:
    with pytest.raises(RulesError) as refused:
        cut(name, reverse=True)
    assert str(refused.value) == (
        f"{name} has no option REVERSE; the cuts one_stack, cup_say, dai_pin, dragon_head have it."
    )


@pytest.mark.parametrize(
    "name", ["one_stack", "dai_pin", "dragon_head", "hong_kong_bank", "four_across"]
)
def test_PG_14_bottom_is_refused_for_a_cut_that_does_not_offer_it(name: str) -> None:
    with pytest.raises(RulesError) as refused:
        setup_moves(name, bottom=True)
    assert str(refused.value) == (
        f"{name} has no option BOTTOM; the cuts cup_say, chee_yee, jung_quat have it."
    )


def test_the_text_of_a_cut_names_the_options_that_are_given_only() -> None:
    assert cut_choice("cup_say") == "cup_say"
    assert cut_choice("cup_say", bottom=True) == "cup_say+bottom"
    assert cut_choice("cup_say", True, True) == "cup_say+reverse+bottom"
