"""Wire messages, in one table: each message's number, layout and sender.

A frame is

    COBS of: address (1)  sequence (1)  type (1)  payload (0-48)  tag (4)
    check (3): CRC-16/CCITT-FALSE of the COBS bytes, 7 + 7 + 2 bits, low first, top bits set
    zero (1)

Numbers are little-endian. Channels are numbered in the order of the board's configuration; 255 is
no channel, or all. A reply bears the sequence number of its command, an event one of the board's
own. `session_security` describes the tag; `Identify`, `Identity`, `Authenticate` and the refusal of
an `Identify` have none. `codes` has the numbers that have names. `docs/reference/PROTOCOL.md` is
generated from both files.

Times are milliseconds or microseconds as named, positions micrometres, drive permille.
"""

from __future__ import annotations

import enum
import struct
from typing import NamedTuple

PROTOCOL = 2
MAX_PAYLOAD = 48
MAX_FRAME = 64
WINDOW = 8
"""Commands that may wait for a reply at one time, per board."""
RECEIVING = 256
"""Bytes that a board can receive before it has executed the first command of them."""
REMEMBERED = 16
"""Replies that a board keeps, to answer a repeated command with the same reply."""
EVENT_WINDOW = 16
"""Events that a board may have sent and that the host has not acknowledged."""
NONE = 255


class Sender(enum.Enum):
    """The sender of a message, and how the receiver responds."""

    COMMAND = "host, answered by one reply"
    REPLY = "board, to a command"
    EVENT = "board, repeated until received"
    NOTE = "host, not answered"
    NOTICE = "board, once, outside of a session"


# Commands


class Identify(NamedTuple):
    """Ask for the identity and challenge the board. `Authenticate` has the next sequence number."""

    protocol: int
    nonce: bytes


class Authenticate(NamedTuple):
    """Begin the session, with the host's proof; the next command has the next sequence number."""

    proof: bytes


class Configure(NamedTuple):
    """One record of the channel table. Stops, switches and home are channel numbers or 255.

    `dead_ms`: the time for which the board keeps a motor off before it reverses. `low_mv` and
    `high_mv`: a sensor on an analogue input is high from `high_mv` up and low from `low_mv` down;
    0 and 0 are a digital sensor.
    """

    index: int  # type: ignore[assignment]
    kind: int
    pin: int
    second_pin: int
    active_high: int
    debounce_ms: int
    safe: int
    max_on_ms: int
    forward_stop: int
    reverse_stop: int
    hold: int
    low_um: int
    high_um: int
    speed_um_s: int
    acceleration_um_s2: int
    step_nm: int
    flags: int
    dead_ms: int
    low_mv: int
    high_mv: int


class Commit(NamedTuple):
    """End of the channel table: the number of channels, and the CRC over their records in order."""

    channels: int
    crc: int


class TakeLease(NamedTuple):
    """Take or extend the lease on outputs for this time; 0 ends it and makes all outputs safe."""

    duration_ms: int


class Stop(NamedTuple):
    """Stop one channel's motion by its ramp, or the motion of every channel (255)."""

    channel: int


class Clear(NamedTuple):
    """Clear every latched fault whose cause has ended."""


class Set(NamedTuple):
    """Set an output, motor or strip to a value, which it keeps while the lease lasts."""

    channel: int
    value: int


class Pulse(NamedTuple):
    """Set an output for this time, then to its safe value; ends with `MotionEnded`."""

    channel: int
    value: int
    duration_ms: int


class Drive(NamedTuple):
    """Run a motor until (edges | level | time), at most `limit_ms`; ends with `MotionEnded`."""

    channel: int
    value: int
    until: int
    sensor: int
    count: int  # type: ignore[assignment]
    limit_ms: int
    limit_ma: int


class Move(NamedTuple):
    """Move up to three axes, begun together, at permille of speed; ends with one `MotionEnded`."""

    first: int
    first_um: int
    second: int
    second_um: int
    third: int
    third_um: int
    speed: int


class Home(NamedTuple):
    """Run an axis to its home switch and set that position as its home; ends with `MotionEnded`."""

    channel: int


