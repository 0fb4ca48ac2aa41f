"""What a virtual board remembers of each channel, and the two sides that its parts talk to.

Built from the `Configure` records alone, as firmware would; names serve only the wiring.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from firmware_bridge.board import FaultCode, Reason
from firmware_bridge.executor.trapezoid import Profile
from firmware_bridge.wire.messages import NONE, Configure, Kind, Message
from rules.errors import WallwrightError

if TYPE_CHECKING:
    from firmware_bridge.executor.memory import BoardMemory


class ImpossibleOrderError(WallwrightError):
    """A command that no mechanism can obey: nothing to grip, no room, a lift under load."""


class Wiring(Protocol):
    """The copper: what the plant offers a board. Every method but `dice` may raise Impossible."""

    def output(self, channel: str, value: int) -> None:
        """An output, motor (permille), strip or dice shaker (0/1) changed to this value."""

    def axis_begins(self, axis: str, start: float, target: float, seconds: float) -> None:
        """An axis sets off for a target (metres), to be there in so many seconds."""

    def axis_ends(self, axis: str, position: float) -> None:
        """An axis has come to rest."""

    def dice(self, channel: str, count: int) -> tuple[int, ...]:
        """What so many dice show once they lie still."""

    def tag(self, channel: str) -> int | None:
        """The tag before a reader."""

    def analog(self, channel: str) -> int:
        """A voltage, in millivolts."""


class Core(Protocol):
    """What the parts of one board share: its clock, its copper, its faults, its voice."""

    @property
    def loop(self) -> asyncio.AbstractEventLoop: ...

    @property
    def wiring(self) -> Wiring: ...

    def emit(self, event: Message) -> None:
        """Send an event, after the reply to the command that is being executed."""

    @property
    def memory(self) -> BoardMemory:
        """What outlives sessions and resets."""

    def ended(
        self, ticket: int | None, channel: int, reason: Reason, counted: int, began: float
    ) -> None:
        """Say how a motion ended, unless its session is over (`ticket` None)."""

    def latch(self, code: FaultCode, channel: int) -> None:
        """Latch a fault: everything on the board lets go."""

    def impossible(self, channel: int, why: str) -> None:
        """The mechanism refused; latches IMPOSSIBLE and keeps the sentence."""


@dataclass(eq=False)
class BoardSensor:
    """A debounced input, and every output that reacts to it."""

    name: str
    number: int
    record: Configure
    active: bool = False
    raw: bool = False
    """The level at the pin, before its debounce time is over."""
    changed: float = 0.0
    """When the pin came to this level, by the loop's clock."""
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
    """A drive or pulse under way: what began it, what it waits for."""

    ticket: int | None
    """The command that began it; None once the host that gave it has begun anew."""
    began: float
    sensor: BoardSensor | None = None
    edges: int = 0
    """Edges still to come; 0 where a level or the time is awaited."""
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
    """What the host ordered."""
    value: int = 0
    """What is on the copper: `wanted`, or the safe value while held back."""
    running: Running | None = None
    on_until: asyncio.TimerHandle | None = None


@dataclass(eq=False)
class Axis:
    """A stepper axis: where it is, and the motion it is in."""

    name: str
    number: int
    record: Configure
    switch: BoardSensor | None = None
    rest: float = 0.0
    """Its position when it last stood still, metres."""
    homed: bool = False
    profile: Profile | None = None
    began: float = 0.0
    travel: Travel | None = None
    timer: asyncio.TimerHandle | None = None

    @property
    def home(self) -> float:
        """The limit at which its home switch sits, metres."""
        record = self.record
        return (record.high_um if record.forward_stop != NONE else record.low_um) / 1e6

    def position(self, now: float) -> float:
        return self.profile.position(now - self.began) if self.profile else self.rest


@dataclass(eq=False)
class Travel:
    """Axes that began together; it ends when all of them stand still."""

    ticket: int | None
    channel: int
    began: float
    axes: tuple[Axis, ...]
    moving: set[int] = field(default_factory=set)
    homing: bool = False
    reason: Reason = Reason.DONE


@dataclass(eq=False)
class Unit:
    """A dice unit, reader or analogue input."""

    name: str
    number: int
    record: Configure
    shaking: Running | None = None


Channel = BoardSensor | BoardOutput | Axis | Unit


def build(
    names: Sequence[str], records: Sequence[Configure], positions: Mapping[str, float]
) -> tuple[Channel, ...]:
    """The channels of a committed table, wired to each other by the numbers in the records.

    `positions` says where axes truly stand. Raises TypeError for a stop that is no sensor, and
    IndexError for one that is not there.
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
                channels.append(Unit(name, record.index, record))
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
        raise TypeError(f"channel {number} ({found.name}) is no sensor.")
    return found
