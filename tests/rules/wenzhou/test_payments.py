"""Payments of Wenzhou mahjong, and the next dealer."""

from __future__ import annotations

import pytest

from rules.errors import IllegalSetupError, RulesError
from rules.games.wenzhou import WenzhouMatch, draw_seats
from rules.games.wenzhou.score import Stakes, broken_order, caishen_money, false_win, won
from rules.games.wenzhou.setup import Parameters
from rules.games.wenzhou.wins import WinReading
from rules.play import Settlement
from tests.rules.wenzhou.tables import shuffled

SOFT, HARD, DOUBLE = (WinReading("a win", multiplier, ()) for multiplier in (1, 2, 4))


def paid(
    winner: int, win: WinReading, streak: int, dealer: int = 0, **house: object
) -> dict[int, int]:
    """The payment of each seat that pays."""
    stakes = Stakes(dealer, streak, Parameters(**house))  # type: ignore[arg-type]
    return {payment.source: int(payment.amount) for payment in won(winner, win, stakes).payments}


def ended(winner: int | None) -> Settlement:
    return Settlement("a hand", winner=winner)


def test_WZ_24_a_soft_win_of_a_non_dealer_in_the_dealers_first_hand_pays_4() -> None:
    assert paid(2, SOFT, streak=1) == {3: 1, 0: 2, 1: 1}


def test_WZ_25_a_hard_win_of_the_dealer_in_his_third_hand_pays_36() -> None:
    assert paid(0, HARD, streak=3) == {1: 12, 2: 12, 3: 12}


def test_WZ_26_a_double_win_of_a_non_dealer_in_the_dealers_fourth_hand_pays_40() -> None:
    assert paid(1, DOUBLE, streak=4) == {0: 32, 2: 4, 3: 4}


def test_WZ_27_the_scale_3_5_7_9_can_be_used() -> None:
    assert paid(1, HARD, streak=2, dealer_scale=(3, 5, 7, 9)) == {0: 10, 2: 2, 3: 2}


def test_WZ_28_after_the_dealers_fourth_win_his_right_neighbour_deals() -> None:
    match = WenzhouMatch()
    for streak in (1, 2, 3, 4):
        assert (match.dealer, match.streak) == (0, streak)
        match = match.settled(ended(0))
    assert (match.dealer, match.streak, match.reseating) == (1, 1, False)

    older = WenzhouMatch(Parameters(after_fourth="reseat"), dealer=3, streak=4).settled(ended(3))
    assert older.reseating
    assert older.seated(dealer=2) == WenzhouMatch(older.parameters, dealer=2, hands=1)


def test_WZ_29_a_drawn_hand_keeps_dealer_and_figure_unless_it_had_a_kong() -> None:
    match = WenzhouMatch(dealer=2, streak=4)
    again = match.settled(ended(None))
    assert (again.dealer, again.streak) == (2, 4)
    passed = match.settled(ended(None), kongs=1)
    assert (passed.dealer, passed.streak) == (3, 1)


def test_W32_a_non_dealers_win_passes_the_deal_to_the_right() -> None:
    match = WenzhouMatch(dealer=1, streak=3).settled(ended(0))
    assert (match.dealer, match.streak) == (2, 1)


def test_W30_the_discarder_pays_no_more_than_the_others() -> None:
    settlement = won(2, HARD, Stakes(0, 1, Parameters()))
    assert settlement.balance() == {2: 8, 3: -2, 0: -4, 1: -2}


def test_W35_caishen_money_is_paid_by_all_other_seats() -> None:
    paid = caishen_money((0, 2, 0, 1), Parameters(caishen_money=3))
    assert Settlement("", payments=paid).balance() == {0: -9, 1: 15, 2: -9, 3: 3}
    assert caishen_money((0, 2, 0, 1), Parameters()) == ()


def test_W36_a_false_win_pays_each_seat_as_for_a_hard_hand() -> None:
    penalty = false_win(1, Stakes(0, 2, Parameters()), "Nine of those.")
    assert penalty.balance() == {1: -12, 0: 8, 2: 2, 3: 2}
    free = false_win(1, Stakes(0, 2, Parameters(false_win_penalty="none")), "")
    assert free.payments == ()
    assert WenzhouMatch(streak=2).penalised(penalty) == WenzhouMatch(
        streak=2, scores=(8, -12, 2, 2)
    )


def test_E16_the_house_sets_the_fine_for_a_discard_against_the_order() -> None:
    assert broken_order(3, Stakes(0, 1, Parameters()), "").payments == ()
    house = Parameters(discard_order_penalty=5)
    assert broken_order(3, Stakes(0, 1, house), "").balance() == {3: -15, 0: 5, 1: 5, 2: 5}


def test_W2_east_can_make_the_second_throw() -> None:
    assert draw_seats(1, 8, 5, Parameters()) == (0, 1)
    assert draw_seats(1, 8, 5, Parameters(seat_draw_method="east")) == (0, 0)


def test_an_unfinished_hand_is_not_counted() -> None:
    with pytest.raises(RulesError, match="The hand is not over"):
        WenzhouMatch().after(shuffled(1))
    assert not WenzhouMatch().over


@pytest.mark.parametrize(
    "house",
    [
        {"dealer_scale": ()},
        {"dealer_scale": (2, 0)},
        {"reserve": 71},
        {"reserve": -1},
        {"caishen_money": -1},
        {"discard_order_penalty": -1},
    ],
)
def test_impossible_parameters_are_refused(house: dict[str, object]) -> None:
    with pytest.raises(IllegalSetupError):
        Parameters(**house)  # type: ignore[arg-type]
