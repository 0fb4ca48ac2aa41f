"""Matches of pai gow: the bank passes from seat to seat (4.3)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from rules.errors import RulesError
from rules.games.pai_gow import PAI_GOW_RULES, Parameters
from rules.games.pai_gow.match import PaiGowMatch, match
from rules.games.pai_gow.play import start
from tests.rules.pai_gow.deals import dealt, played


def after_a_hand(current: PaiGowMatch) -> PaiGowMatch:
    """The match after one more hand, in which every player wins."""
    players = len(current.scores)
    play = start(dealt(players, current.dealer))
    seats = play.players
    play = played(play, *(f"{seat} set" for seat in (*seats, current.dealer)))
    return current.after(played(play, *(f"{seat} call win" for seat in seats)))


def test_the_bank_passes_counter_clockwise() -> None:
    current, banks = match(players=4, dealer=2), []
    for _ in range(5):
        banks.append(current.dealer)
        current = after_a_hand(current)
    assert banks == [2, 3, 0, 1, 2]


def test_a_house_can_pass_the_bank_clockwise_or_after_several_hands() -> None:
    current, banks = (
        match(players=3, parameters=Parameters(bank_direction="clockwise", hands_as_bank=2)),
        [],
    )
    for _ in range(6):
        banks.append(current.dealer)
        current = after_a_hand(current)
    assert banks == [0, 0, 2, 2, 1, 1]


def test_scores_are_the_winnings_of_each_seat() -> None:
    current = after_a_hand(match(players=3))
    assert current.scores == (-2, Fraction(19, 20), Fraction(19, 20))
    assert after_a_hand(current).scores == (Fraction(-21, 20), Fraction(-21, 20), Fraction(19, 10))


def test_a_player_can_decline_the_bank() -> None:
    current = match(players=4, dealer=1).decline().decline()
    assert (current.dealer, current.declined) == (3, (1, 2))
    current = after_a_hand(current)
    assert (current.dealer, current.declined) == (0, ())


def test_the_match_is_over_if_all_players_decline_the_bank() -> None:
    current = match(players=2).decline().decline()
    assert current.over
    with pytest.raises(RulesError, match="cannot decline the bank"):
        current.decline()


def test_the_house_gets_a_bank_that_all_players_decline() -> None:
    current = match(players=3, dealer=1, parameters=Parameters(house_seats=(2,)))
    current = current.decline().decline().decline()
    assert (current.dealer, current.over, current.can_decline) == (2, False, False)


def test_a_house_can_forbid_players_to_decline_the_bank() -> None:
    current = match(players=3, parameters=Parameters(bank_may_be_declined=False))
    with pytest.raises(RulesError, match="Seat 0 cannot decline the bank"):
        current.decline()


def test_an_unfinished_hand_is_not_counted() -> None:
    with pytest.raises(RulesError, match="The hand is not settled"):
        match(players=2).after(start(dealt(2)))


@pytest.mark.parametrize(("players", "dealer"), [(1, 0), (9, 0), (4, 4)])
def test_a_match_needs_two_to_eight_players_and_a_bank_among_them(
    players: int, dealer: int
) -> None:
    with pytest.raises(RulesError, match=f"not {players} players and seat {dealer}"):
        PAI_GOW_RULES.match(Parameters(), players, dealer)
