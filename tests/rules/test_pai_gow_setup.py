"""Pai gow: the set-up, with the cut, its announcement, the dice and eight hands."""

from __future__ import annotations

from typing import Any

import pytest

from rules.errors import IllegalOutcomeError, IllegalSetupError
from rules.games.pai_gow import PAI_GOW, Parameters
from rules.games.pai_gow.cuts import CUTS, UserCut
from rules.setup import Setup, facts, settle
from rules.steps import Arrange, Build, Choose, Packet, Throw

OWN = UserCut(
    "levels",
    tuple(
        tuple(f"p{column}.{level}" for column in half)
        for level in (1, 2, 3, 4)
        for half in ((1, 2, 3, 4), (5, 6, 7, 8))
    ),
)


def dealt(total: int, *, banker: int = 0, **parameters: Any) -> Setup:
    """The set-up after three dice of that total."""
    first = min(6, total - 2)
    second = min(6, total - first - 1)
    setup = PAI_GOW.setup(dealer=banker, parameters=Parameters(**parameters))
    return settle(setup, [(first, second, total - first - second)])


def hand_numbers(setup: Setup) -> dict[int, int | None]:
    return {packet.seat: packet.hand for packet in setup.deal}


def test_a_deal_asks_for_the_cut_then_announces_it_then_throws_then_deals() -> None:
    setup = settle(PAI_GOW.setup(dealer=3), [(1, 2, 3)], {"cut": "hong_kong_bank"})
    kinds = [type(step) for step, _ in setup.done]
    assert kinds[:2] == [Build, Choose]
    assert kinds[2:8] == [Arrange] * 6
    assert kinds[8] is Throw
    assert kinds[9:] == [Packet] * 5 + [Arrange] + [Packet] * 2 + [Arrange] + [Packet]


def test_the_banker_is_offered_every_legal_cut_and_one_stack_by_default() -> None:
    setup = PAI_GOW.setup(dealer=5).apply()
    question = setup.pending
    assert isinstance(question, Choose)
    assert (question.by, question.what, question.default) == (5, "cut", "one_stack")
    assert question.among == (
        "one_stack",
        "one_stack+reverse",
        "cup_say",
        "cup_say+reverse",
        "cup_say+bottom",
        "cup_say+reverse+bottom",
        "chee_yee",
        "chee_yee+bottom",
        "dai_pin",
        "dai_pin+reverse",
        "jung_quat",
        "jung_quat+bottom",
        "dragon_head",
        "dragon_head+reverse",
        "hong_kong_bank",
        "four_across",
    )


@pytest.mark.parametrize(
    "choice", ["hong_kong_bank+reverse", "four_across+reverse", "one_stack+bottom", "nonsense"]
)
def test_PG_14_a_cut_that_is_not_offered_is_refused_and_the_question_remains(choice: str) -> None:
    setup = PAI_GOW.setup().apply()
    with pytest.raises(
        IllegalOutcomeError, match=rf"Seat 0 cannot choose '{choice}'".replace("+", r"\+")
    ):
        setup.apply(choice)
    assert isinstance(setup.pending, Choose)


@pytest.mark.parametrize(
    ("total", "start_from_banker", "banker_hand"), [(9, 0, 1), (3, 2, 7), (17, 0, 1), (18, 1, 8)]
)
@pytest.mark.parametrize("banker", [0, 5])
def test_PG_15_the_dice_decide_which_seat_gets_hand_1(
    banker: int, total: int, start_from_banker: int, banker_hand: int
) -> None:
    setup = dealt(total, banker=banker)
    hands = hand_numbers(setup)
    assert hands[(banker + start_from_banker) % 8] == 1
    assert hands[banker] == banker_hand
    assert setup.ready is not None and setup.ready.begins == (banker + start_from_banker) % 8


BANKER_HAND = {3: 7, 4: 6, 5: 5, 6: 4, 7: 3, 8: 2, 9: 1, 10: 8}
BANKER_HAND |= {11: 7, 12: 6, 13: 5, 14: 4, 15: 3, 16: 2, 17: 1, 18: 8}


