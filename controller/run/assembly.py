"""Assembles the hardware for a daemon: a simulated table, boards on serial lines, or GPIO pins.

This module alone selects the kind of hardware. The daemon receives boards, a guide, a function that
returns faces by tag, and the totals of the links, and does not depend on the kind.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from random import Random

from gpiozero import Factory

from config.schema import GameConfig, Table
from config.validation.channels import guarded
from config.validation.game_parameters import game_parameters
from controller.events import EventLog
from controller.run.chance.source import OpenChance, OperatingSystemChance
from controller.run.daemon import Daemon, LinkTotals
from controller.run.journal import Journal
from controller.run.orders import Orders
from controller.run.pausing.reconnection import never_lost
from firmware_bridge.board import Board, ProtocolBreach
from firmware_bridge.boards.encoding import flags_of
from firmware_bridge.boards.gpio_board import GpioBoard
from firmware_bridge.boards.gpio_pins import pi_pins
from firmware_bridge.boards.serial_board import SerialBoard
from firmware_bridge.commissioning.device_keys import DeviceKeys
from firmware_bridge.executor.virtual_board import KEY
from firmware_bridge.guide import Guide
from firmware_bridge.sim.bench import Bench
from firmware_bridge.sim.faults.injected_fault import InjectedFault
from firmware_bridge.sim.host_computer import SeededChance
from firmware_bridge.sim.line import CablePlug
from firmware_bridge.sim.mock_pins import MockPins
from firmware_bridge.sim.people.simulated_guide import SimulatedGuide
from firmware_bridge.sim.plant.machine import TAGS, Plant
from firmware_bridge.sim.plant.players import People
from firmware_bridge.sim.processors.emulated_bench import EmulatedBench
from firmware_bridge.sim.processors.processor import stock_bootloader
from firmware_bridge.wire.link import SerialLine
from firmware_bridge.wire.transport import open_serial
from rules.setup import Game
from rules.tiles import Face


@dataclass(frozen=True)
class Hardware:
    """Boards, guide and functions that a daemon needs.

    `open_chance` opens the source of the machine's random shares by the device's name.
    `plant`, `plug` and `bench` exist only in a simulation. `reconnect` opens a board's lost line
    again; it raises BoardSilentError if that fails.
    """

    boards: Mapping[str, Board]
    guide: Guide
    face_of: Callable[[int], Face | None]
    serial: tuple[SerialBoard, ...]
    close: Callable[[], None]
    open_chance: OpenChance
    plant: Plant | None = None
    reconnect: Callable[[str], None] = never_lost
    plug: CablePlug | None = None
    bench: Bench | EmulatedBench | None = None

    def traffic(self) -> LinkTotals:
        """The totals of all links since the start."""
        breaches: Counter[ProtocolBreach] = Counter()
        for board in self.serial:
            breaches.update(board.breaches)
        return LinkTotals(
            sum(board.traffic.commands for board in self.serial),
            sum(board.traffic.retries for board in self.serial),
            {breach.name: count for breach, count in sorted(breaches.items(), key=_by_name)},
        )


def daemon_for(
    hardware: Hardware,
    table: Table,
    config: GameConfig,
    orders: Orders,
    journal: Journal,
    events: EventLog,
    *,
    clock: Callable[[], float] | None = None,
    record: Callable[[str], None] | None = None,
) -> Daemon:
    """Create the daemon for this hardware; the default clock is that of the running loop."""
    return Daemon(
        table,
        config,
        orders,
        hardware.boards,
        hardware.guide,
        journal,
        events,
        face_of=hardware.face_of,
        traffic=hardware.traffic,
        clock=clock or asyncio.get_running_loop().time,
        record=record,
        reconnect=hardware.reconnect,
        open_chance=hardware.open_chance,
    )


def simulated(
    table: Table,
    config: GameConfig,
    game: Game,
    seats: int,
    seed: int,
    *,
    chance: bool = True,
    injected_faults: Iterable[InjectedFault] = (),
    emulated: bool = False,
    stock: bool = False,
    people: type[People] = People,
) -> Hardware:
    """Create a simulated table on the running loop, behind the real link over a line in memory.

    Without `chance` every duration is its mean. With `emulated` the boards are simulated processors
    that run the firmware; raises FileNotFoundError if the firmware is not built. With `stock` as
    well, they have the Mega's bootloader, and the opening of the port resets them.
    """
    plant = simulated_plant(
        table,
        config,
        game,
        seats,
        seed,
        chance=chance,
        injected_faults=injected_faults,
        people=people,
    )
    hands = SimulatedGuide(plant, parameters=game_parameters(config))
    face_of = faces_by_tag(game)
    open_chance = partial(SeededChance, seed)
    if _on_pins(table):
        pins = {name: MockPins(board, plant) for name, board in table.boards.items()}
        boards = {name: on_pins(table, name, pins[name].factory) for name in table.boards}
        plant.connect(pins)
        plant.power_on()
        return Hardware(boards, hands, face_of, (), lambda: None, open_chance, plant)
    plug, bench = _emulated(plant, stock) if emulated else _executed(plant)
    plug.on_receive = bench.receive
    plug.on_reset = bench.reset_all
    bench.set_cable(plug)
    line = SerialLine(plug.open())
    nonces, flags = Random(f"{seed}:nonces"), flags_of(table)
    serial = {
        name: SerialBoard(name, board, line, KEY, lambda: nonces.randbytes(8), flags)
        for name, board in table.boards.items()
    }

    def close() -> None:
        line.close()
        bench.close()

    def reconnect(board: str) -> None:
        if line.broken:
            line.attach(plug.open())

    return Hardware(
        serial,
        hands,
        face_of,
        tuple(serial.values()),
        close,
        open_chance,
        plant,
        reconnect,
        plug,
        bench,
    )


def _executed(plant: Plant) -> tuple[CablePlug, Bench]:
    """Connect virtual boards to a plant; returns their cable and their bench."""
    plug = CablePlug()
    return plug, Bench(plant, plug.send)


def _emulated(plant: Plant, stock: bool) -> tuple[CablePlug, EmulatedBench]:
    """Connect emulated boards; their ports simulate the wire's delay, so the line has none."""
    plug = CablePlug(baud=math.inf, opened_before=not stock)
    bootloader = stock_bootloader() if stock else None
    return plug, EmulatedBench(plant, plug.send, bootloader=bootloader)