class Read(NamedTuple):
    """Read a level, an analogue value (mV), an axis position (µm) or a dice unit's last throw.

    Dice are packed in three bits each, the first one lowest; 0 means no die.
    """

    channel: int


class Watch(NamedTuple):
    """Begin (1) or end (0) reporting every edge of a sensor."""

    channel: int
    on: int


class Count(NamedTuple):
    """Read a sensor's activations, or a dice unit's completed throws; kept through resets."""

    channel: int


class ThrowDice(NamedTuple):
    """Shake the dome and read this number of dice; ends with `DiceRead`."""

    channel: int
    dice: int


class Scan(NamedTuple):
    """Read the tag that is in front of a reader."""

    channel: int


class SelfTest(NamedTuple):
    """Read the results of the board's self-test: 0, or a bit for each `Defect`."""


class Report(NamedTuple):
    """Read the board's statistics since its start."""


class Bootloader(NamedTuple):
    """Stop everything and wait for new firmware.

    `confirmation` is the board's number of starts, as in `Identity`; any other is refused.
    """

    confirmation: int


class ReadLimits(NamedTuple):
    """Read the limits that the board was provisioned with. From firmware 2 on."""


class ReadSupply(NamedTuple):
    """Measure the board's supply. From firmware 3 on."""


class Recall(NamedTuple):
    """Read the progress of a channel's last drive, pulse or throw; kept through resets."""

    channel: int


# Replies


class Ok(NamedTuple):
    """The command was executed, or its motion has begun."""


class Refused(NamedTuple):
    """The command was not executed: the reason, and the channel concerned."""

    reason: int
    channel: int


class Value(NamedTuple):
    """The requested number."""

    value: int


class Tag(NamedTuple):
    """The tag in front of the reader; 0 if there is none."""

    tag: int


class Identity(NamedTuple):
    """The board's identity, its challenge to the host, and its proof (`session_security`)."""

    protocol: int
    firmware: int
    chip: int
    build: bytes
    serial: bytes
    boots: int
    reset_cause: int
    channel_hash: int
    configuration_crc: int
    nonce: bytes
    proof: bytes


class Statistics(NamedTuple):
    """The longest turn of the main loop, the numbers of dropped and repeated frames, and of resets.

    `storage_used` is how much of its specified writes each cell of the storage has had, permille.
    """

    longest_turn_us: int
    damaged: int
    repeated: int
    resets: int
    storage_used: int


class Limits(NamedTuple):
    """The board's limits: `LimitFlag`s, the longest lease and on-time, and sets of pins.

    Of each set the lowest bit of the first byte is pin 0: the pins whose channels must be GUARDED,
    and those that can be on without a maximum on-time.
    """

    flags: int
    lease_ms: int
    on_ms: int
    guarded: bytes
    unlimited: bytes


class Supply(NamedTuple):
    """The supply as the board measures it, and the stored reference of the measurement.

    `measured_mv` is 0 if the board does not measure its supply. `reference_mv` is 0 if the
    board was not calibrated; it then uses the nominal reference of its chip.
    """

    measured_mv: int
    reference_mv: int


class Recalled(NamedTuple):
    """The last order's ticket, how it ended (255: not yet, or no order), and its edge count.

    If the order was interrupted, `count` continues to count until the next order.
    """

    ticket: int
    reason: int
    count: int  # type: ignore[assignment]
    elapsed_us: int


# Events


class EdgeSeen(NamedTuple):
    """A watched sensor changed: its level, the board's time, its activations so far."""

    channel: int
    active: int
    at_us: int
    count: int  # type: ignore[assignment]


class MotionEnded(NamedTuple):
    """A motion ended. `ticket` is the sequence number of the command that began it."""

    ticket: int
    channel: int
    reason: int
    count: int  # type: ignore[assignment]
    elapsed_us: int


class DiceRead(NamedTuple):
    """The faces of the dice of a throw; unused fields are 0."""

    ticket: int
    first: int
    second: int
    third: int
    fourth: int
    fifth: int


class Faulted(NamedTuple):
    """The board has latched a fault: its code and its channel."""

    code: int
    channel: int
    at_us: int