@pytest.mark.parametrize(("total", "number"), BANKER_HAND.items())
def test_the_banker_gets_the_hand_of_the_table_for_every_total(total: int, number: int) -> None:
    assert hand_numbers(dealt(total))[0] == number


def test_PG_16_a_cut_named_after_the_dice_is_refused() -> None:
    setup = PAI_GOW.setup().apply().apply("one_stack").apply().apply((3, 3, 3))
    with pytest.raises(IllegalOutcomeError) as refused:
        setup.apply("cup_say")
    assert str(refused.value) == "The step 'packet' has no outcome; leave out 'cup_say'."
    assert setup.apply().deal[0].hand == 1


def test_a_cut_named_while_the_dice_are_awaited_is_refused_too() -> None:
    setup = PAI_GOW.setup().apply().apply("one_stack").apply()
    with pytest.raises(IllegalOutcomeError, match="needs 3 dice faces, not 'cup_say'; throw again"):
        setup.apply("cup_say")


@pytest.mark.parametrize("choice", Parameters().cuts)
def test_every_position_gets_four_tiles_and_none_is_left(choice: str) -> None:
    setup = settle(PAI_GOW.setup(dealer=2), [(6, 5, 4)], {"cut": choice})
    assert sorted(setup.hands) == list(range(8))
    assert {len(hand) for hand in setup.hands.values()} == {4}
    assert setup.left == 0
    assert [packet.hand for packet in setup.deal] == [1, 2, 3, 4, 5, 6, 7, 8]


def test_fewer_players_leave_all_eight_positions_their_hands() -> None:
    few = settle(PAI_GOW.setup(players=3, dealer=2), [(6, 6, 6)])
    many = settle(PAI_GOW.setup(dealer=2), [(6, 6, 6)])
    assert few.hands == many.hands


def test_without_a_physical_set_up_the_hands_are_the_same_and_no_tile_is_moved() -> None:
    for choice in Parameters().cuts:
        shown = settle(PAI_GOW.setup(), [(1, 1, 1)], {"cut": choice})
        bare = settle(
            PAI_GOW.setup(parameters=Parameters(physical_setup=False)), [(1, 1, 1)], {"cut": choice}
        )
        assert bare.deal == shown.deal
        assert not any(isinstance(step, Arrange) for step, _ in bare.done)


def test_the_house_chooses_the_directions_of_counting_and_dealing() -> None:
    assert hand_numbers(dealt(11, deal_direction="clockwise"))[1] == 2
    assert hand_numbers(dealt(11, count_direction="clockwise"))[6] == 1


def test_from_the_bankers_view_the_pile_is_seen_from_the_other_side() -> None:
    setup = dealt(9, pile_view="banker")
    assert [str(place) for place in setup.hands[0]] == ["p8.1", "p8.2", "p8.3", "p8.4"]
    assert facts(setup)["setup_moves"] == [
        {"verb": "push", "from": ["p8.1", "p8.2", "p8.3", "p8.4"], "to": ["forward"]}
    ]


def test_a_house_can_forbid_both_options_of_a_cut_together() -> None:
    assert "cup_say+reverse+bottom" not in Parameters(allow_reverse_bottom_combo=False).cuts


def test_a_house_plays_its_own_cut_by_name() -> None:
    parameters = Parameters(allowed_cuts=("one_stack",), user_cuts=(OWN,), cut_default="levels")
    assert parameters.cuts == ("one_stack", "one_stack+reverse", "levels")
    setup = settle(PAI_GOW.setup(parameters=parameters), [(3, 3, 3)])
    assert [str(place) for place in setup.hands[0]] == ["p1.1", "p2.1", "p3.1", "p4.1"]
    assert facts(setup)["setup_moves"] == []


def test_a_default_that_is_not_offered_is_refused() -> None:
    with pytest.raises(IllegalSetupError, match="`cut_default` must be one of"):
        Parameters(allowed_cuts=("one_stack",), cut_default="dai_pin")


def test_a_cut_listed_twice_is_refused() -> None:
    with pytest.raises(IllegalSetupError, match="cut twice"):
        Parameters(user_cuts=(OWN, OWN))
    with pytest.raises(IllegalSetupError, match="cut twice"):
        Parameters(allowed_cuts=(*CUTS, "one_stack"))
