"""Channel state of a virtual board, and the interfaces `Wiring` and `Core` that its parts use.

Built from the `Configure` records alone, as in the firmware; only the wiring uses names.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from firmware_bridge.board import FaultCode, Reason
from firmware_bridge.executor.trapezoid import Profile
from firmware_bridge.wire.codes import Kind, Refusal
from firmware_bridge.wire.messages import NONE, Configure, Message
from rules.errors import WallwrightError

if TYPE_CHECKING:
    from firmware_bridge.executor.memory import BoardMemory


BOTH_WAYS = 2
"""`BoardOutput.barred` of a motor that may run in neither direction yet."""


class ImpossibleOrderError(WallwrightError):
    """A command that the mechanism cannot execute: no tile to grip, no room, a lift under load."""


class OrderRefusedError(WallwrightError):
    """A refusal: the reason, and the channel concerned."""

    def __init__(self, reason: Refusal, channel: int = NONE) -> None:
        super().__init__(reason, channel)
        self.reason = reason
        self.channel = channel


class Wiring(Protocol):
    """The board's pins. Every method but `dice` may raise ImpossibleOrderError."""

    def output(self, channel: str, value: int) -> None:
        """Called when an output, motor (permille), strip or dice shaker (0/1) takes this value."""

    def axis_begins(self, axis: str, start: float, target: float, seconds: float) -> None:
        """Called when an axis begins to move to a target (metres), reached in `seconds`."""

    def axis_ends(self, axis: str, position: float) -> None:
        """Called when an axis stops at this position (metres)."""

    def dice(self, channel: str, count: int) -> tuple[int, ...]:
        """The faces of this number of dice at rest."""

    def tag(self, channel: str) -> int | None:
        """The tag in front of a reader."""

    def analog(self, channel: str) -> int:
        """The voltage at an analogue input, in millivolts."""


class Core(Protocol):
    """Services that the parts of one board share: clock, wiring, faults, events."""

    @property
    def loop(self) -> asyncio.AbstractEventLoop: ...

    @property
    def wiring(self) -> Wiring: ...

    def emit(self, event: Message) -> None:
        """Send an event, after the reply to the command that is being executed."""

    @property
    def memory(self) -> BoardMemory:
        """The state that is kept through sessions and resets."""

    def ended(
        self, ticket: int | None, channel: int, reason: Reason, counted: int, began: float
    ) -> None:
        """Report how a motion ended, unless its session has ended (`ticket` None)."""

    def latch(self, code: FaultCode, channel: int) -> None:
        """Latch a fault: every output goes to its safe value."""

    def impossible(self, channel: int, why: str) -> None:
        """Latch IMPOSSIBLE for a blocked mechanism, and record the sentence `why`."""


@dataclass(eq=False)
class BoardSensor:
    """A debounced input, and every output that reacts to it."""

    name: str
    number: int
    record: Configure
    active: bool = False
    raw: bool = False
    """The level at the pin, before debouncing."""
    changed: float = 0.0
    """When the pin changed to this level, by the loop's clock."""
    count: int = 0
    watched: bool = False
    settling: asyncio.TimerHandle | None = None
    awaited_by: list[BoardOutput] = field(default_factory=list)
    """Outputs whose drive counts this sensor's edges or waits for its level."""
    stops_forward: list[BoardOutput] = field(default_factory=list)
    stops_reverse: list[BoardOutput] = field(default_factory=list)
    holds: list[BoardOutput] = field(default_factory=list)
    homes: list[Axis] = field(default_factory=list)


@dataclass(eq=False)
class Running:
    """A drive or pulse in progress: its command and its end condition."""

    ticket: int | None
    """Ticket of the command that began the motion; None once the session has ended."""
    began: float
    sensor: BoardSensor | None = None
    edges: int = 0
    """Edges still awaited; 0 if the drive waits for a level or a time."""
    level: bool | None = None
    counted: int = 0
    limit_ma: int = 0
    timer: asyncio.TimerHandle | None = None