def simulated_plant(
    table: Table,
    config: GameConfig,
    game: Game,
    seats: int,
    seed: int,
    *,
    chance: bool = True,
    injected_faults: Iterable[InjectedFault] = (),
    people: type[People] = People,
) -> Plant:
    """Create the simulated plant with its people on the running loop; arguments as `simulated`."""
    loop = asyncio.get_running_loop()
    return Plant(
        table,
        config.tile,
        game.tiles.faces,
        seed,
        loop,
        seats=seats,
        play=config.play,
        chance=chance,
        people=people,
        injected_faults=injected_faults,
    )


def on_lines(
    table: Table, game: Game, ports: Mapping[str, str], guide: Guide, keys: DeviceKeys | None = None
) -> Hardware:
    """Connect boards on serial ports, or on this machine's pins.

    `ports` gives the port of each board by name; several boards can share one port. A port can also
    lead to virtual boards in another process. `keys` are the boards' keys; without them no board
    is accepted. Raises BoardSilentError if a port cannot be opened.
    """
    if _on_pins(table):
        factory = pi_pins()
        pinned = {name: on_pins(table, name, factory) for name in table.boards}
        return Hardware(pinned, guide, faces_by_tag(game), (), factory.close, OperatingSystemChance)
    flags, keys = flags_of(table), keys or DeviceKeys.none()
    lines = {port: SerialLine(open_serial(port)) for port in dict.fromkeys(ports.values())}
    boards = {
        name: SerialBoard(
            name,
            board,
            lines[ports[name]],
            keys.on(ports[name]),
            flags=flags,
            build_of=keys.build_of,
        )
        for name, board in table.boards.items()
    }

    def close() -> None:
        for line in lines.values():
            line.close()

    def reconnect(board: str) -> None:
        if lines[ports[board]].broken:
            lines[ports[board]].attach(open_serial(ports[board]))

    return Hardware(
        boards,
        guide,
        faces_by_tag(game),
        tuple(boards.values()),
        close,
        OperatingSystemChance,
        reconnect=reconnect,
    )


def faces_by_tag(game: Game) -> Callable[[int], Face | None]:
    """Create the function that returns a tile's face by its tag, None for an unknown tag.

    Tags are numbered consecutively through the sets; each set has its faces in the same order.
    """
    faces = game.tiles.faces

    def face_of(tag: int) -> Face | None:
        return faces[(tag - TAGS) % len(faces)] if faces and tag >= TAGS else None

    return face_of


def _by_name(counted: tuple[ProtocolBreach, int]) -> str:
    return counted[0].name


def _on_pins(table: Table) -> bool:
    return any(board.kind == "gpio" for board in table.boards.values())


def on_pins(table: Table, name: str, factory: Factory) -> GpioBoard:
    """Create one board of a table on the pins of `factory`: this machine's, or mock pins."""
    modules = table.modules
    return GpioBoard(
        name,
        table.boards[name],
        factory,
        emergency=modules.emergency,
        curtain=modules.curtain,
        guarded=guarded(table),
    )
