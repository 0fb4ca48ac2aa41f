"""Pulls a serial plug during a round and puts it back, on pseudo-terminals in real time.

The boards keep their power. The host loses its file descriptor and finds a new device behind the
same path, as with the links that udev makes in /dev/serial/by-id.
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
from controller.events import Event, EventLog
from controller.run.assembly import daemon_for, on_lines, simulated_plant
from controller.run.journal import Journal
from controller.run.orders import Orders
from controller.run.planning.setup_forecast import seats_of
from firmware_bridge.commissioning.device_keys import DeviceKeys
from firmware_bridge.sim.bench import Bench
from firmware_bridge.sim.clock import VirtualLoop
from firmware_bridge.sim.people.simulated_guide import SimulatedGuide
from rules.games import find_game

SIMULATED_KEYS = DeviceKeys(Path(os.devnull), simulated=True)
OUT = 0.5
"""How long the plug is out, seconds."""


class Socket:
    """The path of a port and the device behind it; `receive` is called with bytes of the host."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.receive: Callable[[bytes], None] = lambda data: None
        self._ends: tuple[int, int] | None = None

    def plug_in(self) -> None:
        far, near = self._ends = os.openpty()
        tty.setraw(near)
        os.set_blocking(far, False)
        self.path.symlink_to(os.ttyname(near))
        asyncio.get_running_loop().add_reader(far, lambda: self.receive(os.read(far, 4096)))

    def pull(self) -> None:
        if self._ends is not None:
            asyncio.get_running_loop().remove_reader(self._ends[0])
            self.path.unlink()
            for end in self._ends:
                os.close(end)
            self._ends = None

    def send(self, data: bytes) -> None:
        """Send bytes to the host; they are lost while the plug is out or the buffer is full."""
        if self._ends is not None:
            with suppress(BlockingIOError):
                os.write(self._ends[0], data)


@dataclass
class Recording:
    """The events of a run, and the number of dice that were thrown."""

    events: list[Event] = field(default_factory=list)
    throws: int = 0
    is_pulled: bool = False

    def named(self, name: str) -> list[Event]:
        return [event for event in self.events if event["event"] == name]


def run_backgammon(port: Path, pulled_at: Callable[[Event], bool], ports: int = 1) -> Recording:
    """Run until the first roll; pull the plug once, at the first event that `pulled_at` accepts.

    With two `ports` each board has a port of its own, and only the second plug is pulled.
    """
    table, config, game = load_table("auto_deal"), load_game("backgammon"), find_game("backgammon")
    orders = Orders(game, game_parameters(config))
    recording = Recording()

    async def scenario() -> None:
        loop = asyncio.get_running_loop()
        plant = simulated_plant(table, config, game, seats_of(orders.setup(0)), 7)
        sockets = [Socket(port.with_suffix(f".{number}")) for number in range(ports)]

        def send(data: bytes) -> None:
            for socket in sockets:
                socket.send(data)

        bench = Bench(plant, send)
        for socket in sockets:
            socket.receive = bench.receive
            socket.plug_in()
        paths = {name: str(sockets[n % ports].path) for n, name in enumerate(table.boards)}
        hardware = on_lines(table, game, paths, SimulatedGuide(plant), SIMULATED_KEYS)
        events = EventLog(loop.time)

        def on_event(event: Event) -> None:
            recording.events.append(event)
            if pulled_at(event) and not recording.is_pulled:
                recording.is_pulled = True
                loop.call_soon(sockets[-1].pull)
                loop.call_later(OUT, sockets[-1].plug_in)

        events.listen(on_event)
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
        recording.throws = len(plant.dome.throws)

    with asyncio.Runner(loop_factory=lambda: VirtualLoop(pace=1.0, live=True)) as runner:
        runner.run(scenario())
    return recording


def homing(event: Event) -> bool:
    """Whether the event reports that the lid and the lanes begin to home."""
    return event.get("under") == "homing"


def throwing(event: Event) -> bool:
    """Whether the event reports that a throw of the dice begins."""
    return event.get("move") == "shake"


@pytest.mark.parametrize("ports", [1, 2], ids=["one port", "a port for each board"])
@pytest.mark.parametrize("pulled_at", [homing, throwing])
def test_a_pulled_plug_pauses_the_round_which_goes_on_when_the_plug_is_back(
    pulled_at: Callable[[Event], bool], ports: int, tmp_path: Path
) -> None:
    recording = run_backgammon(tmp_path / "port", pulled_at, ports)
    assert {event["why"] for event in recording.named("paused")} <= {"SILENT", "LEASE_EXPIRED"}
    # A busy computer can carry bytes so late that a lease expires too: one more pause, no defect.
    pauses = [float(str(event["paused_s"])) for event in recording.named("resumed")]
    assert max(pauses) >= OUT - 0.1
    assert len(recording.named("ready")) == 1
    assert not recording.named("fault") and not recording.named("operator_prompted")
    assert recording.throws == sum(len(event["dice"]) for event in recording.named("dice_thrown"))  # type: ignore[arg-type, misc]
