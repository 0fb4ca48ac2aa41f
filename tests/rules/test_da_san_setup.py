"""Da San: the set-up, with the cut, three hands of sixteen cards and the kitty."""

from __future__ import annotations

import pytest

from rules.errors import IllegalOutcomeError, RulesError
from rules.games import rules_of
from rules.games.da_san import DA_SAN, Parameters, first_dealer
from rules.play import drawn
from rules.setup import facts, settle
from rules.steps import Choose


def test_DS_01_three_hands_of_sixteen_and_a_kitty_of_four() -> None:
    setup = settle(DA_SAN.setup())
    assert [len(setup.hands[seat]) for seat in range(3)] == [16, 16, 16]
    assert setup.left == 4
    assert setup.ready is not None
    assert setup.ready.begins is None
    assert setup.ready.draws == ()


def test_DS_02_the_seat_with_the_highest_card_deals_first_and_equal_cards_are_drawn_again() -> None:
    assert first_dealer(["As", "10h", "Kd"]) == (1,)
    assert first_dealer(["10s", "10h", "3d"]) == (0, 1)
    assert first_dealer(["Js", "Qh", "Kd"]) == (0, 1, 2)


@pytest.mark.parametrize(("dealer", "cutter"), [(0, 2), (1, 0), (2, 1)])
def test_the_dealers_left_neighbour_cuts(dealer: int, cutter: int) -> None:
    question = DA_SAN.setup(dealer=dealer).apply().pending
    assert question == Choose(cutter, "cut", tuple(range(1, 52)), 26)


def test_the_deal_begins_after_the_cut_and_continues_at_the_top() -> None:
    setup = settle(DA_SAN.setup(dealer=1), answers={"cut": 50})
    assert [(packet.seat, str(packet.places[0])) for packet in setup.deal[:5]] == [
        (1, "k51"),
        (2, "k52"),
        (0, "k1"),
        (1, "k2"),
        (2, "k3"),
    ]
    assert facts(setup)["break"] == {"after": 50, "first": "k51"}


def test_the_last_four_before_the_cut_are_the_kitty() -> None:
    setup = settle(DA_SAN.setup(), answers={"cut": 26})
    dealt = {str(place) for hand in setup.hands.values() for place in hand}
    kitty = {f"k{number}" for number in range(1, 53)} - dealt
    assert kitty == {"k23", "k24", "k25", "k26"}


@pytest.mark.parametrize("depth", [0, 52, "middle", True])
def test_a_cut_leaves_cards_on_both_sides(depth: int | str) -> None:
    setup = DA_SAN.setup().apply()
    with pytest.raises(
        IllegalOutcomeError, match=r"Seat 2 cannot choose .* as cut; offered: 1 to 51"
    ):
        setup.apply(depth)


def test_a_house_can_deal_each_hand_at_once() -> None:
    setup = settle(DA_SAN.setup(parameters=Parameters(deal_mode="batch")))
    assert [(packet.seat, len(packet.places)) for packet in setup.deal] == [
        (0, 16),
        (1, 16),
        (2, 16),
    ]
    assert str(setup.hands[1][0]) == "k43"
    assert setup.left == 4


def test_D4_players_with_equal_highest_cards_cut_again() -> None:
    rules = rules_of("da_san")
    match = rules.to_draw(rules.match(Parameters(), 3, 1))
    asked = rules.before_hand(match)
    assert asked is not None
    dealt = drawn(asked, ["10h", "Kd", "10s", "3h", "Ah"])
    assert (dealt.match.dealer, dealt.moves) == (1, ())
    assert rules.before_hand(dealt.match) is None
    with pytest.raises(IllegalOutcomeError, match="cannot choose '10h' as card cut"):
        drawn(rules.before_hand(match) or asked, ["10h", "10h"])


def test_a_draw_of_the_dealer_is_refused_in_a_game_without_one() -> None:
    rules = rules_of("backgammon")
    with pytest.raises(RulesError, match="name the dealer instead"):
        rules.to_draw(None)
