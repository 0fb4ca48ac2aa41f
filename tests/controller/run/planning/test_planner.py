"""Tests on the simulated felt that planned moves are possible and give the right hands."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from config.layout.field import Field
from config.layout.staging import stage
from config.loader import load_game, load_table
from controller.run.planning.moves import Carry, Present, Prompt
from controller.run.planning.planner import Planner, Preview, fastest_order
from controller.run.planning.setup_forecast import packets_ahead
from firmware_bridge.sim.plant.on_table.felt import Felt
from firmware_bridge.sim.plant.tiles import Tile
from rules.dice import Dice
from rules.games import find_game
from rules.games.pai_gow import Parameters
from rules.games.pai_gow.cuts import CUTS, PILE, UserCut, cut_choices
from rules.geometry import PilePlace
from rules.setup import Setup, settle
from rules.steps import Packet

Dealing = Callable[..., tuple[Setup, Preview, Felt]]
Settling = Callable[..., Setup]
GANTRIES = ("robotic", "pai_gow")


def in_hand(hand: Iterable[Tile]) -> list[str]:
    return sorted(tile.face for tile in hand)


@pytest.mark.parametrize(("table", "cut"), list(product(GANTRIES, cut_choices(list(CUTS)))))
def test_every_cut_gives_the_hands_of_the_rules(
    table: str, cut: str, deal_out: Dealing, settled: Settling
) -> None:
    setup, _, felt = deal_out(table, settled("pai_gow", ((3, 3, 3),), {"cut": cut}, dealer=2))
    hands = felt.hands()
    assert {packet.hand for packet in setup.deal} == set(range(1, 9))
    for packet in setup.deal:
        assert in_hand(hands[packet.seat]) == sorted(str(place) for place in packet.places)


@settings(max_examples=30, deadline=None)
@given(order=some.permutations(PILE.places), table=some.sampled_from(GANTRIES))
@pytest.mark.slow
def test_any_cut_that_a_house_defines_can_be_dealt(
    order: list[PilePlace], table: str, deal_out: Dealing
) -> None:
    hands = tuple(
        tuple(str(place) for place in order[first : first + 4]) for first in range(0, 32, 4)
    )
    parameters = Parameters(user_cuts=(UserCut("ours", hands),), cut_default="ours")
    setup = find_game("pai_gow").setup(parameters=parameters)
    setup, _, felt = deal_out(table, settle(setup, [(1, 2, 3)]))
    for packet in setup.deal:
        assert in_hand(felt.hands()[packet.seat]) == sorted(map(str, packet.places))


def test_a_packet_that_spans_a_corner_is_carried_in_two_blocks(
    deal_out: Dealing,
    settled: Settling,
) -> None:
    setup, planned, felt = deal_out("robotic", settled("wenzhou", ((3, 5), (2, 4))))
    carries = [move for move in planned.moves if isinstance(move, Carry)]
    assert [str(place) for place in carries[0].tiles] == ["w3.15u", "w3.15l", "w3.16u", "w3.16l"]
    assert [str(place) for place in carries[1].tiles] == ["w3.17u", "w3.17l"]
    assert [str(place) for place in carries[2].tiles] == ["w2.1u", "w2.1l"]
    assert len(felt.hands()[0]) == 17
    assert setup.left == 71


dice = some.integers(1, 6)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(first=some.tuples(dice, dice), second=some.tuples(dice, dice), dealer=some.integers(0, 3))
def test_every_break_of_wenzhou_can_be_dealt(
    first: tuple[int, int],
    second: tuple[int, int],
    dealer: int,
    deal_out: Dealing,
    settled: Settling,
) -> None:
    setup, _, felt = deal_out("robotic", settled("wenzhou", (first, second), dealer=dealer))
    for seat, hand in felt.hands().items():
        assert in_hand(hand) == sorted(str(place) for place in setup.hands[seat])


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    mano=some.tuples(dice, dice),
    joker=some.tuples(dice, dice),
    wall=some.integers(1, 3),
    end=some.sampled_from(("right", "left")),
    flores=some.integers(0, 6),
)
def test_every_wall_and_end_of_filipino_can_be_dealt_with_half_columns_and_flores(
    mano: tuple[int, int],
    joker: tuple[int, int],
    wall: int,
    end: str,
    flores: int,
    deal_out: Dealing,
) -> None:
    opened = f"{(sum(mano) - 1 + wall) % 4} {end}"
    setup = find_game("filipino").setup()
    setup = setup.apply().apply(mano).apply(opened)
    laid = False
    while setup.pending is not None:
        facts = setup.pending.facts()
        if facts["step"] == "choose":
            setup = setup.apply(0 if laid else flores)
            laid = True
        else:
            setup = setup.apply(joker if facts["step"] == "throw" else None)
    _, _, felt = deal_out("robotic", setup)
    for seat, hand in felt.hands().items():
        assert in_hand(hand) == sorted(str(place) for place in setup.hands[seat])


@pytest.mark.parametrize("throws", [((3, 5), (2, 4)), ((6, 6), (6, 6)), ((1, 1), (1, 1))])
def test_the_fastest_order_gives_the_same_hands(throws: tuple[Dice, Dice]) -> None:
    setup = find_game("wenzhou").setup().apply().apply(throws[0]).apply(throws[1])
    table, config = load_table("robotic"), load_game("wenzhou")
    planner = Planner(table, Field(table, config.tile), stage(setup.layout, table), 4)
    packets = packets_ahead(setup)
    dealt: dict[int, list[str]] = {seat: [] for seat in range(4)}
    for _, plan in fastest_order(packets, planner, planner.raised().top):
        for move in plan.moves:
            assert isinstance(move, Carry) and move.seat is not None
            dealt[move.seat] += [str(place) for place in move.tiles]
    for seat, places in _hands(packets).items():
        assert sorted(dealt[seat]) == sorted(places)


@pytest.mark.parametrize("game", ["wenzhou", "pai_gow", "block", "da_san"])
def test_a_table_without_a_gantry_prompts_people_for_every_packet(
    game: str, settled: Settling
) -> None:
    throws = {"wenzhou": ((1, 2), (3, 4)), "pai_gow": ((1, 2, 3),)}.get(game, ())
    setup = settled(game, throws)
    table, config = load_table("classic"), load_game(game)
    planner = Planner(table, Field(table, config.tile), stage(setup.layout, table), 4)
    top = planner.raised().top
    for packet in setup.deal:
        plan = planner.plan(packet, top)
        assert plan.moves == (Prompt(packet),)
        top = plan.top
    assert len(top.at) == setup.left


def _hands(packets: Iterable[Packet]) -> dict[int, list[str]]:
    hands: dict[int, list[str]] = {}
    for packet in packets:
        hands.setdefault(packet.seat, []).extend(str(place) for place in packet.places)
    return hands


def in_lanes(settled: Settling) -> tuple[Setup, Planner]:
    """Return a complete Wenzhou set-up on the table with hand lanes, and its planner."""
    table, config = load_table("auto_deal"), load_game("wenzhou")
    setup = settled("wenzhou", ((3, 5), (2, 4)), dealer=1)
    staging = stage(setup.layout, table, dict.fromkeys(range(4), 16))
    planner = Planner(table, Field(table, config.tile), staging, 4)
    return setup, planner.with_lanes(setup)


def test_a_lane_brings_sixteen_tiles_and_people_give_the_dealer_the_seventeenth(
    settled: Settling,
) -> None:
    setup, planner = in_lanes(settled)
    moves, top = [], planner.raised().top
    for packet in setup.deal:
        plan = planner.plan(packet, top)
        moves += plan.moves
        top = plan.top
    assert [len(move.tiles) for move in moves if isinstance(move, Present)] == [16] * 4
    (asked,) = (move.step for move in moves if isinstance(move, Prompt))
    assert asked == Packet(1, setup.hands[1][16:])
    assert asked.places[0] not in top.at


def test_a_draw_in_the_play_comes_from_the_wall_on_a_table_with_lanes(
    settled: Settling,
) -> None:
    setup, planner = in_lanes(settled)
    assert setup.ready is not None
    draw = Packet(2, setup.ready.draws[:1])
    plan = planner.plan(draw, planner.raised().top)
    assert plan.moves == (Prompt(draw),)
    assert draw.places[0] not in plan.top.at
