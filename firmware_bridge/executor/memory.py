"""Persistent memory of a board: counts, last order of each channel, dice. Kept without power.

The firmware saves it while the supply voltage falls, and a capacitor supplies the board meanwhile
(docs/build/BENCH.md). This memory keeps everything, as a board does that has completed its save.
After a reconnect the host requests the progress of its last orders (`Recall`) and resumes them
instead of repeating them, so that no tile is lifted twice and no die thrown twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from firmware_bridge.board import Reason
from firmware_bridge.wire.messages import NONE, Recalled

CUT_SHORT = (Reason.STOPPED, Reason.HELD, Reason.FAULT)
"""Reasons after which an order can be resumed; its sensor's activations still count for it."""


class CountingSensor(Protocol):
    """The fields of a sensor that the memory uses: its name, its activations and its level."""

    @property
    def name(self) -> str: ...

    count: int
    active: bool


@dataclass(slots=True)
class LastOrder:
    """The last drive, pulse or throw of a channel: its ticket, and how it ended."""

    ticket: int
    sensor: str = ""
    """The sensor whose activations the order counts; "" if it counts none."""
    first: int = 0
    """The count of `sensor` when the order began."""
    reason: int = NONE
    counted: int = 0
    seconds: float = 0.0


@dataclass(slots=True)
class DiceMemory:
    """A dice unit's completed throws, and the faces of the last one."""

    throws: int = 0
    faces: tuple[int, ...] = ()

    @property
    def packed(self) -> int:
        """The faces as one number: three bits a die, the first die lowest; 0 means no die."""
        return sum(face << 3 * die for die, face in enumerate(self.faces))


@dataclass(slots=True)
class BoardMemory:
    """One board's memory; channels by number, sensors by name."""

    counts: dict[str, int] = field(default_factory=dict)
    levels: dict[str, bool] = field(default_factory=dict)
    orders: dict[int, LastOrder] = field(default_factory=dict)
    dice: dict[int, DiceMemory] = field(default_factory=dict)
    storage_used: int = 0
    """The used share of the storage's specified writes, permille; this memory does not wear."""

    def begun(self, channel: int, ticket: int, sensor: CountingSensor | None) -> None:
        """Record the start of an order, and the present count of the sensor that it counts."""
        if sensor is None:
            self.orders[channel] = LastOrder(ticket)
        else:
            self.orders[channel] = LastOrder(ticket, sensor.name, sensor.count)

    def ended(self, channel: int, reason: Reason, counted: int, seconds: float) -> None:
        """Record the end of a channel's order."""
        order = self.orders.get(channel)
        if order is not None and order.reason == NONE:
            order.reason, order.counted, order.seconds = reason, counted, seconds

    def dice_of(self, channel: int) -> DiceMemory:
        """The memory of a dice unit's throws."""
        return self.dice.setdefault(channel, DiceMemory())

    def threw(self, channel: int, faces: tuple[int, ...]) -> None:
        """Record a completed throw."""
        dice = self.dice_of(channel)
        dice.throws += 1
        dice.faces = faces

    def recall(self, channel: int, counts: dict[str, int]) -> Recalled:
        """The progress of the channel's last order; `counts` are the sensors' present counts.

        Counts after an interruption (a tile still in its debounce time) are included.
        """
        order = self.orders.get(channel)
        if order is None:
            return Recalled(0, NONE, 0, 0)
        counted = order.counted
        if order.reason in CUT_SHORT and order.sensor:
            counted = max(0, counts.get(order.sensor, 0) - order.first)
        micros = min(round(order.seconds * 1e6), 0xFFFFFFFF)
        return Recalled(order.ticket, order.reason, min(counted, 0xFFFF), micros)

    def keep(self, sensors: Mapping[str, CountingSensor]) -> None:
        """Save counts and levels before a power loss or a new channel table."""
        for name, sensor in sensors.items():
            self.counts[name], self.levels[name] = sensor.count, sensor.active

    def restore(self, sensors: Mapping[str, CountingSensor]) -> None:
        """Restore counts after a power loss. A sensor that became active meanwhile counts once."""
        for name, sensor in sensors.items():
            if name in self.counts:
                risen = sensor.active and not self.levels[name]
                sensor.count = self.counts[name] + risen
