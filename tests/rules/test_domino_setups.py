"""Dominoes: the set-up, with hands from the boneyard and the choice of the setter."""

from __future__ import annotations

from functools import partial

import pytest

from rules.errors import IllegalOutcomeError, IllegalSetupError
from rules.games import GAMES, rules_of
from rules.games.dominoes.actions import Lay
from rules.games.dominoes.setup import (
    bergen_setter,
    doublet_setter,
    heaviest_doublet,
    lightest,
)
from rules.games.dominoes.variants import Parameters
from rules.setup import Setup, settle
from rules.steps import Choose, DrawLot, Packet, ReturnLots
from tests.rules.hidden_hands import tiles_with

HANDS = [
    ("block", {2: 7, 3: 5, 4: 5}),
    ("draw", {2: 7, 3: 5, 4: 5}),
    ("sebastopol", {3: 9, 4: 7}),
    ("bergen", {2: 7, 3: 6, 4: 6}),
    ("muggins", {2: 7, 3: 5, 4: 5}),
    ("threes", {2: 7, 3: 5, 4: 5}),
    ("matador", {2: 7, 3: 7, 4: 5}),
    ("sniff", {2: 7, 3: 5, 4: 5}),
]


def dealt(setup: Setup) -> Setup:
    """The set-up after its hands are dealt; the next step is pending."""
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


def test_a_house_can_play_counter_clockwise() -> None:
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
        IllegalSetupError, match="4 hands of 8 tiles cannot be dealt from a boneyard of 28"
    ):
        GAMES["block"].setup(parameters=parameters("block", hand=(8, 8, 8)))


def test_sebastopol_seats_three_or_four_and_the_others_two_to_four() -> None:
    with pytest.raises(IllegalSetupError, match=r"Sebastopol is played by 3 or 4 players, not 2\."):
        GAMES["sebastopol"].setup(players=2)
    with pytest.raises(IllegalSetupError, match=r"Bergen is played by 2, 3 or 4 players, not 5\."):
        GAMES["bergen"].setup(players=5)
    with pytest.raises(IllegalSetupError, match=r"Muggins is played by 2, 3 or 4 players, not 5\."):
        GAMES["muggins"].setup(players=5)


def test_the_dealer_sets_first_if_the_right_to_set_rotates() -> None:
    ready = settle(GAMES["muggins"].setup(dealer=2)).ready
    assert ready is not None and ready.begins == 2


@pytest.mark.parametrize("name", ["sebastopol", "matador"])
def test_the_players_name_the_seat_that_sets(name: str) -> None:
    setup = dealt(GAMES[name].setup(dealer=1))
    assert setup.pending == Choose(1, "setter", (1, 0, 3, 2, "unseen"), "unseen")
    named = setup.apply(3).ready
    assert named is not None and named.begins == 3
    hidden = setup.apply("unseen").ready
    assert hidden is not None and hidden.begins is None
    with pytest.raises(
        IllegalOutcomeError, match="Seat 1 cannot choose 4 as setter; offered: 1, 0"
    ):
        setup.apply(4)


def test_sebastopol_deals_all_tiles() -> None:
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


def test_DM_12_at_the_table_both_seats_draw_a_tile_and_then_name_the_setter() -> None:
    setup = dealt(GAMES["bergen"].setup(players=2, dealer=1))
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


def test_with_twenty_two_tiles_drawn_some_seat_has_a_doublet() -> None:
    setup = dealt(GAMES["bergen"].setup(players=2))
    for _ in range(4):
        setup = setup.apply("nobody").apply().apply()
    assert isinstance(setup.pending, Choose)
    assert "nobody" not in setup.pending.among


def test_DM_15_matador_without_doublets_is_set_by_the_heaviest_tile() -> None:
    hands = {0: ["6-3", "1-0"], 1: ["5-3", "4-2"], 2: ["6-4", "2-0"]}
    assert heaviest_doublet(hands) is None
    assert doublet_setter(hands) == 2


