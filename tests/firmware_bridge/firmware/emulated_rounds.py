"""Rounds on simulated tables, whose boards run the firmware itself or are virtual ones."""

from __future__ import annotations

import asyncio
import fcntl
import subprocess
from dataclasses import dataclass, field

from config.loader import game_parameters, load_game, load_table
from controller.daemon import Daemon
from controller.events import Event, EventLog
from controller.hardware import simulated
from controller.journal import Journal
from controller.rest import seats_of
from controller.workplace import Orders
from firmware_bridge.sim import clock
from firmware_bridge.sim.plant.drum import Drum
from firmware_bridge.sim.plant.machine import Plant
from firmware_bridge.sim.plant.tiles import Tile
from firmware_bridge.sim.processor import ELF, FIRMWARE
from rules.games import find_game


def build() -> None:
    """The firmware and its processor; the first of several test processes does the work."""
    ELF.parent.mkdir(exist_ok=True)
    with (ELF.parent / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(
            ["make", "-s", "-C", str(FIRMWARE), "avr", "simavr"], check=True, timeout=300
        )


@dataclass
class Round:
    """A round from power-on to ready to play."""

    events: list[Event] = field(default_factory=list)
    hands: dict[int, list[str]] = field(default_factory=dict)
    """The faces before each seat, in the order in which they came there."""
    seconds: float = 0.0

    def told(self, event: str) -> list[Event]:
        """All events of one name, without their times."""
        return [
            {key: value for key, value in told.items() if key != "t"}
            for told in self.events
            if told["event"] == event
        ]


def play(
    table: str, game: str, *, seed: int, emulated: bool, answers: dict[str, int | str] | None = None
) -> Round:
    """Play one round until it is ready."""

    async def main() -> Round:
        loop = asyncio.get_running_loop()
        machine, config = load_table(table), load_game(game)
        orders = Orders(find_game(game), game_parameters(config), answers=answers or {})
        seats = seats_of(orders.setup(0))
        hardware = simulated(machine, config, orders.game, seats, seed, emulated=emulated)
        assert hardware.plant is not None
        each_wheel_has_its_share(hardware.plant)
        played, log = Round(), EventLog(loop.time)
        log.listen(played.events.append)
        try:
            with Journal.in_memory("", {}) as journal:
                daemon = Daemon(
                    machine,
                    config,
                    orders,
                    hardware.boards,
                    hardware.guide,
                    journal,
                    log,
                    face_of=hardware.face_of,
                    traffic=hardware.traffic,
                    clock=loop.time,
                    reconnect=hardware.reconnect,
                )
                await daemon.run(1, until_ready=True)
        finally:
            hardware.close()
        played.seconds = loop.time()
        for seat, hand in hardware.plant.hands().items():
            played.hands[seat] = [tile.face for tile in hand]
        return played

    return clock.run(main())


def each_wheel_has_its_share(plant: Plant) -> None:
    """Every wheel finds its share of the tiles first, in an order drawn before.

    Otherwise the faces of a round hang on which of two wheels was a millisecond earlier, and real
    boards, who take that long to answer, need not agree with those that take none.
    """
    order = list(plant.tiles)
    plant.world.stream("shares").shuffle(order)
    order.sort(key=lambda tile: tile.set)
    for number, head in enumerate(plant.heads):
        share = order[number :: len(plant.heads)]
        rank = {tile.number: place for place, tile in enumerate(share)}
        head._drum = _Shared(head._drum, rank)  # type: ignore[assignment]


class _Shared:
    """A drum as one wheel meets it."""

    def __init__(self, drum: Drum, rank: dict[int, int]) -> None:
        self._drum = drum
        self._rank = rank

    def pick(self) -> Tile:
        last = len(self._rank)
        tiles = self._drum.well.tiles
        return self._drum.well.take(min(tiles, key=lambda tile: self._rank.get(tile.number, last)))

    def __len__(self) -> int:
        return len(self._drum)

    def __getattr__(self, name: str) -> object:
        return getattr(self._drum, name)
