"""The `Board` protocol: the operations that every kind of board provides.

A `Board` is a set of named channels. The host orders a motion with its end condition; the board
closes the loop on its own clock and reports how the motion ended (`Ended`). Serial boards, GPIO
pins and the virtual board all implement this protocol; code that uses it does not depend on the
kind of board.

Units: seconds, metres, permille of full drive. Levels are *active* (1) and *inactive* (0), never
high and low.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, Self, TypeVar

T_co = TypeVar("T_co", covariant=True)


class Reason(enum.IntEnum):
    """How a drive, move, home, pulse or throw ended."""

    DONE = 0
    """The move reached its target, the pulse elapsed, or the dice are at rest."""
    EDGES = 1
    """The requested number of edges was counted."""
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
    """The lease expired and the board set every output to its safe value."""
    FAULT = 8
    """A fault latched in the board; its code comes as a `BoardFault`."""


class FaultCode(enum.IntEnum):
    """Faults that a board detects and latches."""

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
    """The mechanism is blocked: no tile to grip, no room to set down, a lift under load."""
    LIGHT_CURTAIN = 13
    """The light curtain was interrupted while a guarded part moved or was about to move."""
    LOW_SUPPLY = 14
    """The board's supply is too low to run; the board has stopped and saved its state."""
    LATE_STEP = 15
    """An axis made a step so late that its motor can have lost its position; it is not homed."""
    SELF_TEST = 16
    """The board has found its program, memory or clock damaged; it stays latched until a reset."""


@dataclass(frozen=True, slots=True)
class Edges:
    """End condition of a drive: this many activations of a sensor have been counted."""

    sensor: str
    count: int


@dataclass(frozen=True, slots=True)
class Level:
    """End condition of a drive: a sensor is at this level; holds at once if it already is."""

    sensor: str
    active: bool = True


@dataclass(frozen=True, slots=True)
class Elapsed:
    """End condition of a drive: its time limit, which is then the normal end and not a failure."""


Until = Edges | Level | Elapsed


@dataclass(frozen=True, slots=True)
class Ended:
    """How a motion ended: the reason, the counted edges, its duration on the board's clock."""

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
    """A latched fault: the board, the fault's code, and its channel ('' for the whole board)."""

    board: str
    code: FaultCode
    channel: str


class ProtocolBreach(enum.Enum):
    """A rule of the protocol that a message of a board breaks; the value describes the message."""

    UNKNOWN_CODE = "a reason or a fault code that the protocol does not define"
    WRONG_CHANNEL = "a channel that the board does not have, or that is of another kind"
    OUT_OF_RANGE = "a value outside its range"
    WRONG_REPLY = "a reply that does not belong to the command"
    UNKNOWN_TICKET = "the end of a motion that is not in progress"
    WRONG_END = "an end that the motion cannot have"
    COUNT_FELL = "a count that is lower than before"
    WRONG_TIME = "a time that the board's clock cannot show"
    NOT_REQUESTED = "an event that the host has not requested"
    TOO_MANY_FAULTS = "more latched faults than a board can have"
    FLOOD = "more messages than the host accepts"
    FORGED = "a frame that another device has changed, repeated or made"
    FALSE_START = "a notice without a start of the board, which another device can send"


@dataclass(frozen=True, slots=True)
class ProtocolFault:
    """A board broke the protocol: the rule, and a sentence that names the board and the message.

    The host ignores such a message. Two faults of a board with the same rule are equal.
    """

    board: str
    breach: ProtocolBreach
    sentence: str = field(compare=False)


AnyFault = BoardFault | ProtocolFault


@dataclass(frozen=True, slots=True)
class BoardIdentity:
    """The identity that a board reports (see `Identity` in the wire's messages)."""

    protocol: int
    firmware: int
    chip: str
    """The name of its board profile, or the unknown number that the board reports."""
    build: str
    serial: str
    boots: int
    reset_cause: int
    channel_hash: int
    configuration_crc: int


class Subscription(Protocol[T_co]):
    """Events of one kind from a board, each once and in order: an async iterator until `close`.

    The subscriber has to call `close`. The end of a subscription must not depend on when the last
    reference to it disappears: a board that reports a sensor for longer sends more messages, which
    delay others.
    """

    def __aiter__(self) -> Self: ...

    async def __anext__(self) -> T_co: ...

    def close(self) -> None:
        """End the subscription, and an iteration that still waits for an event. Idempotent."""


class Board(Protocol):
    """One board and its channels. Every wait has a limit; every method can raise BoardError."""

    @property
    def name(self) -> str: ...

    async def start(self) -> BoardIdentity:
        """Identify the board, check its key, configure it if needed, and make its outputs safe."""

    async def self_test(self) -> int:
        """Test memory and configuration: 0 if both pass, else a bit for each failing part."""

    async def storage_used(self) -> int | None:
        """The used share of the storage's specified writes, permille; None without a storage."""

    async def close(self) -> None:
        """Stop every motion, give the lease back, release the line. Idempotent."""

    async def hold_lease(self) -> None:
        """Take the lease: outputs may be active until `release_lease`. Calls nest."""

    async def release_lease(self) -> None:
        """Give the lease back; at the outermost release every output is at its safe value."""

    async def set(self, channel: str, value: int) -> None:
        """Set an output (0/1), a motor (permille, signed) or a lamp strip; it keeps the value."""

    async def pulse(self, channel: str, value: int, seconds: float) -> Ended:
        """Set an output for `seconds`, then to its safe value."""

    async def drive(self, motor: str, value: int, until: Until, limit: float) -> Ended:
        """Run a motor until a condition holds, at most `limit` seconds; return when it ended."""

    async def move(self, targets: Mapping[str, float], speed: int = 1000) -> Ended:
        """Move axes to positions (metres), all begun at one moment, each by its own trapezoid.

        `speed` is permille of each axis's own highest speed.
        """

    async def home(self, axis: str) -> Ended:
        """Run an axis to its home switch and set that position as its home."""

    async def read(self, channel: str) -> int:
        """A sensor's level, an analogue value in millivolts, an axis position in micrometres."""

    async def count(self, sensor: str) -> int:
        """Activations of a sensor; the board keeps the count through its resets."""

    async def recall(self, channel: str) -> Ended | None:
        """The progress of the last drive, pulse or throw that this host ordered.

        None if the board never began it. The board keeps the progress through a lost line and a
        reset; after an interrupted order, edges count until the next order begins.
        """

    def watch(self, *sensors: str) -> Subscription[Edge]:
        """Every edge of these sensors from now on, in order."""

    async def throw(self, channel: str, dice: int) -> tuple[int, ...]:
        """Shake the dome and read this number of dice once they are at rest."""

    async def thrown(self, channel: str) -> tuple[int, tuple[int, ...]]:
        """Completed throws of a dice unit, and the faces of the last; kept through resets."""

    async def scan(self, channel: str) -> int | None:
        """The tag of the tile in front of a reader, or None."""

    async def stop(self, channel: str | None = None) -> None:
        """Stop one channel's motion, or the motion of every channel."""

    def stop_all(self) -> None:
        """Send a stop of every channel without waiting: for `finally` and signal handlers."""

    async def clear(self) -> None:
        """Clear latched faults whose cause has ended; BoardRefusedError while a cause persists."""

    @property
    def faults(self) -> Subscription[AnyFault]:
        """Every fault from now on, each when the board latches it or breaks the protocol."""