@dataclass(eq=False)
class BoardOutput:
    """A motor, output or strip."""

    name: str
    number: int
    record: Configure
    forward_stop: BoardSensor | None = None
    reverse_stop: BoardSensor | None = None
    hold: BoardSensor | None = None
    wanted: int = 0
    """The value that the host ordered."""
    value: int = 0
    """The value at the pins: `wanted`, or the safe value while held back."""
    running: Running | None = None
    on_until: asyncio.TimerHandle | None = None
    barred: int = 0
    """The sign of the drive that has to wait for the dead time; `BOTH_WAYS` after a configuration,
    0 for none."""
    barred_until: asyncio.TimerHandle | None = None

    @property
    def is_barred(self) -> bool:
        """Whether the ordered value has to wait for the motor's dead time."""
        return self.barred == BOTH_WAYS or (self.barred != 0 and self.barred * self.wanted > 0)


@dataclass(eq=False)
class Axis:
    """A stepper axis: its position and its motion."""

    name: str
    number: int
    record: Configure
    switch: BoardSensor | None = None
    rest: float = 0.0
    """Position of the axis when it was last at rest, metres."""
    homed: bool = False
    profile: Profile | None = None
    began: float = 0.0
    travel: Travel | None = None
    timer: asyncio.TimerHandle | None = None

    @property
    def home(self) -> float:
        """The limit at which the home switch of the axis is mounted, metres."""
        record = self.record
        return (record.high_um if record.forward_stop != NONE else record.low_um) / 1e6

    def position(self, now: float) -> float:
        return self.profile.position(now - self.began) if self.profile else self.rest


@dataclass(eq=False)
class Travel:
    """Axes that began to move together; the travel ends when all of them are at rest."""

    ticket: int | None
    channel: int
    began: float
    axes: tuple[Axis, ...]
    moving: set[int] = field(default_factory=set)
    homing: bool = False
    reason: Reason = Reason.DONE


@dataclass(eq=False)
class PortDevice:
    """A dice unit, reader or analogue input."""

    name: str
    number: int
    record: Configure
    shaking: Running | None = None


Channel = BoardSensor | BoardOutput | Axis | PortDevice


def build(
    names: Sequence[str], records: Sequence[Configure], positions: Mapping[str, float]
) -> tuple[Channel, ...]:
    """Build the channels of a committed table, linked by the numbers in the records.

    `positions` are the axes' actual positions. Raises TypeError for a stop that is not a sensor,
    and IndexError for one that does not exist.
    """
    channels: list[Channel] = []
    for name, record in zip(names, records, strict=True):
        match record.kind:
            case Kind.SENSOR:
                channels.append(BoardSensor(name, record.index, record))
            case Kind.AXIS:
                axis = Axis(name, record.index, record)
                axis.rest = positions.get(
                    name, min(max(0.0, record.low_um / 1e6), record.high_um / 1e6)
                )
                channels.append(axis)
            case Kind.MOTOR | Kind.OUTPUT | Kind.STRIP:
                output = BoardOutput(name, record.index, record)
                output.wanted = record.safe
                channels.append(output)
            case _:
                channels.append(PortDevice(name, record.index, record))
    for channel in channels:
        _connect(channel, channels)
    return tuple(channels)


def _connect(channel: Channel, channels: list[Channel]) -> None:
    record = channel.record
    if isinstance(channel, BoardOutput):
        channel.forward_stop = _sensor(channels, record.forward_stop)
        channel.reverse_stop = _sensor(channels, record.reverse_stop)
        channel.hold = _sensor(channels, record.hold)
        if channel.forward_stop:
            channel.forward_stop.stops_forward.append(channel)
        if channel.reverse_stop:
            channel.reverse_stop.stops_reverse.append(channel)
        if channel.hold:
            channel.hold.holds.append(channel)
    elif isinstance(channel, Axis):
        channel.switch = _sensor(channels, min(record.reverse_stop, record.forward_stop))
        if channel.switch:
            channel.switch.homes.append(channel)


def _sensor(channels: list[Channel], number: int) -> BoardSensor | None:
    if number == NONE:
        return None
    found = channels[number]
    if not isinstance(found, BoardSensor):
        raise TypeError(f"channel {number} must be a sensor; it is {found.name}.")
    return found
