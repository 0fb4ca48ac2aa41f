"""What a board can do, whatever it is made of.

A `Board` is a set of named channels. The host says *what until when*; the board closes the loop on
its own clock and reports how it ended (`Ended`). Serial boards, GPIO pins and the virtual board
answer alike; nothing above this file knows which one it talks to.

Units: seconds, metres, permille of full drive. Levels are *active* (1) and *inactive* (0), never
high and low.
"""

from __future__ import annotations

import enum
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Protocol


class Reason(enum.IntEnum):
    """How a drive, move, home, pulse or throw ended."""

    DONE = 0
    """The move arrived, the pulse elapsed, the dice lie still."""
    EDGES = 1
    """The n-th edge was counted."""
    LEVEL = 2
    """The sensor reached the level."""
    TIME = 3
    """The time limit ran out first."""
    CURRENT = 4
    """The motor's current exceeded its limit."""
    SWITCH = 5
    """A switch that stops this output became active."""
    STOPPED = 6
    """The host ordered a stop."""
    HELD = 7
    """The lease expired and the board let everything go to its safe value."""
    FAULT = 8
    """A fault latched in the board; its code comes as a `BoardFault`."""


class FaultCode(enum.IntEnum):
    """Faults that a board latches by itself."""

    EMERGENCY_STOP = 1
    OVER_CURRENT = 2
    NO_EDGE = 3
    BOTH_SWITCHES = 4
    LIMIT_SWITCH = 5
    MAXIMUM_ON_TIME = 6
    LEASE_EXPIRED = 7
    BROWN_OUT = 8
    WATCHDOG = 9
    CONFIGURATION = 10
    UNEXPECTED_MOTION = 11
    IMPOSSIBLE = 12
    """The mechanism refused: nothing to grip, no room to set down, a lift under load."""
    LIGHT_CURTAIN = 13
    """Somebody reached through the light curtain while a guarded part moved, or was to."""


@dataclass(frozen=True, slots=True)
class Edges:
    """Until this many activations of a sensor have been counted."""

    sensor: str
    count: int


@dataclass(frozen=True, slots=True)
class Level:
    """Until a sensor is at this level (at once if it is there already)."""

    sensor: str
    active: bool = True


@dataclass(frozen=True, slots=True)
class Elapsed:
    """Until the drive's limit has passed: running for that long is the purpose."""


Until = Edges | Level | Elapsed


@dataclass(frozen=True, slots=True)
class Ended:
    """How a motion ended: why, the edges counted on the way, its duration on the board's clock."""

    reason: Reason
    count: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Edge:
    """A watched sensor changed: its level now, the board's time, and its edge count so far."""

    sensor: str
    active: bool
    at: float
    count: int


@dataclass(frozen=True, slots=True)
class BoardFault:
    """A latched fault: what it is, the channel it concerns ('' for the whole board)."""

    board: str
    code: FaultCode
    channel: str


@dataclass(frozen=True, slots=True)
class BoardIdentity:
    """What a board says of itself (see the wire's IDENTITY)."""

    protocol: int
    firmware: int
    build: str
    serial: str
    boots: int
    reset_cause: int
    channel_hash: int
    configuration_crc: int


class Board(Protocol):
    """One board and its channels. Every wait has a limit; every method raises BoardError."""

    @property
    def name(self) -> str: ...

    async def start(self) -> BoardIdentity:
        """Identify, authenticate, configure (unless it is the same already), make outputs safe."""

    async def self_test(self) -> int:
        """Test memory and configuration: 0 if all is well, else a bit for each failing part."""

    async def close(self) -> None:
        """Stop everything, let the lease go, release the line. Idempotent."""

    async def hold_lease(self) -> None:
        """Take the lease: outputs may live until `release_lease`. Calls nest."""

    async def release_lease(self) -> None:
        """Give the lease back; at the outermost release every output is at its safe value."""

    async def set(self, channel: str, value: int) -> None:
        """Set an output (0/1), a motor (permille, signed) or a lamp strip, and leave it so."""

    async def pulse(self, channel: str, value: int, seconds: float) -> Ended:
        """Set an output for that long, then back to its safe value."""

    async def drive(self, motor: str, value: int, until: Until, limit: float) -> Ended:
        """Run a motor until something is so, at most `limit` seconds; returns when it has ended."""

    async def move(self, targets: Mapping[str, float]) -> Ended:
        """Move axes to positions (metres), all begun at one moment, each by its own trapezoid."""

    async def home(self, axis: str) -> Ended:
        """Find an axis's home switch and call that place its home position."""

    async def read(self, channel: str) -> int:
        """A sensor's level, an analogue value in millivolts, an axis position in micrometres."""

    async def count(self, sensor: str) -> int:
        """Activations of a sensor; the board keeps the count through its resets."""

    async def recall(self, channel: str) -> Ended | None:
        """How far the last drive, pulse or throw that this host ordered has come.

        None if the board never began it. The board knows it even after a lost line or a reset; of
        an order that was cut short, edges count until the next one begins.
        """

    def watch(self, *sensors: str) -> AsyncIterator[Edge]:
        """Every edge of these sensors from now on, in order."""

    async def throw(self, channel: str, dice: int) -> tuple[int, ...]:
        """Shake the dome and read that many dice once they lie still."""

    async def thrown(self, channel: str) -> tuple[int, tuple[int, ...]]:
        """Completed throws of a dice unit, and the faces of the last; kept through resets."""

    async def scan(self, channel: str) -> int | None:
        """The tag that a tile reader has before it, or None."""

    async def stop(self, channel: str | None = None) -> None:
        """Stop one channel's motion, or everything."""

    def stop_all(self) -> None:
        """Send the stop of everything without waiting: for `finally` and signal handlers."""

    async def clear(self) -> None:
        """Clear latched faults whose cause is gone; raises BoardRefused while one persists."""

    @property
    def faults(self) -> AsyncIterator[BoardFault]:
        """Every fault as it latches."""
