"""A board's calls in the words of its executor: channel records, drives, refusals as sentences.

For the channels that GPIO pins can be.
"""

from __future__ import annotations

import math
from binascii import crc_hqx
from collections.abc import Callable, Iterator, Mapping

from config.schema import BoardConfig, Channel, MotorChannel, OutputChannel, SensorChannel
from firmware_bridge import messages as wire
from firmware_bridge.board import Edges, Elapsed, Identity, Level, Until
from firmware_bridge.messages import (
    NONE,
    TABLE,
    Commit,
    Configure,
    Drive,
    Kind,
    Message,
    Refusal,
    Refused,
    UntilKind,
)

_RECORD = next(row.layout for row in TABLE if row.message is Configure)

_WHY: Mapping[int, str] = {
    Refusal.UNKNOWN_CHANNEL: "is not a channel of this board",
    Refusal.WRONG_KIND: "is not the kind of channel for that",
    Refusal.OUT_OF_RANGE: "does not take that value, count or time; see its limits in the table",
    Refusal.NO_LEASE: "has no lease; hold_lease() first",
    Refusal.FAULT_LATCHED: "has a latched fault; remove its cause, then clear it",
    Refusal.BUSY: "is busy with another order; let it end, or stop it first",
    Refusal.CAUSE_PERSISTS: "still has the cause of its fault; remove that, then clear again",
}


def identity(reply: wire.Identity) -> Identity:
    """What the executor says of itself, said by a board on pins."""
    return Identity(
        reply.protocol,
        reply.firmware,
        "gpio",
        reply.serial.decode("ascii"),
        reply.boots,
        reply.reset_cause,
        reply.channel_hash,
        reply.configuration_crc,
    )


def refusal(board: str, refused: Refused, channel: str) -> str:
    """Why the board said no, and what to do; `channel` is '' for the whole board."""
    why = _WHY.get(refused.reason, f"refuses for reason {refused.reason}")
    return f"board {board}: {channel} {why}." if channel else f"board {board} {why}."


def milliseconds(seconds: float) -> int:
    """A duration as boards take it: never shorter than asked for, and never nothing."""
    return math.ceil(round(seconds * 1000, 6))


def drive(
    motor: int, value: int, until: Until, limit: float, number: Callable[[str], int]
) -> Drive:
    """A drive until something is so, at most `limit` seconds; `number` knows the sensors."""
    kind, sensor, count = _end(until, number)
    return Drive(motor, value, kind, sensor, count, milliseconds(limit), 0)


def configuration(config: BoardConfig) -> Iterator[Message]:
    """The channel table: a record for each channel, then their number and CRC."""
    numbers = {name: number for number, name in enumerate(config.channels)}
    records = [
        _record(numbers[name], channel, numbers) for name, channel in config.channels.items()
    ]
    yield from records
    packed = b"".join(_RECORD.pack(*record) for record in records)
    yield Commit(len(records), crc_hqx(packed, 0xFFFF))


def _end(until: Until, number: Callable[[str], int]) -> tuple[UntilKind, int, int]:
    match until:
        case Edges():
            return UntilKind.EDGES, number(until.sensor), until.count
        case Level():
            return UntilKind.LEVEL, number(until.sensor), int(until.active)
        case Elapsed():
            return UntilKind.TIME, NONE, 0


def _record(number: int, channel: Channel, numbers: Mapping[str, int]) -> Configure:
    def sensor(name: str | None) -> int:
        return NONE if name is None else numbers[name]

    plain = Configure(
        index=number,
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
    )
    match channel:
        case MotorChannel():
            return plain._replace(
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
            max_on_ms = milliseconds(channel.max_on) if channel.max_on is not None else 0
            return plain._replace(pin=channel.pin, safe=channel.safe, max_on_ms=max_on_ms)
        case SensorChannel():
            return plain._replace(
                kind=Kind.SENSOR,
                pin=channel.pin,
                active_high=int(channel.active == "high"),
                debounce_ms=math.ceil(channel.debounce_ms),
            )
        case _:
            raise TypeError(f"a channel of kind {channel.kind} cannot be a GPIO pin.")
