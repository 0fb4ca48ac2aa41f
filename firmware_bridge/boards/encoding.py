"""Encoding of `Board` calls as messages: channel numbers and records, units, refusal sentences.

Metres become micrometres and seconds become milliseconds. A duration is rounded up, to at least
one millisecond.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from config.board_profiles import profile_of
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
from config.validation.channels import guarded
from config.validation.electrical import sensed_motors
from firmware_bridge.board import BoardIdentity, Edges, Elapsed, Level, Until
from firmware_bridge.wire.codes import Chip, Flag, Kind, Refusal, UntilKind
from firmware_bridge.wire.errors import BoardRefusedError
from firmware_bridge.wire.messages import NONE, Configure, Drive, Identity, Refused

_WHY: Mapping[int, str] = {
    Refusal.UNKNOWN_CHANNEL: "it has no such channel; start the board again to configure it",
    Refusal.WRONG_KIND: "{channel} is another kind of channel; see its kind in the table",
    Refusal.OUT_OF_RANGE: "a value, count or time is out of its range; see {channel} in the table",
    Refusal.NO_LEASE: "no lease is held, or the lease expired; call hold_lease() first",
    Refusal.NOT_CONFIGURED: "it has no channel table; start the board again to configure it",
    Refusal.FAULT_LATCHED: "{channel} has a latched fault; remove its cause, then clear it",
    Refusal.BUSY: "{channel} is busy with another order; wait for its end, or stop it first",
    Refusal.WRONG_VERSION: "it uses another version of the protocol; upgrade its firmware",
    Refusal.CAUSE_PERSISTS: "the cause of the fault of {channel} persists; remove it, clear again",
    Refusal.NOT_HOMED: "the position of {channel} is unknown; home it first",
    Refusal.LEASE_TOO_LONG: "the lease is longer than the board was provisioned for; shorten"
    " boards.NAME.lease in the table's file, or provision the board for this table",
    Refusal.ON_TOO_LONG: "the maximum on-time of {channel} is missing or longer than the board was"
    " provisioned for, or its pin was provisioned for another use; correct {channel} in the table's"
    " file, or provision the board for this table",
    Refusal.NOT_GUARDED: "{channel} is on a pin that was provisioned for a part that the light"
    " curtain guards; correct {channel} in the table's file, or provision the board for this table",
    Refusal.NO_CURTAIN: "it was provisioned for a table with a light curtain; name the curtain in"
    " the table's file, or provision the board for this table",
    Refusal.NOT_STORED: "it could not store the number of this start, because its 5 V supply is too"
    " low or its storage is damaged; measure the supply, and if it is right, provision the board"
    " again: `wallwright firmware provision PORT --serial S --address N --again`",
}


class ChannelNumbers:
    """Numbers the channels of a board in the order of its configuration."""

    def __init__(self, board: str, channels: Iterable[str]) -> None:
        self.names = tuple(channels)
        self._board = board
        self._numbers = {channel: number for number, channel in enumerate(self.names)}

    def number(self, channel: str) -> int:
        """The number of a channel. Raises BoardRefusedError if the board has no such channel."""
        number = self._numbers.get(channel)
        if number is None:
            raise BoardRefusedError(
                f"board {self._board} has no channel {channel}; it has {', '.join(self.names)}."
            )
        return number

    def name(self, number: int) -> str:
        """The name of a channel; "" for a number that no channel has."""
        return self.names[number] if number < len(self.names) else ""


def refusal(board: str, order: str, refused: Refused, channel: str) -> str:
    """The error sentence for a refused order; `channel` is the one named in the refusal."""
    why = _WHY.get(
        refused.reason, f"reason {refused.reason}; see Refusal in docs/reference/PROTOCOL.md"
    )
    return f"board {board} refused {order}: {why.format(channel=channel or 'the board')}."


def why(refused: Refused) -> Refusal | None:
    """The reason of a refusal, or None if this version does not define it."""
    return Refusal(refused.reason) if refused.reason in tuple(Refusal) else None


def faces(packed: int) -> tuple[int, ...]:
    """Unpack dice: three bits each, the first one lowest, until all higher bits are 0."""
    shown = []
    while packed > 0:
        shown.append(packed & 7)
        packed >>= 3
    return tuple(shown)


def milliseconds(seconds: float) -> int:
    """Convert seconds to milliseconds, rounded up; float error is ignored (0.1 + 0.2 s is 300)."""
    return math.ceil(round(seconds * 1000, 6))


def micrometres(metres: float) -> int:
    """Convert a position, speed or acceleration to micrometres."""
    return round(metres * 1e6)


def nanometres(millimetres: float) -> int:
    """Convert the travel of one step to nanometres."""
    return round(millimetres * 1e6)


def text(name: bytes) -> str:
    """A serial number or build as text: its ASCII letters and digits, else hexadecimal."""
    stripped = name.rstrip(b"\0")
    return stripped.decode() if stripped.isascii() and stripped.isalnum() else name.hex()


def chip_name(number: int) -> str:
    """The name of the board profile that a board reports, or the number if there is none."""
    names = {chip.value: chip.name.lower() for chip in Chip}
    return names.get(number, str(number))


def identity(reply: Identity) -> BoardIdentity:
    """The identity in a board's reply to `Identify`."""
    return BoardIdentity(
        reply.protocol,
        reply.firmware,
        chip_name(reply.chip),
        text(reply.build),
        text(reply.serial),
        reply.boots,
        reply.reset_cause,
        reply.channel_hash,
        reply.configuration_crc,
    )


