"""Writes docs/reference/PROTOCOL.md from the table of messages."""

from __future__ import annotations

import enum
import inspect
import re
from collections.abc import Iterable
from string import Template

from firmware_bridge import board
from firmware_bridge.sim import session
from firmware_bridge.wire import codes as wire_codes
from firmware_bridge.wire import link, messages, session_security
from firmware_bridge.wire import sliding_window as exchange
from firmware_bridge.wire.codec import codes, encode
from firmware_bridge.wire.messages import TABLE, MessageRow, Sender
from firmware_bridge.wire.transport import BAUD

_TYPES = {"B": "u8", "H": "u16", "I": "u32", "Q": "u64", "h": "i16", "i": "i32"}
_SECTIONS = {
    Sender.COMMAND: "Commands: host to board, each answered by one reply",
    Sender.REPLY: "Replies: board to host",
    Sender.EVENT: "Events: board to host, repeated until received",
    Sender.NOTE: "Notes: host to board, not answered",
    Sender.NOTICE: "Notices: board to host, sent once outside of a session",
}
_Numbers = type[enum.IntEnum] | type[enum.IntFlag]
_ENUMS: tuple[_Numbers, ...] = (
    wire_codes.Kind,
    wire_codes.Flag,
    wire_codes.UntilKind,
    wire_codes.Refusal,
    wire_codes.ResetCause,
    wire_codes.Chip,
    board.Reason,
    board.FaultCode,
)


def page() -> str:
    """Return the text of docs/reference/PROTOCOL.md."""
    return Template(_THEORY).substitute(
        protocol=messages.PROTOCOL,
        baud=f"{BAUD:,}",
        payload=messages.MAX_PAYLOAD,
        frame=messages.MAX_FRAME,
        window=messages.WINDOW,
        remembered=messages.REMEMBERED,
        events=messages.EVENT_WINDOW,
        receiving=exchange.MOST_BYTES + messages.MAX_FRAME,
        forged=session_security.MOST_FORGED,
        first_ms=_ms(exchange.FIRST_TIMEOUT),
        shortest_ms=_ms(exchange.SHORTEST_TIMEOUT),
        longest_ms=_ms(exchange.LONGEST_TIMEOUT),
        repetitions=exchange.REPETITIONS,
        start_silence=link.START_SILENCE,
        release_silence=link.RELEASE_SILENCE,
        repeat_ms=_ms(session.REPEAT_AFTER),
        repeat_most_ms=_ms(session.REPEAT_AT_LEAST_EVERY),
        example=_example(),
        tables="\n".join(_section(sender) for sender in Sender),
        numbers="\n".join(_numbers(numbers) for numbers in _ENUMS),
    )


def _section(sender: Sender) -> str:
    rows = "\n".join(_row(row) for row in TABLE if row.sender is sender)
    return (
        f"### {_SECTIONS[sender]}\n\n"
        "| number | message | payload | bytes | meaning |\n|---|---|---|---|---|\n"
        f"{rows}\n"
    )


def _row(row: MessageRow) -> str:
    fields = zip(row.message._fields, codes(row.message), strict=True)
    payload = ", ".join(f"`{name}` {_type(code)}" for name, code in fields) or "none"
    meaning = _docstring(row.message).replace("|", r"\|")
    name = row.message.__name__
    return f"| 0x{row.number:02X} | **{name}** | {payload} | {row.layout.size} | {meaning} |"


def _type(code: str) -> str:
    return f"{code[:-1]} bytes" if code.endswith("s") else _TYPES[code]


def _numbers(numbers: _Numbers) -> str:
    meanings = _member_docstrings(numbers)
    rows = "\n".join(
        f"| {n.value} | {n.name} | {meanings.get(n.name or '', '')} |" for n in numbers
    )
    meaning = " ".join(inspect.cleandoc(numbers.__doc__ or "").split())
    return (
        f"### {numbers.__name__}: {meaning}\n\n| number | name | meaning |\n|---|---|---|\n{rows}\n"
    )


