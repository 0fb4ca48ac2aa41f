"""The boards that are wired to the plant: they receive sensors, currents and refused orders."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Protocol

from config.schema import Table
from firmware_bridge.sim.faults.injection import InjectedFaults
from firmware_bridge.sim.plant.electrical.sensor_faults import SensorFaults
from firmware_bridge.sim.plant.tiles import ImpossibleOrderError


class BoardInputs(Protocol):
    """The interface of a board to the plant: a virtual board, or mock pins."""

    def sensor(self, channel: str, active: bool) -> None:
        """Called when an input takes this level."""

    def order_failed(self, channel: str, why: str) -> None:
        """Called when the mechanism of a channel cannot complete an earlier order."""

    def current(self, motor: str, milliamps: int) -> None:
        """Called when a motor begins to draw this current."""


class ConnectedBoards:
    """The boards of a table, by channel. Reports to a board that is not connected are dropped."""

    def __init__(
        self, table: Table, loop: asyncio.AbstractEventLoop, injected_faults: InjectedFaults
    ) -> None:
        self._table = table
        self._board_of: dict[str, BoardInputs] = {}
        self._drawn: dict[str, int] = {}
        self._sensor_faults = (
            SensorFaults(table, loop, injected_faults, self._report) if injected_faults else None
        )

    def connect(self, boards: Mapping[str, BoardInputs]) -> None:
        """Connect these boards to the plant, by name."""
        for name, board in boards.items():
            self._board_of.update(dict.fromkeys(self._table.boards[name].channels, board))

    def sense(self, channel: str, active: bool) -> None:
        """Report a sensor's change to its board at once, subject to injected faults."""
        if self._sensor_faults is None:
            self._report(channel, active)
        else:
            self._sensor_faults.sense(channel, active)

    def draw(self, motor: str, milliamps: int) -> None:
        """Report a motor's current to its board."""
        if motor in self._board_of:
            self._drawn[motor] = milliamps
            self._board_of[motor].current(motor, milliamps)

    def end_draw(self, motor: str) -> None:
        """Report that a motor's current is zero, if one was reported: its output has changed."""
        if self._drawn.get(motor):
            self.draw(motor, 0)

    def refuse(self, channel: str, why: str) -> None:
        """Report to a channel's board that its mechanism cannot complete an earlier order.

        Raises ImpossibleOrderError if no board is connected to the channel.
        """
        board = self._board_of.get(channel)
        if board is None:
            raise ImpossibleOrderError(why)
        board.order_failed(channel, why)

    def _report(self, channel: str, active: bool) -> None:
        board = self._board_of.get(channel)
        if board is not None:
            board.sensor(channel, active)