class Held(NamedTuple):
    """The lease expired: motion stopped, outputs safe, counts and positions kept."""

    at_us: int


# Notes


class Received(NamedTuple):
    """The host has received this event and all before it; the board stops repeating them."""

    event: int


# Notices


class Started(NamedTuple):
    """The board has started: its number of starts, and the cause of the reset. Sent once."""

    boots: int
    reset_cause: int


Message = (
    Identify | Authenticate | Configure | Commit | TakeLease | Stop | Clear
    | Set | Pulse | Drive | Move | Home
    | Read | Watch | Count | ThrowDice | Scan | SelfTest | Report | Bootloader | Recall
    | ReadLimits | ReadSupply
    | Ok | Refused | Value | Tag | Identity | Statistics | Recalled | Limits | Supply
    | EdgeSeen | MotionEnded | DiceRead | Faulted | Held
    | Received | Started
)  # fmt: skip


class MessageRow(NamedTuple):
    """One line of the table."""

    number: int
    message: type[Message]
    sender: Sender
    layout: struct.Struct


def _row(number: int, message: type[Message], sender: Sender, layout: str) -> MessageRow:
    return MessageRow(number, message, sender, struct.Struct("<" + layout))


TABLE: tuple[MessageRow, ...] = (
    _row(0x01, Identify, Sender.COMMAND, "B8s"),
    _row(0x02, Configure, Sender.COMMAND, "BBBBBBhIBBBiiIIIBHHH"),
    _row(0x03, Commit, Sender.COMMAND, "BH"),
    _row(0x04, TakeLease, Sender.COMMAND, "H"),
    _row(0x05, Stop, Sender.COMMAND, "B"),
    _row(0x06, Clear, Sender.COMMAND, ""),
    _row(0x07, Authenticate, Sender.COMMAND, "8s"),
    _row(0x10, Set, Sender.COMMAND, "Bi"),
    _row(0x11, Pulse, Sender.COMMAND, "BiI"),
    _row(0x12, Drive, Sender.COMMAND, "BhBBHIH"),
    _row(0x13, Move, Sender.COMMAND, "BiBiBiH"),
    _row(0x14, Home, Sender.COMMAND, "B"),
    _row(0x15, Read, Sender.COMMAND, "B"),
    _row(0x16, Watch, Sender.COMMAND, "BB"),
    _row(0x17, Count, Sender.COMMAND, "B"),
    _row(0x18, ThrowDice, Sender.COMMAND, "BB"),
    _row(0x19, Scan, Sender.COMMAND, "B"),
    _row(0x1A, SelfTest, Sender.COMMAND, ""),
    _row(0x1B, Report, Sender.COMMAND, ""),
    _row(0x1C, Bootloader, Sender.COMMAND, "I"),
    _row(0x1D, Recall, Sender.COMMAND, "B"),
    _row(0x1E, ReadLimits, Sender.COMMAND, ""),
    _row(0x1F, ReadSupply, Sender.COMMAND, ""),
    _row(0x40, Ok, Sender.REPLY, ""),
    _row(0x41, Refused, Sender.REPLY, "BB"),
    _row(0x42, Value, Sender.REPLY, "i"),
    _row(0x43, Tag, Sender.REPLY, "Q"),
    _row(0x44, Identity, Sender.REPLY, "BHB4s8sHBIH8s8s"),
    _row(0x45, Statistics, Sender.REPLY, "IIIHH"),
    _row(0x46, Recalled, Sender.REPLY, "BBHI"),
    _row(0x47, Limits, Sender.REPLY, "BHI9s9s"),
    _row(0x48, Supply, Sender.REPLY, "HH"),
    _row(0x60, EdgeSeen, Sender.EVENT, "BBII"),
    _row(0x61, MotionEnded, Sender.EVENT, "BBBHI"),
    _row(0x62, DiceRead, Sender.EVENT, "BBBBBB"),
    _row(0x63, Faulted, Sender.EVENT, "BBI"),
    _row(0x64, Held, Sender.EVENT, "I"),
    _row(0x70, Received, Sender.NOTE, "B"),
    _row(0x71, Started, Sender.NOTICE, "HB"),
)
