"""A serial port is pulled and plugged in again while a round runs: pseudo-terminals, real time.

The boards keep their power; the host loses its file descriptor, and finds a new device behind the
old path, as udev's links in /dev/serial/by-id have it.
"""

from __future__ import annotations

import asyncio
import os
import tty
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from config.loader import game_parameters, load_game, load_table
from controller.assembly import daemon_for, on_lines, simulated_plant
from controller.events import Event, EventLog
from controller.journal import Journal
from controller.orders import Orders
from controller.planning.setup_forecast import seats_of
from firmware_bridge.sim.bench import Bench
from firmware_bridge.sim.people.hands import Hands
from rules.games import find_game

OUT = 0.5
"""Seconds for which the plug is out."""


class Socket:
    """The path of a port, and whatever device is behind it now; `hear` gets what the host says."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.hear: Callable[[bytes], None] = lambda data: None
        self._ends: tuple[int, int] | None = None

    def plug_in(self) -> None:
        far, near = self._ends = os.openpty()
        tty.setraw(near)
        os.set_blocking(far, False)
        self.path.symlink_to(os.ttyname(near))
        asyncio.get_running_loop().add_reader(far, lambda: self.hear(os.read(far, 4096)))

    def pull(self) -> None:
        if self._ends is not None:
            asyncio.get_running_loop().remove_reader(self._ends[0])
            self.path.unlink()
            for end in self._ends:
                os.close(end)
            self._ends = None

    def send(self, data: bytes) -> None:
        """Bytes to the host; with the plug out, or nobody reading, they are lost."""
        if self._ends is not None:
            with suppress(BlockingIOError):
                os.write(self._ends[0], data)


@dataclass
class Evening:
    """What was told, and how often the dice fell."""

    events: list[Event] = field(default_factory=list)
    throws: int = 0

    def named(self, name: str) -> list[Event]:
        return [event for event in self.events if event["event"] == name]


def evening(port: Path, pulled_at: Callable[[Event], bool], ways: int = 1) -> Evening:
    """Backgammon to its first roll, homing and dice; the plug is pulled at such an event, once.

    With two `ways` each board has a port of its own, and only the second one's is pulled.
    """
    table, config, game = load_table("auto_deal"), load_game("backgammon"), find_game("backgammon")
    orders = Orders(game, game_parameters(config))
    lived = Evening()

    async def scenario() -> None:
        loop = asyncio.get_running_loop()
        plant = simulated_plant(table, config, game, seats_of(orders.setup(0)), 7)
        sockets = [Socket(port.with_suffix(f".{number}")) for number in range(ways)]

        def send(data: bytes) -> None:
            for socket in sockets:
                socket.send(data)

        bench = Bench(plant, send)
        for socket in sockets:
            socket.hear = bench.receive
            socket.plug_in()
        ports = {name: str(sockets[n % ways].path) for n, name in enumerate(table.boards)}
        hardware = on_lines(table, game, ports, Hands(plant))
        events = EventLog(loop.time)

        def hear(event: Event) -> None:
            lived.events.append(event)
            if pulled_at(event) and not lived.named("paused"):
                loop.call_soon(sockets[-1].pull)
                loop.call_later(OUT, sockets[-1].plug_in)

        events.listen(hear)
        try:
            with Journal.in_memory("", {}) as journal:
                daemon = daemon_for(hardware, table, config, orders, journal, events)
                async with asyncio.timeout(20):
                    await daemon.run(1, until_ready=True)
        finally:
            hardware.close()
            bench.close()
            for socket in sockets:
                socket.pull()
        assert plant.dome is not None
        lived.throws = len(plant.dome.fallen)

    with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
        runner.run(scenario())
    return lived


def homing(event: Event) -> bool:
    """The lid and the lanes are on their way home."""
    return event.get("under") == "homing"


def throwing(event: Event) -> bool:
    """The dice are in the air."""
    return event.get("move") == "shake"


@pytest.mark.parametrize("ways", [1, 2], ids=["one_line", "a_line_each"])
@pytest.mark.parametrize("pulled_at", [homing, throwing])
def test_a_pulled_port_is_a_pause_and_the_round_goes_on_when_it_is_back(
    pulled_at: Callable[[Event], bool], ways: int, tmp_path: Path
) -> None:
    lived = evening(tmp_path / "port", pulled_at, ways)
    assert {event["why"] for event in lived.named("paused")} <= {"SILENT", "LEASE_EXPIRED"}
    (resumed,) = lived.named("resumed")
    assert float(str(resumed["paused_s"])) >= OUT - 0.1
    assert len(lived.named("ready")) == 1
    assert not lived.named("fault") and not lived.named("operator_prompted")
    assert lived.throws == sum(len(event["dice"]) for event in lived.named("dice_thrown"))  # type: ignore[arg-type, misc]
