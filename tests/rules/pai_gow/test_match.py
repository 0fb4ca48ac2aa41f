"""The bank's way round the table (4.3)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from rules.errors import RulesError
from rules.games.pai_gow import PAI_GOW_RULES, Parameters
from rules.games.pai_gow.match import PaiGowMatch, match
from rules.games.pai_gow.play import start
from tests.rules.pai_gow.felt import dealt, played


def after_a_hand(told: PaiGowMatch) -> PaiGowMatch:
    """One more hand, in which every player wins."""
    players = len(told.scores)
    play = start(dealt(players, told.dealer))
    seats = play.players
    play = played(play, *(f"{seat} set" for seat in (*seats, told.dealer)))
    return told.after(played(play, *(f"{seat} call win" for seat in seats)))


def test_the_bank_goes_round_counter_clockwise() -> None:
    told, banks = match(players=4, dealer=2), []
    for _ in range(5):
        banks.append(told.dealer)
        told = after_a_hand(told)
    assert banks == [2, 3, 0, 1, 2]


def test_a_house_may_send_it_the_other_way_or_leave_it_longer() -> None:
    told, banks = (
        match(players=3, parameters=Parameters(bank_direction="clockwise", hands_as_bank=2)),
        [],
    )
    for _ in range(6):
        banks.append(told.dealer)
        told = after_a_hand(told)
    assert banks == [0, 0, 2, 2, 1, 1]


def test_scores_are_what_everybody_has_won() -> None:
    told = after_a_hand(match(players=3))
    assert told.scores == (-2, Fraction(19, 20), Fraction(19, 20))
    assert after_a_hand(told).scores == (Fraction(-21, 20), Fraction(-21, 20), Fraction(19, 10))


def test_a_player_may_decline_the_bank() -> None:
    told = match(players=4, dealer=1).decline().decline()
    assert (told.dealer, told.declined) == (3, (1, 2))
    told = after_a_hand(told)
    assert (told.dealer, told.declined) == (0, ())


def test_with_nobody_to_bank_the_match_is_over() -> None:
    told = match(players=2).decline().decline()
    assert told.over
    with pytest.raises(RulesError, match="cannot decline the bank"):
        told.decline()


def test_a_bank_that_all_decline_falls_to_the_house() -> None:
    told = match(players=3, dealer=1, parameters=Parameters(house_seats=(2,)))
    told = told.decline().decline().decline()
    assert (told.dealer, told.over, told.can_decline) == (2, False, False)


def test_a_house_may_want_everybody_to_bank() -> None:
    told = match(players=3, parameters=Parameters(bank_may_be_declined=False))
    with pytest.raises(RulesError, match="Seat 0 cannot decline the bank"):
        told.decline()


def test_an_unfinished_hand_does_not_count() -> None:
    with pytest.raises(RulesError, match="The hand is not settled"):
        match(players=2).after(start(dealt(2)))


@pytest.mark.parametrize(("players", "dealer"), [(1, 0), (9, 0), (4, 4)])
def test_a_match_needs_two_to_eight_players_and_a_bank_among_them(
    players: int, dealer: int
) -> None:
    with pytest.raises(RulesError, match=f"not {players} players and seat {dealer}"):
        PAI_GOW_RULES.match(Parameters(), players, dealer)
