"""A simulated table with shuffled wires, so that the function of each wire is unknown.

The wire list has the pins of the table. Each motor and each sensor of the table is connected to a
wire of the same kind, at random; some motors run the wrong way, and some sensors that hands actuate
have the wrong polarity. `Rewiring.wires` is the truth, which only the simulation uses.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from random import Random

from config.schema import BoardConfig, Channel, MotorChannel, SensorChannel, Table
from config.wire_list import WireList
from firmware_bridge.executor.virtual_board import KEY, VirtualBoard
from firmware_bridge.sim.bench import Bench
from firmware_bridge.sim.plant.machine import Plant
from firmware_bridge.sim.session import Send

MOTOR_LIMIT = 10.0
"""Longest on-time of a motor in a wire list, seconds."""


@dataclass(frozen=True)
class Connection:
    """The channel of the table that is connected to a wire."""

    channel: str
    inverted: bool
    """Whether the motor runs the other way, or the sensor is active while it is not actuated."""


@dataclass(frozen=True)
class Rewiring:
    """A wire list, and the channel that is connected to each of its motor and sensor wires."""

    wire_list: WireList
    wires: Mapping[str, Connection]


def shuffled(table: Table, seed: int) -> Rewiring:
    """Shuffle the wires of each board of a table. Other channels keep their names and pins."""
    chance = Random(f"{seed}:wires")
    connections: dict[str, Connection] = {}
    boards = {
        name: _shuffled_board(table, board, chance, connections)
        for name, board in table.boards.items()
    }
    modules = table.modules
    listed = WireList(
        name=f"{table.name}_learned",
        title=f"a table like {table.name}",
        boards=boards,
        emergency=modules.emergency,
        curtain=modules.curtain,
    )
    return Rewiring(listed, connections)


def _shuffled_board(
    table: Table, board: BoardConfig, chance: Random, connections: dict[str, Connection]
) -> BoardConfig:
    safety = {*table.modules.emergency, *table.modules.curtain}
    kept: dict[str, Channel] = {}
    groups: dict[tuple[str, bool], dict[str, MotorChannel | SensorChannel]] = {}
    for name, channel in board.channels.items():
        if isinstance(channel, MotorChannel):
            groups.setdefault(("motor", channel.reverse_pin is not None), {})[name] = channel
        elif isinstance(channel, SensorChannel) and name not in safety:
            groups.setdefault(("input", True), {})[name] = channel
        else:
            kept[name] = channel
    switches = _switches(board.channels.values())
    wires: dict[str, Channel] = {}
    for (kind, reverses), members in groups.items():
        order = chance.sample(list(members), len(members))
        for member, actual in zip(members.values(), order, strict=True):
            wire = f"{kind}{sum(each.startswith(kind) for each in connections) + 1}"
            can_invert = reverses if kind == "motor" else actual not in switches
            connections[wire] = Connection(actual, can_invert and chance.random() < 0.5)
            wires[wire] = _unknown(member)
    return board.model_copy(update={"channels": {**wires, **kept}})


def _unknown(channel: MotorChannel | SensorChannel) -> Channel:
    """Return the channel as for an unknown table: without stops, with the usual longest time on."""
    if isinstance(channel, SensorChannel):
        return channel
    stops = {"forward_stop": None, "reverse_stop": None, "hold_while": None}
    return channel.model_copy(update={**stops, "max_on": MOTOR_LIMIT})


def _switches(channels: Iterable[Channel]) -> set[str]:
    """The sensors that stop a motor: motion finds them, so their polarity has to be right."""
    motors = [channel for channel in channels if isinstance(channel, MotorChannel)]
    stops = {stop for each in motors for stop in (each.forward_stop, each.reverse_stop)}
    return {stop for stop in stops if stop is not None}


class RewiredPlant:
    """Connects virtual boards with the names of the wires to a plant with those of the table."""

    def __init__(self, plant: Plant, rewiring: Rewiring) -> None:
        self._plant = plant
        self._wires = rewiring.wires
        self._wire_of = {each.channel: wire for wire, each in rewiring.wires.items()}
        self._inverted = {each.channel: each.inverted for each in rewiring.wires.values()}
        self._board: VirtualBoard | None = None
        self.levels: dict[str, bool] = {}
        """The level of each sensor of the table, as its part has it."""

    def connect(self, board: VirtualBoard) -> None:
        """Connect the board that receives sensors and currents."""
        self._board = board

    # The board's pins

    def output(self, channel: str, value: int) -> None:
        wire = self._wires.get(channel)
        if wire is None:
            self._plant.output(channel, value)
        else:
            self._plant.output(wire.channel, -value if wire.inverted else value)

    def axis_begins(self, axis: str, start: float, target: float, seconds: float) -> None:
        self._plant.axis_begins(axis, start, target, seconds)

    def axis_ends(self, axis: str, position: float) -> None:
        self._plant.axis_ends(axis, position)

    def dice(self, channel: str, count: int) -> tuple[int, ...]:
        return self._plant.dice(channel, count)

    def tag(self, channel: str) -> int | None:
        return self._plant.tag(channel)

    def analog(self, channel: str) -> int:
        return self._plant.analog(channel)

    # The board's inputs

    def sensor(self, channel: str, active: bool) -> None:
        """Report a sensor of the table to the board, by the name of its wire."""
        assert self._board is not None
        self.levels[channel] = active
        wire = self._wire_of.get(channel, channel)
        self._board.sensor(wire, active != self._inverted.get(channel, False))

    def order_failed(self, channel: str, why: str) -> None:
        """Report a blocked mechanism to the board, by the name of its wire."""
        assert self._board is not None
        self._board.order_failed(self._wire_of.get(channel, channel), why)

    def current(self, motor: str, milliamps: int) -> None:
        """Report a motor's current to the board, by the name of its wire."""
        assert self._board is not None
        self._board.current(self._wire_of.get(motor, motor), milliamps)


def rewired_bench(plant: Plant, rewiring: Rewiring, send: Send) -> tuple[Bench, RewiredPlant]:
    """The boards of a plant with shuffled wires, on one line.

    Raises ValueError for a table with several boards, whose wires could be shuffled across boards.
    """
    if len(plant.table.boards) != 1:
        raise ValueError(
            f"Only a table with one board can be rewired; {plant.table.name} has"
            f" {len(plant.table.boards)} boards."
        )
    (name, config), *_ = rewiring.wire_list.boards.items()
    wired = RewiredPlant(plant, rewiring)
    board = VirtualBoard(
        config,
        wired,
        asyncio.get_running_loop(),
        emergency=rewiring.wire_list.emergency,
        serial=f"SIM{config.address:05}".encode(),
        key=KEY,
    )
    wired.connect(board)
    return Bench(plant, send, boards={name: board}, inputs={name: wired}), wired
