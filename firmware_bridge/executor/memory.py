"""What a board remembers when its power goes: counts, the last order of each channel, the dice.

Firmware saves this in EEPROM while the supply falls; its capacitor holds for a few milliseconds.
A host that comes back asks how far its last orders have come (`Recall`), so that it goes on instead
of beginning anew: no tile is lifted twice, and no die thrown twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from firmware_bridge.board import Reason
from firmware_bridge.wire.messages import NONE, Recalled

CUT_SHORT = (Reason.STOPPED, Reason.HELD, Reason.FAULT)
"""An order that ended so may be gone on with; until then its sensor's activations count for it."""


class CountingSensor(Protocol):
    """What the memory keeps of a sensor: its name, its activations and its level."""

    @property
    def name(self) -> str: ...

    count: int
    active: bool


@dataclass(slots=True)
class LastOrder:
    """The last drive, pulse or throw of a channel: its ticket, and how it ended."""

    ticket: int
    sensor: str = ""
    """The sensor whose activations it counts, if any."""
    first: int = 0
    """What that sensor had counted when it began."""
    reason: int = NONE
    counted: int = 0
    seconds: float = 0.0


@dataclass(slots=True)
class DiceMemory:
    """A dice unit's completed throws, and what the last of them showed."""

    throws: int = 0
    faces: tuple[int, ...] = ()

    @property
    def packed(self) -> int:
        """Three bits a die, the first one lowest; 0 is no die."""
        return sum(face << 3 * die for die, face in enumerate(self.faces))


@dataclass(slots=True)
class BoardMemory:
    """One board's memory; channels by number, sensors by name."""

    counts: dict[str, int] = field(default_factory=dict)
    levels: dict[str, bool] = field(default_factory=dict)
    orders: dict[int, LastOrder] = field(default_factory=dict)
    dice: dict[int, DiceMemory] = field(default_factory=dict)

    def begun(self, channel: int, ticket: int, sensor: CountingSensor | None) -> None:
        """An order begins; with a sensor, its activations count for it from now on."""
        if sensor is None:
            self.orders[channel] = LastOrder(ticket)
        else:
            self.orders[channel] = LastOrder(ticket, sensor.name, sensor.count)

    def ended(self, channel: int, reason: Reason, counted: int, seconds: float) -> None:
        """It has ended."""
        order = self.orders.get(channel)
        if order is not None and order.reason == NONE:
            order.reason, order.counted, order.seconds = reason, counted, seconds

    def dice_of(self, channel: int) -> DiceMemory:
        """What is known of a dice unit's throws."""
        return self.dice.setdefault(channel, DiceMemory())

    def threw(self, channel: int, faces: tuple[int, ...]) -> None:
        """The dice lie still and show this."""
        dice = self.dice_of(channel)
        dice.throws += 1
        dice.faces = faces

    def recall(self, channel: int, counts: dict[str, int]) -> Recalled:
        """How far the channel's last order has come; `counts` are its sensors' now.

        What was counted after a cut (a tile still in its debounce time) is part of it.
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
        """The power goes, or another table comes: counts and levels stay as they are."""
        for name, sensor in sensors.items():
            self.counts[name], self.levels[name] = sensor.count, sensor.active

    def restore(self, sensors: Mapping[str, CountingSensor]) -> None:
        """The power is back. What has become active meanwhile has been activated: it counts."""
        for name, sensor in sensors.items():
            if name in self.counts:
                risen = sensor.active and not self.levels[name]
                sensor.count = self.counts[name] + risen
