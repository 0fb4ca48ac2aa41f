"""Compares the duration of a table's cycles with the least time that its speeds allow.

The bound of `under` assumes that tiles come out of the drum at regular times. Real wheels pick up
tiles at random, and the walls are staged when the slowest of four heads has its tiles: one row
measures how much time this adds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

from benchmarks import Row
from benchmarks.played import played
from config.loader import game_parameters, load_game, load_table
from controller.events import EventLog
from controller.run.assembly import daemon_for, simulated
from controller.run.journal import Journal
from controller.run.orders import Orders
from controller.run.planning.setup_forecast import seats_of
from firmware_bridge.sim.clock import run
from rules.games import find_game

ROUNDS = 50
ROUNDS_WITHOUT_CHANCE = 5
UNDER, TOP = "lid closed to walls staged", "raise ordered to ready"


def main() -> Iterator[Row]:
    """Measure the `under` and `top` cycles; yield each in seconds, compared with its least time."""
    regular = run(_without_chance())
    yield _row("under", f"{UNDER}, tiles coming regularly", ROUNDS_WITHOUT_CHANCE, regular, 1.10)
    random = played("--rounds", str(ROUNDS), "--seed", "7")
    yield _row("under", f"{UNDER}, tiles coming at random", ROUNDS, random, 1.25)
    yield _row("top", TOP, ROUNDS, random, 1.05)


def _row(activity: str, made_of: str, rounds: int, summary: dict[str, Any], most: float) -> Row:
    cycle, bound = summary["cycle_s"][activity], summary["bound_s"][activity]
    return Row(
        f"cycle {activity} ({made_of}), {rounds} rounds of Wenzhou on robotic",
        f"{cycle:.2f} s, {cycle / bound:.3f} x the bound of {bound:.2f} s",
        f"at most {most:.2f} x",
        cycle <= most * bound,
    )


async def _without_chance() -> dict[str, Any]:
    """Play rounds in which every part takes its mean time; return the run's summary."""
    table, config, rules = load_table("robotic"), load_game("wenzhou"), find_game("wenzhou")
    orders = Orders(rules, game_parameters(config))
    seats = seats_of(orders.setup(0))
    hardware = simulated(table, config, rules, seats, seed=7, chance=False)
    with Journal.in_memory("now", {}) as journal:
        events = EventLog(asyncio.get_running_loop().time)
        daemon = daemon_for(hardware, table, config, orders, journal, events)
        await daemon.run(ROUNDS_WITHOUT_CHANCE)
    hardware.close()
    return daemon.summary(0.0)


if __name__ == "__main__":
    for row in main():
        print(row.claim, row.goal, row.measured, sep=" | ")