def test_of_two_heaviest_tiles_the_one_with_the_higher_half_sets() -> None:
    assert doublet_setter({0: ["5-4", "5-3"], 1: ["6-3", "1-0"]}) == 1
    assert doublet_setter({0: ["5-4", "5-3"], 1: ["6-3", "1-0"]}, heavier="hand") == 0


def test_DM_17_the_heavier_doublet_sets_even_beside_heavier_tiles() -> None:
    assert doublet_setter({0: ["0-0", "6-5"], 1: ["1-1", "1-0"]}) == 1


def test_DM_22_the_seat_with_the_lighter_lot_sets_and_both_lots_are_returned() -> None:
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


def test_seats_with_equal_lightest_lots_draw_again() -> None:
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


def test_C5_after_each_draw_the_lots_are_returned_and_the_whole_boneyard_is_mixed() -> None:
    """Otherwise the tied seats would draw from tiles that all players have just seen."""
    setup = dealt(GAMES["sniff"].setup(players=3, dealer=0))
    returned = []
    for lot in ("2-1", "6-6", "3-0", None, "5-5", "5-4", None):
        if isinstance(setup.pending, ReturnLots):
            returned.append(setup.pending)
        setup = setup.apply(lot)
    assert [list(map(str, step.places)) for step in returned] == [
        ["b16", "b17", "b18"],
        ["b16", "b17"],
    ]
    boneyard = [f"b{number}" for number in range(16, 29)]
    assert [list(map(str, step.boneyard)) for step in returned] == [boneyard] * 2
    assert [step.facts()["mixed"] for step in returned] == [boneyard] * 2


@pytest.mark.parametrize("players", [2, 3, 4])
def test_at_bergen_each_of_up_to_four_players_draws_a_tile_until_one_is_a_doublet(
    players: int,
) -> None:
    setup = dealt(GAMES["bergen"].setup(players=players))
    before = {seat: len(hand) for seat, hand in setup.hands.items()}
    assert isinstance(setup.pending, Choose)
    if "nobody" in setup.pending.among:
        setup = dealt(setup.apply("nobody"))
        assert {seat: len(hand) for seat, hand in setup.hands.items()} == {
            seat: count + 1 for seat, count in before.items()
        }
    assert setup.apply(players - 1).ready is not None
    assert ("nobody" in setup.pending.among) == (28 - setup.left <= 21)  # type: ignore[union-attr]


def test_at_sebastopol_with_three_the_highest_doublet_sets_if_the_six_six_was_not_dealt() -> None:
    setup = dealt(GAMES["sebastopol"].setup(players=3))
    assert setup.left == 1
    ready = setup.apply("unseen")
    left = ready.ready.draws[0] if ready.ready else None
    tiles = tiles_with(ready, {(left,): "6-6", setup.hands[1][:1]: "5-5"})  # type: ignore[dict-item]
    play = rules_of("sebastopol").start(ready, tiles)
    assert play.to_act == (1,)
    assert {str(action).split()[0] for action in play.legal_actions} == {"5-5"}
    play = play.apply(next(iter(play.legal_actions)))
    joined = {action.tile for action in play.legal_actions if isinstance(action, Lay)}
    assert all("5" in tile for tile in joined)


def test_the_setter_is_unknown_if_a_lot_was_not_read() -> None:
    setup = dealt(GAMES["sniff"].setup(players=2)).apply("2-1").apply(None).apply()
    assert setup.ready is not None
    assert setup.ready.begins is None


def test_a_lot_that_is_not_a_domino_is_refused() -> None:
    setup = dealt(GAMES["sniff"].setup(players=2))
    with pytest.raises(
        IllegalOutcomeError, match="'7-1' is not a tile of Sniff; read the tile again"
    ):
        setup.apply("7-1")


def test_lots_cannot_be_drawn_from_an_empty_boneyard() -> None:
    with pytest.raises(
        IllegalSetupError, match="4 players cannot draw for the set from the 0 tiles"
    ):
        GAMES["sniff"].setup(parameters=parameters("sniff", hand=(7, 7, 7)))
