"""Dominoes: hands from the boneyard, and who sets."""

from __future__ import annotations

from functools import partial

import pytest

from rules.errors import IllegalOutcome, IllegalSetup
from rules.games import GAMES
from rules.games.dominoes.setter import (
    bergen_setter,
    doublet_setter,
    heaviest_doublet,
    lightest,
)
from rules.games.dominoes.variants import Parameters
from rules.setup import Setup
from rules.setup_facts import settle
from rules.steps import Choose, DrawLot, Packet, ReturnLots

HANDS = [
    ("block", {2: 7, 3: 5, 4: 5}),
    ("draw", {2: 7, 3: 5, 4: 5}),
    ("sebastopol", {4: 7}),
    ("bergen", {2: 7}),
    ("muggins", {2: 7, 3: 5, 4: 5}),
    ("threes", {2: 7, 3: 5, 4: 5}),
    ("matador", {2: 7, 3: 7, 4: 5}),
    ("sniff", {2: 7, 3: 5, 4: 5}),
]


def dealt(setup: Setup) -> Setup:
    """The set-up with its hands dealt, whatever comes next pending."""
    setup = setup.apply()
    while isinstance(setup.pending, Packet):
        setup = setup.apply()
    return setup


@pytest.mark.parametrize(("name", "hands"), HANDS)
def test_every_game_deals_its_hands_and_leaves_the_rest_in_the_boneyard(
    name: str, hands: dict[int, int]
) -> None:
    assert GAMES[name].players == tuple(hands)
    for players, each in hands.items():
        setup = settle(GAMES[name].setup(players=players))
        assert {seat: len(hand) for seat, hand in setup.hands.items()} == dict.fromkeys(
            range(players), each
        )
        assert setup.left == 28 - players * each
        assert setup.ready is not None
        assert len(setup.ready.draws) == setup.left
        if setup.left:
            assert str(setup.ready.draws[0]) == f"b{players * each + 1}"


def test_hands_are_dealt_one_tile_a_round_clockwise_from_the_dealer() -> None:
    setup = settle(GAMES["block"].setup(players=3, dealer=1))
    assert [(packet.seat, str(packet.places[0])) for packet in setup.deal[:4]] == [
        (1, "b1"),
        (0, "b2"),
        (2, "b3"),
        (1, "b4"),
    ]


def test_a_house_may_play_counter_clockwise() -> None:
    game = GAMES["block"]
    setup = settle(game.setup(dealer=1, parameters=parameters("block", turn="counter_clockwise")))
    assert [packet.seat for packet in setup.deal[:4]] == [1, 2, 3, 0]


def parameters(name: str, **changes: object) -> Parameters:
    made = GAMES[name].parameters
    assert isinstance(made, partial)
    changed = made(**changes)
    assert isinstance(changed, Parameters)
    return changed


def test_hands_that_the_set_cannot_fill_are_refused() -> None:
    with pytest.raises(
        IllegalSetup, match=r"4 hands of 8 tiles cannot be dealt from a boneyard of 28\."
    ):
        GAMES["block"].setup(parameters=parameters("block", hand=(8, 8, 8)))


def test_sebastopol_seats_four_and_bergen_two() -> None:
    with pytest.raises(IllegalSetup, match=r"Sebastopol seats 4 players, not 3\."):
        GAMES["sebastopol"].setup(players=3)
    with pytest.raises(IllegalSetup, match=r"Bergen seats 2 players, not 4\."):
        GAMES["bergen"].setup(players=4)
    with pytest.raises(IllegalSetup, match=r"Muggins seats 2, 3 or 4 players, not 5\."):
        GAMES["muggins"].setup(players=5)


def test_where_the_right_to_set_rotates_the_dealer_has_it() -> None:
    ready = settle(GAMES["muggins"].setup(dealer=2)).ready
    assert ready is not None and ready.begins == 2


@pytest.mark.parametrize("name", ["sebastopol", "matador"])
def test_the_players_say_whose_tile_sets(name: str) -> None:
    setup = dealt(GAMES[name].setup(dealer=1))
    assert setup.pending == Choose(1, "setter", (1, 0, 3, 2, "unseen"), "unseen")
    named = setup.apply(3).ready
    assert named is not None and named.begins == 3
    hidden = setup.apply("unseen").ready
    assert hidden is not None and hidden.begins is None
    with pytest.raises(IllegalOutcome, match="Seat 1 cannot choose 4 as setter; offered: 1, 0"):
        setup.apply(4)


def test_sebastopol_deals_everything_out() -> None:
    setup = settle(GAMES["sebastopol"].setup(), answers={"setter": 2})
    assert setup.left == 0
    assert setup.ready is not None
    assert setup.ready.draws == ()
    assert setup.ready.begins == 2


