"""A board's calls in the words of the wire: channel records, units, refusals as sentences.

Metres become micrometres, seconds milliseconds; a duration is never made shorter, nor nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping

from config.schema import (
    AnalogChannel,
    AxisChannel,
    BoardConfig,
    Channel,
    DiceChannel,
    MotorChannel,
    OutputChannel,
    ReaderChannel,
    SensorChannel,
    StripChannel,
    Table,
)
from config.validation.curtain import guarded
from firmware_bridge.board import Edges, Elapsed, Level, Until
from firmware_bridge.wire.messages import (
    NONE,
    Configure,
    Drive,
    Flag,
    Kind,
    Refusal,
    Refused,
    UntilKind,
)

_WHY: Mapping[int, str] = {
    Refusal.UNKNOWN_CHANNEL: "it has no such channel; start it again, so that it is configured",
    Refusal.WRONG_KIND: "{channel} is another kind of channel; see its kind in the table",
    Refusal.OUT_OF_RANGE: "a value, count or time is out of its range; see {channel} in the table",
    Refusal.NO_LEASE: "no lease is held, or it expired; hold_lease() first",
    Refusal.NOT_CONFIGURED: "it has no channel table; start it again, so that it is configured",
    Refusal.FAULT_LATCHED: "{channel} has a latched fault; remove its cause, then clear it",
    Refusal.BUSY: "{channel} is busy with another order; let that end, or stop it first",
    Refusal.WRONG_VERSION: "it speaks another version of the protocol; upgrade its firmware",
    Refusal.CAUSE_PERSISTS: "the cause of the fault of {channel} persists; remove it, clear again",
    Refusal.NOT_HOMED: "{channel} does not know where it is; home it first",
}


def refusal(board: str, order: str, refused: Refused, channel: str) -> str:
    """Why a board said no to an order, and what to do; `channel` is the one that it blames."""
    why = _WHY.get(refused.reason, f"reason {refused.reason}; see Refusal in docs/PROTOCOL.md")
    return f"board {board} refused {order}: {why.format(channel=channel or 'the board')}."


def why(refused: Refused) -> Refusal | None:
    """The reason of a refusal, if it is one that this program knows."""
    return Refusal(refused.reason) if refused.reason in tuple(Refusal) else None


def faces(packed: int) -> tuple[int, ...]:
    """Dice as a board packs them: three bits each, the first one lowest, up to a 0."""
    shown = []
    while packed:
        shown.append(packed & 7)
        packed >>= 3
    return tuple(shown)


def milliseconds(seconds: float) -> int:
    """A duration as boards take it: rounded up, but 0.1 + 0.2 s is 300 ms and not 301."""
    return math.ceil(round(seconds * 1000, 6))


def micrometres(metres: float) -> int:
    """A position, speed or acceleration as boards take it."""
    return round(metres * 1e6)


def nanometres(millimetres: float) -> int:
    """The way of one step as boards take it."""
    return round(millimetres * 1e6)


def text(name: bytes) -> str:
    """A serial number or build as people read it: letters if it is, else hexadecimal."""
    stripped = name.rstrip(b"\0")
    return stripped.decode() if stripped.isascii() and stripped.isalnum() else name.hex()


def drive(
    motor: int, value: int, until: Until, limit: float, number: Callable[[str], int]
) -> Drive:
    """A drive until something is so, at most `limit` seconds; `number` knows the sensors."""
    match until:
        case Edges():
            kind, sensor, count = UntilKind.EDGES, number(until.sensor), until.count
        case Level():
            kind, sensor, count = UntilKind.LEVEL, number(until.sensor), int(until.active)
        case Elapsed():
            kind, sensor, count = UntilKind.TIME, NONE, 0
    return Drive(motor, value, kind, sensor, count, milliseconds(limit), 0)


_HOMED_BY = {"low": "reverse_stop", "high": "forward_stop"}
"""A home switch stops an axis on its way to the limit at which it sits."""


NO_FLAGS: Mapping[str, int] = {}


def flags(
    emergency: Collection[str], curtain: Collection[str], guarded: Collection[str]
) -> dict[str, int]:
    """The flags of channels: emergency stops, light curtains, and what these guard."""
    return {
        **dict.fromkeys(emergency, Flag.EMERGENCY),
        **dict.fromkeys(curtain, Flag.CURTAIN),
        **dict.fromkeys(guarded, Flag.GUARDED),
    }


def flags_of(table: Table) -> dict[str, int]:
    """The flags of a table's channels."""
    return flags(table.modules.emergency, table.modules.curtain, guarded(table))


