"""Plays several rounds of pai gow with every cut, at the tables with an arm."""

from __future__ import annotations

import pytest

from config.loader import game_parameters, load_game
from controller.run.orders import Orders
from controller.run.planning.setup_forecast import seats_of
from rules.games import find_game
from rules.games.pai_gow.cuts import CUTS, cut_choices, find_cut
from tests.controller.played_evening import spend
from tests.quick import sampled, slow_except

ARM_TABLES = ("pai_gow", "robotic")
ROUNDS = 3


def deal_by(choice: str, table: str, rounds: int, *, fastest: bool = False) -> None:
    """Play rounds with one cut, and check that every hand gets the tiles of its places."""
    config, rules = load_game("pai_gow"), find_game("pai_gow")
    orders = Orders(rules, game_parameters(config), answers={"cut": choice}, fastest=fastest)
    evening = spend("pai_gow", table, rounds, orders=orders)
    events = [event["event"] for event in evening.events]
    assert events.count("ready") == rounds
    assert not {"fault", "operator_prompted", "recovered"} & set(events)
    dealt = [event for event in evening.events if event["event"] == "delivered"]
    assert len(dealt) == rounds * seats_of(orders.setup(0))
    hands = {tuple(map(str, hand)) for hand in find_cut(choice).hands}
    assert {tuple(event["from"]) for event in dealt} == hands  # type: ignore[arg-type]
    assert evening.daemon.run_state.ledger.accounted == evening.daemon.run_state.ledger.expected


@pytest.mark.parametrize("cut", slow_except(["one_stack", "chee_yee"], CUTS))
def test_a_second_round_is_dealt_after_every_cut(cut: str) -> None:
    """At the end of the lease the jaws' width returns from two columns to its safe value."""
    deal_by(cut, "pai_gow", 2)


WAYS = [
    (choice, ARM_TABLES[(number + turn) % 2], (number // 2 + turn // 2) % 2 == 1)
    for number, choice in enumerate(cut_choices(CUTS))
    for turn in range(4)
]
"""Each choice at both tables in the ritual and the fastest order; `make test` takes one of four."""


@pytest.mark.slow
@pytest.mark.parametrize(("choice", "table", "fastest"), sampled(4, WAYS))
def test_three_rounds_are_dealt_with_every_choice_of_a_cut(
    choice: str, table: str, fastest: bool
) -> None:
    deal_by(choice, table, ROUNDS, fastest=fastest)


def cuts_of(seed: int) -> list[object]:
    """Return the cuts that simulated people choose in three rounds without given answers."""
    evening = spend("pai_gow", "pai_gow", ROUNDS, seed=seed, play=False)
    return [event["answer"] for event in evening.events if event["event"] == "choice_made"]


@pytest.mark.slow
def test_the_seed_decides_which_cuts_simulated_people_choose() -> None:
    chosen = {seed: cuts_of(seed) for seed in range(4)}
    assert cuts_of(2) == chosen[2]
    assert len({tuple(map(str, cuts)) for cuts in chosen.values()}) > 1
    assert len({str(cut) for cuts in chosen.values() for cut in cuts}) > ROUNDS
