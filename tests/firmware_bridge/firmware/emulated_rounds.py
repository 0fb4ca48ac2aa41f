"""Plays rounds on simulated tables whose boards are virtual or run the emulated firmware."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from config.layout.mixing import with_drum
from config.loader import game_parameters, load_game, load_table
from controller.events import Event, EventLog
from controller.run.assembly import Hardware, daemon_for, simulated
from controller.run.journal import Journal
from controller.run.orders import Orders
from controller.run.planning.setup_forecast import seats_of
from firmware_bridge.sim import clock
from rules.games import find_game

PLAY = 2.0
"""Seconds of play in these rounds: so short that the table does no work meanwhile."""
MIX = 2.0
"""Seconds of mixing in these rounds: the emulated boards take half a second for each."""


@dataclass
class Round:
    """A round from power-on until the set that was played is back below the lid."""

    events: list[Event] = field(default_factory=list)
    hands: dict[int, list[str]] = field(default_factory=dict)
    """The faces before each seat when the hand was ready to be played, in the order of arrival."""
    dice: list[tuple[int, ...]] = field(default_factory=list)
    """Every throw of the dome."""
    census: dict[str, int] = field(default_factory=dict)
    """The number of tiles at each place at the end."""
    seconds: float = 0.0

    def events_named(self, event: str) -> list[Event]:
        """Return all events of one name, without their times."""
        return [
            {key: value for key, value in entry.items() if key != "t"}
            for entry in self.events
            if entry["event"] == event
        ]


def play(
    table: str,
    game: str,
    *,
    seed: int,
    emulated: bool,
    answers: dict[str, int | str] | None = None,
    stock: bool = False,
    until_ready: bool = False,
    until: str = "",
    observe: Callable[[Hardware], None] | None = None,
) -> Round:
    """Play one round, from power-on until its tiles are collected.

    `stock` boards have the Mega's bootloader. With `until_ready` the round ends when it is dealt,
    with `until` at the first event of this name. `observe` is called before the run.
    """

    async def main() -> Round:
        loop = asyncio.get_running_loop()
        machine = with_drum(load_table(table), mix=MIX)
        config = load_game(game).model_copy(update={"play": PLAY})
        orders = Orders(find_game(game), game_parameters(config), answers=answers or {})
        seats = seats_of(orders.setup(0))
        hardware = simulated(
            machine, config, orders.game, seats, seed, emulated=emulated, stock=stock
        )
        if observe is not None:
            observe(hardware)
        plant = hardware.plant
        assert plant is not None and plant.dome is not None
        played, log = Round(), EventLog(loop.time)
        reached = asyncio.Event()

        def record(event: Event) -> None:
            if reached.is_set():
                return
            played.events.append(event)
            if event["event"] == until:
                reached.set()
            if event["event"] == "ready":
                for seat, hand in plant.hands().items():
                    played.hands[seat] = [tile.face for tile in hand]

        log.listen(record)
        try:
            with Journal.in_memory("", {}) as journal:
                daemon = daemon_for(hardware, machine, config, orders, journal, log)
                running = loop.create_task(daemon.run(1, until_ready=until_ready))
                ended = loop.create_task(reached.wait())
                await asyncio.wait((running, ended), return_when=asyncio.FIRST_COMPLETED)
                ended.cancel()
                if reached.is_set():
                    running.cancel()
                with suppress(asyncio.CancelledError):
                    await running
        finally:
            hardware.close()
        played.dice = plant.dome.throws
        played.census = {place: tiles for place, tiles in plant.census().items() if tiles}
        played.seconds = loop.time()
        return played

    return clock.run(main())