def drive(
    motor: int, value: int, until: Until, limit: float, number: Callable[[str], int]
) -> Drive:
    """Encode a drive, of at most `limit` seconds; `number` gives a sensor's channel number."""
    match until:
        case Edges():
            kind, sensor, count = UntilKind.EDGES, number(until.sensor), until.count
        case Level():
            kind, sensor, count = UntilKind.LEVEL, number(until.sensor), int(until.active)
        case Elapsed():
            kind, sensor, count = UntilKind.TIME, NONE, 0
    return Drive(motor, value, kind, sensor, count, milliseconds(limit), 0)


def least_on(config: BoardConfig, channel: str) -> float:
    """The shortest time for which a motor is switched on, seconds; 0 for other channels."""
    found = config.channels.get(channel)
    return found.least_on if isinstance(found, MotorChannel) else 0.0


_HOMED_BY = {"low": "reverse_stop", "high": "forward_stop"}
"""Field of a `Configure` record that names the home switch, by the limit at which it is mounted."""


NO_FLAGS: Mapping[str, int] = {}


def flags(
    emergency: Collection[str], curtain: Collection[str], guarded: Collection[str]
) -> dict[str, int]:
    """The flags of channels: emergency stops, light curtains, and the guarded motors and axes."""
    return {
        **dict.fromkeys(emergency, Flag.EMERGENCY),
        **dict.fromkeys(curtain, Flag.CURTAIN),
        **dict.fromkeys(guarded, Flag.GUARDED),
    }


def flags_of(table: Table) -> dict[str, int]:
    """The flags of a table's channels.

    The value of an analogue input that limits a motor's current also contains the number of that
    motor on its board, times 256.
    """
    limits = {
        sensor: Flag.CURRENT | list(board.channels).index(motor) << 8
        for motor, sensor in sensed_motors(table).items()
        for board in table.boards.values()
        if isinstance(config := board.channels.get(motor), MotorChannel)
        and config.current_limit is not None
    }
    return limits | flags(table.modules.emergency, table.modules.curtain, guarded(table))


def records(config: BoardConfig, flags: Mapping[str, int] = NO_FLAGS) -> tuple[Configure, ...]:
    """The channel table as `Configure` records, in the order of the configuration.

    The limit of the current of all motors is the last record, if the board can measure it.
    """
    numbers = {name: number for number, name in enumerate(config.channels)}
    blank = {
        name: BLANK._replace(index=number, flags=flags.get(name, 0) & 0xFF)
        for name, number in numbers.items()
    }
    channels = (_record(blank[name], each, numbers) for name, each in config.channels.items())
    limited = (_motor_limit(record, config, flags) for record in channels)
    return (*limited, *_total_limit(config))


def _motor_limit(record: Configure, config: BoardConfig, flags: Mapping[str, int]) -> Configure:
    """The record of an analogue input with the limit of its motor's current, 1 A for 1 V."""
    if record.kind != Kind.ANALOG or not record.flags & Flag.CURRENT:
        return record
    names = list(config.channels)
    number = flags[names[record.index]] >> 8
    motor = config.channels[names[number]]
    assert isinstance(motor, MotorChannel)
    assert motor.current_limit is not None
    return record._replace(
        second_pin=number,
        low_mv=1000,
        high_mv=round(motor.current_limit * 1000),
        dead_ms=milliseconds(motor.inrush) if motor.inrush else 0,
    )


def _total_limit(config: BoardConfig) -> Iterator[Configure]:
    profile = profile_of(config)
    pin = profile.reserved("motor_current")
    if pin is None or not any(isinstance(each, MotorChannel) for each in config.channels.values()):
        return
    scale = config.amperes_per_volt
    limit = config.current_limit or profile.usual_limit * scale
    yield BLANK._replace(
        index=len(config.channels),
        kind=Kind.ANALOG,
        pin=pin,
        low_mv=round(scale * 1000),
        high_mv=round(limit / scale * 1000),
        dead_ms=milliseconds(config.inrush) if config.inrush else 0,
        flags=Flag.CURRENT,
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
    dead_ms=0,
    low_mv=0,
    high_mv=0,
)
"""An empty record: every channel number, stop and pin is none."""


def _record(blank: Configure, channel: Channel, numbers: Mapping[str, int]) -> Configure:
    """One record; a kind stores its own data (lamps, serial port) in fields it does not use."""

    def sensor(name: str | None) -> int:
        return NONE if name is None else numbers[name]

    match channel:
        case MotorChannel():
            return blank._replace(
                kind=Kind.MOTOR,
                flags=blank.flags | (Flag.FULL_ONLY if channel.full_only else 0),
                dead_ms=milliseconds(channel.dead_time),
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
                low_mv=0 if channel.threshold is None else channel.threshold.low_mv,
                high_mv=0 if channel.threshold is None else channel.threshold.high_mv,
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