def records(config: BoardConfig, flags: Mapping[str, int] = NO_FLAGS) -> tuple[Configure, ...]:
    """The channel table as the board gets it, in the order of the configuration."""
    numbers = {name: number for number, name in enumerate(config.channels)}
    return tuple(
        _record(BLANK._replace(index=numbers[name], flags=flags.get(name, 0)), channel, numbers)
        for name, channel in config.channels.items()
    )


BLANK = Configure(
    index=NONE,
    kind=Kind.OUTPUT,
    pin=NONE,
    second_pin=NONE,
    active_high=1,
    debounce_ms=0,
    safe=0,
    max_on_ms=0,
    forward_stop=NONE,
    reverse_stop=NONE,
    hold=NONE,
    low_um=0,
    high_um=0,
    speed_um_s=0,
    acceleration_um_s2=0,
    step_nm=0,
    flags=0,
)
"""A record that says nothing yet: every channel number, stop and pin is none."""


def _record(blank: Configure, channel: Channel, numbers: Mapping[str, int]) -> Configure:
    """Fields that a kind has no use for carry its own: a strip's lamps, a unit's serial port."""

    def sensor(name: str | None) -> int:
        return NONE if name is None else numbers[name]

    match channel:
        case MotorChannel():
            return blank._replace(
                kind=Kind.MOTOR,
                pin=channel.pin,
                second_pin=NONE if channel.reverse_pin is None else channel.reverse_pin,
                safe=channel.safe,
                max_on_ms=milliseconds(channel.max_on),
                forward_stop=sensor(channel.forward_stop),
                reverse_stop=sensor(channel.reverse_stop),
                hold=sensor(channel.hold_while),
            )
        case OutputChannel():
            longest = 0 if channel.max_on is None else milliseconds(channel.max_on)
            return blank._replace(pin=channel.pin, safe=channel.safe, max_on_ms=longest)
        case StripChannel():
            return blank._replace(
                kind=Kind.STRIP, pin=channel.pin, second_pin=channel.lamps, safe=channel.safe
            )
        case SensorChannel():
            return blank._replace(
                kind=Kind.SENSOR,
                pin=channel.pin,
                active_high=int(channel.active == "high"),
                debounce_ms=math.ceil(channel.debounce_ms),
            )
        case AxisChannel():
            return blank._replace(
                kind=Kind.AXIS,
                pin=channel.pin,
                second_pin=channel.direction_pin,
                **{_HOMED_BY[channel.home_end]: sensor(channel.home_switch)},
                low_um=micrometres(channel.low),
                high_um=micrometres(channel.high),
                speed_um_s=micrometres(channel.speed),
                acceleration_um_s2=micrometres(channel.acceleration),
                step_nm=nanometres(channel.step_mm),
            )
        case DiceChannel():
            return blank._replace(
                kind=Kind.DICE,
                pin=channel.pin,
                second_pin=channel.port,
                safe=channel.safe,
                max_on_ms=milliseconds(channel.shake),
            )
        case ReaderChannel():
            return blank._replace(kind=Kind.READER, second_pin=channel.port)
        case AnalogChannel():
            return blank._replace(kind=Kind.ANALOG, pin=channel.pin)
