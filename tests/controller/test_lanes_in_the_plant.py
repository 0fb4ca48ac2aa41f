"""Round after round with hand lanes: the dealer moves on, and with him the seventeenth tile."""

from __future__ import annotations

import asyncio

import pytest

from config.loader import game_parameters, load_game, load_table
from controller.daemon import Daemon
from controller.events import Event, EventLog
from controller.hardware import simulated
from controller.journal import Journal
from controller.workplace import Orders
from firmware_bridge.sim.clock import run
from rules.games import find_game

Sizes = dict[int, int]


def hands_of_each_round(dealer: int, rounds: int) -> list[tuple[object, Sizes, Sizes]]:
    """Of each round: the dealer, the hands by the rules, and what really lies before the seats."""
    table, config, wenzhou = load_table("auto_deal"), load_game("wenzhou"), find_game("wenzhou")
    found: list[tuple[object, Sizes, Sizes]] = []

    async def play() -> None:
        loop = asyncio.get_running_loop()
        events = EventLog(loop.time)
        hardware = simulated(table, config, wenzhou, 4, seed=7, chance=False)
        with Journal.in_memory("now", {}) as journal:
            daemon = Daemon(
                table,
                config,
                Orders(wenzhou, game_parameters(config), dealer),
                hardware.boards,
                hardware.guide,
                journal,
                events,
                face_of=hardware.face_of,
                traffic=hardware.traffic,
                clock=loop.time,
            )

            def look(event: Event) -> None:
                if event["event"] == "ready":
                    assert daemon.deal is not None and hardware.plant is not None
                    rules = {seat: len(hand) for seat, hand in daemon.deal.setup.hands.items()}
                    truth = {seat: len(hand) for seat, hand in hardware.plant.hands().items()}
                    found.append((event["dealer"], rules, truth))

            events.listen(look)
            await daemon.run(rounds)
        hardware.close()

    run(play())
    return found


@pytest.mark.parametrize("dealer", [0, 2])
def test_the_seventeenth_tile_comes_to_each_dealer_in_turn(dealer: int) -> None:
    rounds = hands_of_each_round(dealer, 5)
    assert [found for found, _, _ in rounds] == [(dealer + number) % 4 for number in range(5)]
    for now, rules, truth in rounds:
        assert rules == truth == {seat: 17 if seat == now else 16 for seat in range(4)}