def _docstring(described: type) -> str:
    return " ".join((described.__doc__ or "").split())


def _member_docstrings(numbers: _Numbers) -> dict[str, str]:
    """Return the docstring under each member, read from the source, because Python drops it."""
    pattern = re.compile(r'^ {4}(\w+) = \d+\n {4}"""(.+?)"""', re.MULTILINE | re.DOTALL)
    found = pattern.findall(inspect.getsource(numbers))
    return {name: " ".join(text.split()) for name, text in found}


def _example() -> str:
    message = messages.Set(channel=3, value=800)
    return f"`{_hex(encode(0, 5, message))}` is `{message}`, sequence number 5, to address 0."


def _hex(data: Iterable[int]) -> str:
    return " ".join(f"{byte:02X}" for byte in data)


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:g} ms"


_THEORY = """\
# The wire protocol between host and board

*Generated from `firmware_bridge/wire/messages.py` by `make docs`; a test checks that it is
current. The reasons for a protocol of our own:
[decisions/0001-the-wire.md](../decisions/0001-the-wire.md).*

Protocol version $protocol, $baud baud, 8N1, no flow control; on a Pico's USB port the same bytes.

## Principle

**The board closes every loop that a late host could break.** The host sends the action and its
end condition; the board executes it on its own clock and reports how it ended. If the host
stalls, a USB plug is pulled or the garbage collector runs, the table pauses; no jam and no lost
tile results. Messages contain durations, never times of the host's clock.

## Frames

| part | bytes | |
|---|---|---|
| COBS of address, number, type, payload, tag | 4 to 56 | payload at most $payload bytes; tag 4 |
| check | 3 | CRC-16/CCITT-FALSE of the COBS bytes before it |
| zero | 1 | the only zero of the frame |

A frame is at most $frame bytes long. The CRC (polynomial 0x1021, from 0xFFFF, not reflected) is
spread over three bytes `1ccccccc 1ccccccc 100000cc`, lowest bits first, so that none of them is
zero. It is taken over the bytes *as they are on the wire*, so a receiver can check them as they
come, and damage of up to three bits that does not move the zeros is always detected. (With the
CRC inside COBS it would not be detected: a flipped bit in a code byte moves a zero, and so
changes several bytes.) A bit that flips to or from a zero cuts a frame in two or joins two: then
the length does not match the type. The remaining probability is one in 65,536 of those tails that
have the form of a frame for this address and this number.

A frame that is damaged, truncated, of the wrong length or of an unknown type is counted and
dropped, never executed; after the next zero the receiver starts a new frame. Frames for another
address are ignored. A sender can begin with a zero, which ends any bytes that an idle line has
collected; host and board do so when they resend.

$example

## A session

A session begins with three messages, by which host and board prove to each other that they have
the device key:

1. `Identify`, with a new nonce of the host. Its number is arbitrary.
2. `Identity`, with a nonce of the board and its proof. The same `Identify` again gets the same
   reply. Nothing else has changed in the board: a session that exists goes on.
3. `Authenticate`, with the next number and the proof of the host. The session begins: the next
   command has the next number (modulo 256), and the first event has the number of `Authenticate`.

With a new session the board discards events that were not received, ends every motion without an
event, since old tickets are no longer valid, and reports its latched faults again. Counts,
positions and the channel table survive. `Identify`, and the first field of `Identity`, keep their
layout in every version of the protocol, so that a wrong version can be named.

## Keys, proofs and tags

Both sides derive 32 bytes from the device key by HKDF-SHA256 (RFC 5869): the salt is the host's
nonce and the board's nonce, the info is the text "wallwright link $protocol" and a
byte 01. The first 16 bytes are the
host's session key, the others the board's.

A **proof** is the SipHash-2-4 (64 bits), by the session key of its sender, of FF FF FF FF, the
`Identify` and the `Identity` without its proof. Both messages are taken as they are before COBS,
with sequence number 0 and without a tag. The proofs cover all fields of `Identity`: chip, build,
boots, reset cause and channel table too.

Every later frame ends with a **tag**: the first 4 bytes of the SipHash-2-4, by the session key of
its sender, of a counter (32 bits) and the frame before COBS. The counter of a command or event is
its sequence number without the wrap at 256; that of a reply is its command's, that of `Received`
is the last acknowledged event's. Counters are not transmitted: both sides count. A frame that was
changed, repeated at a later place or recorded in another session therefore has a wrong tag. Such a
frame is counted and dropped. After $forged of them the receiver ends the session, so that a device
that guesses tags has $forged attempts of 4,294,967,296. The host reports a fault from the fourth
wrong tag within a minute on. `Identify`, `Identity`, `Authenticate`,
`Started` and the refusal of an `Identify` have no tag.

The board's nonce is the SipHash-2-4 of FE FF FF FF, the serial number, the number of starts and
the number of challenges since the start, by the first 16 bytes of the device key: it is never the
same twice and cannot be predicted without the key. The number of starts has 32 bits for that;
`Identity` and `Started` report the lowest 16. The board stores it, or reserves it in two copies,
before it answers the first `Identify` and announces its start, so no power cut makes two starts
have one number. If it cannot, because its supply is too low or its storage is damaged, it refuses
`Identify` from 5 s after its start on (NOT_STORED). [Decision
45](../decisions/0045-starts-and-limits-are-stored-first.md) describes it.

The derivation of the keys takes the ATmega2560 47 ms. The board keeps three challenges at a time: a
later `Identify` neither restarts the derivation for an earlier one nor ends its challenge, which
is kept for at least 0.1 s after the answer. An `Identify` that finds no place is dropped; the host
repeats it. A wrong proof is counted, and a challenge ends after 64 of them.

A tag costs 4 bytes (160 µs) a frame. The ATmega2560 computes one in 0.5 to 1.5 ms of its main
loop; a command with its reply takes about 3 ms. What stops motors does not wait for it.

What this does not prove: a device that only passes all bytes on, both ways and without delay, is
a longer cable. A device on the line can always disturb it; outputs then become safe when the lease
ends. `Started` has no tag, so a forged one costs a session: the host begins a new one, finds by the
board's proof that its count of starts is the same, and reports the notice as a fault. A stock
bootloader reads the EEPROM to anybody with the USB cable, the key included; a board that was
flashed with `--bare` has lock bits that prevent it.

## Starts and resets

A board announces its start by `Started`, once, with a leading zero and the sequence number 0. The
host then records that the board runs, and that a session with it has ended. If the notice is lost,
the host finds out as with any silent board.

The opening of a port can reset a board into a bootloader, in which any byte holds it. After such an
opening the host sends nothing until the first `Started`, at most for $start_silence s. If a board
does not answer an `Identify` and its repetitions, the host sends nothing to its line, except stops,
for $release_silence s or until a `Started`, and then asks once more. [Decision
20](../decisions/0020-first-contact.md) gives the reasons.

After a reset by BROWN_OUT or WATCHDOG the board has latched the fault of that name.

## Commands

The board executes commands **in the order of their numbers, each exactly once**, and answers each
with one reply that has the same number.

| a command's number is | the board |
|---|---|
| the one expected | executes it, remembers the reply, sends it |
| up to $remembered behind | sends the remembered reply again |
| anything else | drops it: it is too old, or an earlier command was lost and will be resent |

At most $window commands are in flight at a time, from the oldest that is unanswered; only a
command that stops everything can exceed the window. When the reply to the oldest is overdue, the
host resends all commands in flight. The time-out follows the measured round trip as in RFC 6298
(at first $first_ms, then between $shortest_ms and $longest_ms), measured only on commands that
were sent once, and doubles with every repetition. After $repetitions repetitions the host treats
the board as silent. It is then unknown which commands were executed, so the host sends only a new
`Identify`, reads counts and positions, and continues from these.

At most $receiving bytes of commands are in flight, because a board can receive that many while it
executes the first of them.

A duplicate that comes 256 commands late has the expected number and a wrong tag.

## Events

Events have numbers of their own. The board keeps at most $events of them on the way, queues the
rest, and repeats from the oldest after $repeat_ms without progress, then more and more rarely,
but at least every $repeat_most_ms. The host accepts them only in order, acknowledges at once by
`Received` (for all events up to the number that it gives), and acknowledges repeated events
again.

A motion's end names its **ticket**, the number of the command that began it, and its channel (of
several axes the first). The reply to a command is sent before the events that the command causes,
but a resent reply can arrive after them.

## The channel table

`Configure` sends one record a channel, `Commit` their number and the CRC of their payloads in
order; until it matches, nothing moves. `Identity` contains the CRC of the table in force, so a
board that already has the same table keeps running. Fields with a special use in some kinds:

| kind | |
|---|---|
| motor | `second_pin` is the pin for reverse, or 255 |
| strip | `second_pin` is the number of its lamps |
| axis | `second_pin` is the direction, `reverse_stop` the home switch (`forward_stop` if up) |
| analog, flag CURRENT | `second_pin` is the motor that it measures, or 255 for all (below) |
| dice | `second_pin` is the serial port of the reader, `max_on_ms` how long to shake |
| reader | `second_pin` is its serial port |

`dead_ms` is for motors that must not be reversed at once, such as a mains motor on two solid-state
relays. After the motor has run, the board keeps it off for this time before it runs the other way,
whatever ended the first motion; after a configuration the board keeps it off for this time in both
directions. An order that comes earlier begins, its limit runs, and the pin follows at the end of
the dead time. Only a motor whose `safe` is 0 can have a dead time. Both pins of a motor are never
active together.

`step_nm` is the distance of one step of an axis, in nanometres. `flags` mark the motors and axes
that the light curtain guards, motors that run fully or not at all, and the sensors that are the
curtain and the emergency stop.

`max_on_ms` 0 means no limit. In `Drive`, `count` is the number of edges, or the level (0, 1)
awaited; `limit_ma` 0 means no limit.

## Limits of the current

In the record of an analogue input with the flag CURRENT, `low_mv` is the current in mA at 1 V,
`high_mv` the limit as a voltage at the pin, and `dead_ms` the inrush time in milliseconds.

The board measures each input with the flag CURRENT once a millisecond, and averages it by a low
pass of eight samples (`mean += (level - mean) / 8`). If the mean is above the limit while the motor
runs, OVER_CURRENT is latched with the motor's channel, but not within the inrush time after an
order that starts the motor. An order for a motor that already runs that way is not a start. For all
motors, each start begins the inrush time again, but the mean is never above the limit for longer
than one inrush time without a stop. With stops in between, it is above the limit for at most four
inrush times longer than it is below it or the motor is at rest: a host that restarts a blocked
motor again and again is stopped too.

## The lease

Outputs are active only while the lease is valid. The host takes it for a time (default 500 ms)
and renews it at a third of that. When it expires, the board stops motion by its ramps, sets every
output to its safe value, keeps counts and positions; every motion ends by `MotionEnded` with
reason HELD, and after the last of them comes `Held`. After the next lease, only outputs that the
host sets again become active. A lease of 0 gives the lease back. An idle board has no lease.

The renewal of an expired lease is refused (NO_LEASE) until the host has given the lease back.
Commands that the host sends before it has processed the loss are therefore not executed.

## What a board stores

Counts of sensors, the last drive, pulse or throw of each channel, and of a dice unit its
completed throws and the last faces survive sessions and resets: the board saves them when the
supply falls. A sensor that is active when the power returns, and was not when it failed, counts
as activated.

After an interruption the host requests with `Recall` the progress of its last commands. It
compares the ticket with that of its own last command: another ticket means that this command
never arrived. A command that was cut short (STOPPED, HELD, FAULT) continues to count its sensor's
activations, so that a tile within the debounce time is not lost.

A board with firmware keeps this in a log without power, beside its serial number, address, key,
limits and reference (in two copies each) and how often it has started. It saves everything once
when its supply falls, after a reset that leaves the RAM as it was, and before its bootloader; and
counts and dice at rest, at most every 20 s. If the power is lost without a warning, the counts are
those of the last save, never higher than the true ones, and `Recall` reports no order. The log also
has the safe levels of the outputs of the last table, which the board applies from its start until a
host configures it; everything else of a table comes from the host. If no part of the log is sound,
CONFIGURATION is latched. [Decision 22](../decisions/0022-what-a-board-keeps.md) describes the log.

While a table is in force, the board compares one channel of it every 4 ms with the checksum that it
computed over its own memory at `Commit`, and all channels at `SelfTest`. If they differ,
CONFIGURATION is latched, and `Clear` is refused until the same or another table is committed.

A board tests itself, and latches SELF_TEST if it finds damage; `Clear` is refused until a reset,
and `SelfTest` names the part. The tests and their limits are in
[decision 52](../decisions/0052-boards-test-themselves.md):

- **program**: at the start all of it, against the CRC of its build, before the board answers
  `Identify` (0.2 s on a Mega, 0.02 s on a Pico, whose program runs in RAM). Later again and
  again, all of it in about 5 s.
- **memory**: at the start a March test of every cell. A board with a damaged one does not start,
  and its pins stay inputs. Later each cell in turn; a Mega takes about 3 s.
- **clock**: against another oscillator. A Mega finds a clock that is wrong by about half, a Pico
  a time that differs by a tenth from its processor's clock.
- **outputs**: an output that is off while its pin is active in three checks, a millisecond apart,
  latches UNEXPECTED_MOTION with its channel. The outputs are checked in turn.

On a Mega, each turn of the main loop reports four changes of inputs, and up to 32 are saved up for
times with many, 8 while an axis moves. Further changes wait for the next turn; what a
change stops is stopped at once if its sensor has no debounce time, and safety inputs have four
reports of their own in each turn. Three axes at 8 kHz beside 41 inputs that change every 20 to 25
us, with a debounce time of 5 ms and a full line, had no late step in 100 moves: every step was
within 0.01 ms of its time.

A step that is later than planned by more than 0.3 ms, and by more than the time between two steps,
latches LATE_STEP for its axis. The axes stop by their ramps, the late one is not homed any more,
and its motion ends with the reason FAULT even if that was its last step. An axis of more than 8,000
steps a second, of steps above 10 mm or beyond 2 m from its zero is refused with OUT_OF_RANGE, and
so is a motion of more than 260 s ([decision 53](../decisions/0053-late-steps-are-a-fault.md)).

LOW_SUPPLY is latched when the measured supply has been below the level of the board's profile for
2 ms while the board runs ([BOARDS.md](../build/BOARDS.md)). It can be cleared after half a second
at 92/90 of this level or more. No tolerance of the measurement latches it with an ordinary USB
supply. `ReadSupply` measures it, from firmware 3 on. A Mega measures it against a reference in its
chip, which differs by up to 9 % from its nominal value; `wallwright firmware calibrate` writes the
reference of this chip to the board's EEPROM by the bootloader, and no message changes it.
[Decision 60](../decisions/0060-the-supply-is-calibrated.md) describes it.

## Pins independent of the configuration

The emergency stop stops every board, and takes the motors' power. The light curtain stops a board
if one of the parts that it guards moves or is commanded to move; otherwise people can reach
through it. A part counts as moving from the moment at which the board checks the order for it,
and also while it waits for the end of its dead time or is held back. While the curtain is broken,
an order for a guarded part is refused and latches LIGHT_CURTAIN.

Both inputs are levels, not events: an input that is active when a table comes in force counts from
then on, an order is refused and Clear is refused (CAUSE_PERSISTS) for as long as the emergency stop
is open, and the board compares the levels at the pins with its state every millisecond. An
emergency stop always finds a place in the list of latched faults, which has 64.

A safety input is a digital sensor on a pin of its own. A table whose emergency stop or light
curtain has thresholds (an analogue input), has no pin, is not a sensor, or shares its pin with
another channel is refused (OUT_OF_RANGE).

On an Arduino Mega 2560 three pins have a function that no table changes:

- **20** is the emergency stop, normally closed to ground. Once it has been open for 10 µs, all
  outputs are safe at once, with or without a table, and EMERGENCY_STOP is latched; its channel is
  255 if no sensor of the table is on that pin.
- **21** is the light curtain, normally closed to ground, if the table has one. It trips if it has
  been open for 30 µs; less is noise. All outputs are then safe within 1 ms; axes brake by their
  ramps.
- **69** measures the current of all motors together. More than the limit of the table latches
  OVER_CURRENT, with the channel of the motor that started last. Wire it to ground if the current
  is not measured. On a Pico this is pin 28.

Pins 0 and 1 are the line to the host. [BOARDS.md](../build/BOARDS.md) lists what each pin can do,
and `wallwright wiring TABLE` its use on a table.

## Modules on serial ports

Dice readers and tag readers are connected to the serial ports 1 to 3 of a board (pins 18 and 19,
16 and 17, 14 and 15: the board sends on the even one), 115,200 baud, 8N1. They send lines of
ASCII, each ended by a line feed, and only in answer to a request:

| request of the board | answer of the module |
|---|---|
| `D3` | the faces of three dice, `4 1 6`; 0 is a die that does not lie flat |
| `T` | the tag as 16 hexadecimal digits, or `-` for none |

A module has 200 ms. If it does not answer in that time, the dice are all 0 and the tag is none.
The reply to `Scan` waits for it; later commands wait behind that, and every other answer comes at
once.

## Limits of a board

`wallwright firmware provision` also writes limits, which the maker of a table fixes and no session
can change: the longest lease, the longest `max_on_ms` (0 counts as too long), the pins whose
channels must be GUARDED, the pins that may be on without a maximum on-time (lamps, axes), and
whether the table must have the light curtain. They are limits of pins, since a motor can be driven
by a channel of any kind at its pin. With `--table` they are those of the table; without it they
are 2 s for the lease and 600 s for motors, and no pin has a limit of its own. A motor's `safe` must
be 0. The board refuses `TakeLease` (LEASE_TOO_LONG), `Configure` (ON_TOO_LONG, NOT_GUARDED) and
`Commit` (NO_CURTAIN). `ReadLimits` reads them, from firmware 2 on; `wallwright scan --limits`
prints them. A board that was provisioned before there were limits has none.

## A board without a key

Serial number, address, key and limits are written to a board by `wallwright firmware provision`.
Without them the board answers `Identify` at address 0 as `UNSET000`, and if both copies of one are
damaged as `DAMAGED0`, with a key of 16 zero bytes. It then begins no session, so it drives nothing;
to provision it is the cure. A host does not run a table with such a board, nor with any other
whose key it does not have.
Virtual boards, whose serial numbers begin with `SIM`, all have one key that is not secret. A host
accepts it only with `--allow-simulated`, and only if the port is a pseudo-terminal; a board on a
serial port that reports such a number is refused.

`build` in `Identity` is the first four bytes of the SHA-256 of the firmware's sources, so a host
can check whether a board runs the firmware of its own checkout: `wallwright scan`.

## Messages

Numbers are little-endian. Channel 255 means no channel, or all channels.

$tables
## Numbers in them

$numbers"""
