"""Tests simulated rounds with hand lanes: each new dealer gets the seventeenth tile."""

from __future__ import annotations

import asyncio

import pytest

from config.loader import game_parameters, load_game, load_table
from controller.events import Event, EventLog
from controller.run.assembly import daemon_for, simulated
from controller.run.journal import Journal
from controller.run.orders import Orders
from firmware_bridge.sim.clock import run
from firmware_bridge.sim.faults.injected_fault import parse
from rules.games import find_game
from tests.quick import slow_except

Sizes = dict[int, int]


def hands_of_each_round(
    dealer: int, rounds: int, *injected_faults: str, emitted: list[Event] | None = None
) -> list[tuple[object, Sizes, Sizes]]:
    """Play rounds; return each dealer, the hand sizes by the rules, and those in the plant.

    `emitted` receives every event.
    """
    table, config, wenzhou = load_table("auto_deal"), load_game("wenzhou"), find_game("wenzhou")
    found: list[tuple[object, Sizes, Sizes]] = []

    async def play() -> None:
        loop = asyncio.get_running_loop()
        events = EventLog(loop.time)
        injected = [parse(text) for text in injected_faults]
        hardware = simulated(
            table, config, wenzhou, 4, seed=7, chance=False, injected_faults=injected
        )
        with Journal.in_memory("now", {}) as journal:
            orders = Orders(wenzhou, game_parameters(config), dealer)
            daemon = daemon_for(hardware, table, config, orders, journal, events)

            def look(event: Event) -> None:
                if event["event"] == "ready":
                    assert daemon.deal is not None and hardware.plant is not None
                    rules = {seat: len(hand) for seat, hand in daemon.deal.setup.hands.items()}
                    truth = {seat: len(hand) for seat, hand in hardware.plant.hands().items()}
                    found.append((event["dealer"], rules, truth))

            events.listen(look)
            if emitted is not None:
                events.listen(emitted.append)
            await daemon.run(rounds)
        hardware.close()

    run(play())
    return found


@pytest.mark.slow
@pytest.mark.parametrize("dealer", slow_except([2], [0, 2]))
def test_each_dealer_gets_the_seventeenth_tile(dealer: int) -> None:
    rounds = hands_of_each_round(dealer, 5)
    assert [found for found, _, _ in rounds] == [(dealer + number) % 4 for number in range(5)]
    for now, rules, truth in rounds:
        assert rules == truth == {seat: 17 if seat == now else 16 for seat in range(4)}


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    "jam",
    [
        pytest.param("jam:head2#16~1", id="loosened_at_once"),
        pytest.param("jam:head2#16~3", id="loosened_at_the_third_attempt", marks=SLOW),
        pytest.param("jam:head2#16~99", id="taken_out_by_a_person", marks=SLOW),
        pytest.param("jam:head2#9~99", id="in_the_middle_of_the_hand", marks=SLOW),
        pytest.param("jam:head2#17~99", id="the_first_tile_of_the_wall", marks=SLOW),
    ],
)
@pytest.mark.slow
def test_a_tile_that_sticks_at_the_counter_comes_to_its_hand(jam: str) -> None:
    emitted: list[Event] = []
    rounds = hands_of_each_round(0, 2, jam, emitted=emitted)
    assert [event["code"] for event in emitted if event["event"] == "recovered"] == ["JAM"]
    assert len(rounds) == 2
    for now, rules, truth in rounds:
        assert rules == truth == {seat: 17 if seat == now else 16 for seat in range(4)}


@pytest.mark.slow
@pytest.mark.parametrize(
    "injected_fault", slow_except(["jam:head1#4~99"], ["jam:head1#4~99", "starved:head1#4~99"])
)
def test_a_gate_stays_within_its_time_limit_while_a_person_works(injected_fault: str) -> None:
    emitted: list[Event] = []
    ((_, rules, truth),) = hands_of_each_round(
        0, 1, injected_fault, "wrong_answer:people#1", "wrong_answer:people#2", emitted=emitted
    )
    when = [float(str(event["t"])) for event in emitted if event.get("under") == "building"]
    (cured,) = [float(str(event["t"])) for event in emitted if event["event"] == "recovered"]
    assert cured - when[0] > 60.0, "the cure takes longer than the time limit of a gate"
    assert not [event for event in emitted if event["event"] == "paused"]
    assert rules == truth