def test_DM_12_bergen_draws_evenly_until_a_doublet_appears() -> None:
    plain = {0: ["6-5", "4-3"], 1: ["6-4", "5-3"]}
    assert bergen_setter(plain, ["2-2", "5-5"], first=0) == (1, 1)
    assert bergen_setter(plain, ["2-2", "5-4"], first=0) == (0, 1)
    assert bergen_setter(plain, ["2-1", "5-4", "1-0", "3-3"], first=1) == (0, 2)
    assert bergen_setter({0: ["1-1"], 1: ["2-1"]}, [], first=1) == (0, 0)


def test_DM_12_at_the_table_both_draw_one_and_then_say_who_sets() -> None:
    setup = dealt(GAMES["bergen"].setup(dealer=1))
    assert setup.pending == Choose(1, "setter", (1, 0, "nobody", "unseen"), "unseen")
    setup = setup.apply("nobody")
    assert setup.pending is not None and setup.pending.facts()["seat"] == 1
    setup = setup.apply()
    assert setup.pending is not None and setup.pending.facts()["seat"] == 0
    setup = setup.apply().apply(0)
    assert setup.ready is not None
    assert setup.ready.begins == 0
    assert {len(hand) for hand in setup.hands.values()} == {8}
    assert str(setup.ready.draws[0]) == "b17"
    assert setup.left == 12


def test_seven_doublets_cannot_hide_from_twenty_two_tiles() -> None:
    setup = dealt(GAMES["bergen"].setup())
    for _ in range(4):
        setup = setup.apply("nobody").apply().apply()
    assert isinstance(setup.pending, Choose)
    assert "nobody" not in setup.pending.among


def test_DM_15_matador_without_doublets_is_set_by_the_heaviest_tile() -> None:
    hands = {0: ["6-3", "1-0"], 1: ["5-3", "4-2"], 2: ["6-4", "2-0"]}
    assert heaviest_doublet(hands) is None
    assert doublet_setter(hands) == 2


def test_equal_heaviest_tiles_are_told_apart_by_their_higher_half() -> None:
    assert doublet_setter({0: ["5-4", "5-3"], 1: ["6-3", "1-0"]}) == 1
    assert doublet_setter({0: ["5-4", "5-3"], 1: ["6-3", "1-0"]}, heavier="hand") == 0


def test_DM_17_the_heavier_doublet_sets_even_beside_heavier_tiles() -> None:
    assert doublet_setter({0: ["0-0", "6-5"], 1: ["1-1", "1-0"]}) == 1


def test_DM_22_the_lighter_lot_sets_and_both_go_back() -> None:
    assert lightest({0: "2-1", 1: "4-0"}) == (0,)

    setup = dealt(GAMES["sniff"].setup(players=2, dealer=0))
    assert isinstance(setup.pending, DrawLot)
    left = setup.left
    setup = setup.apply("2-1")
    setup = setup.apply("4-0")
    assert isinstance(setup.pending, ReturnLots)
    assert [str(place) for place in setup.pending.places] == ["b15", "b16"]
    setup = setup.apply()
    assert setup.ready is not None
    assert setup.ready.begins == 0
    assert setup.left == left == len(setup.ready.draws) == 14


def test_equal_lightest_lots_are_drawn_again_by_those_who_tied() -> None:
    setup = dealt(GAMES["sniff"].setup(players=3, dealer=0))
    for lot in ("2-1", "6-6", "3-0", None):
        setup = setup.apply(lot)
    assert isinstance(setup.pending, DrawLot)
    assert setup.pending.seat == 0
    setup = setup.apply("5-5")
    assert isinstance(setup.pending, DrawLot)
    assert setup.pending.seat == 1
    setup = setup.apply("5-4").apply()
    assert setup.ready is not None
    assert setup.ready.begins == 1


def test_a_lot_that_nobody_read_leaves_the_setter_open() -> None:
    setup = dealt(GAMES["sniff"].setup(players=2)).apply("2-1").apply(None).apply()
    assert setup.ready is not None
    assert setup.ready.begins is None


def test_a_lot_that_is_no_domino_is_read_again() -> None:
    setup = dealt(GAMES["sniff"].setup(players=2))
    with pytest.raises(IllegalOutcome, match="'7-1' is no tile of Sniff; read the tile again"):
        setup.apply("7-1")


def test_nobody_can_draw_for_the_set_from_an_empty_boneyard() -> None:
    with pytest.raises(IllegalSetup, match="4 players cannot draw for the set from the 0 tiles"):
        GAMES["sniff"].setup(parameters=parameters("sniff", hand=(7, 7, 7)))
