"""Rounds on simulated tables, whose boards run the firmware itself or are virtual ones."""

from __future__ import annotations

import asyncio
import fcntl
import subprocess
from dataclasses import dataclass, field

from config.loader import game_parameters, load_game, load_table
from controller.assembly import daemon_for, simulated
from controller.events import Event, EventLog
from controller.journal import Journal
from controller.orders import Orders
from controller.planning.setup_forecast import seats_of
from firmware_bridge.sim import clock
from firmware_bridge.sim.processors.processor import ELF, FIRMWARE
from rules.games import find_game


def build() -> None:
    """The firmware and its processor; the first of several test processes does the work."""
    ELF.parent.mkdir(exist_ok=True)
    with (ELF.parent / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(
            ["make", "-s", "-C", str(FIRMWARE), "avr", "simavr"], check=True, timeout=300
        )


PLAY = 2.0
"""So short do people play here: what a table does meanwhile is nothing."""


@dataclass
class Round:
    """A round from power-on until the set that was played is back below the lid."""

    events: list[Event] = field(default_factory=list)
    hands: dict[int, list[str]] = field(default_factory=dict)
    """The faces before each seat when it was ready to be played, in the order in which they came
    there."""
    dice: list[tuple[int, ...]] = field(default_factory=list)
    """Every throw of the dome."""
    lie: dict[str, int] = field(default_factory=dict)
    """How many tiles lie where in the end; each one is counted."""
    seconds: float = 0.0

    def events_named(self, event: str) -> list[Event]:
        """All events of one name, without their times."""
        return [
            {key: value for key, value in told.items() if key != "t"}
            for told in self.events
            if told["event"] == event
        ]


def play(
    table: str, game: str, *, seed: int, emulated: bool, answers: dict[str, int | str] | None = None
) -> Round:
    """Play one round and collect its tiles."""

    async def main() -> Round:
        loop = asyncio.get_running_loop()
        machine = load_table(table)
        config = load_game(game).model_copy(update={"play": PLAY})
        orders = Orders(find_game(game), game_parameters(config), answers=answers or {})
        seats = seats_of(orders.setup(0))
        hardware = simulated(machine, config, orders.game, seats, seed, emulated=emulated)
        plant = hardware.plant
        assert plant is not None and plant.dome is not None
        played, log = Round(), EventLog(loop.time)

        def hear(event: Event) -> None:
            played.events.append(event)
            if event["event"] == "ready":
                for seat, hand in plant.hands().items():
                    played.hands[seat] = [tile.face for tile in hand]

        log.listen(hear)
        try:
            with Journal.in_memory("", {}) as journal:
                await daemon_for(hardware, machine, config, orders, journal, log).run(1)
        finally:
            hardware.close()
        played.dice = plant.dome.fallen
        played.lie = {where: tiles for where, tiles in plant.census().items() if tiles}
        played.seconds = loop.time()
        return played

    return clock.run(main())
