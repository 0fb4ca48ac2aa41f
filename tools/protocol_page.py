"""Writes docs/PROTOCOL.md from the table of messages."""

from __future__ import annotations

import enum
import inspect
import re
from collections.abc import Iterable
from string import Template

from firmware_bridge import board
from firmware_bridge.sim import session
from firmware_bridge.wire import messages
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
}
_Numbers = type[enum.IntEnum] | type[enum.IntFlag]
_ENUMS: tuple[_Numbers, ...] = (
    messages.Kind,
    messages.Flag,
    messages.UntilKind,
    messages.Refusal,
    board.Reason,
    board.FaultCode,
)


def page() -> str:
    """The whole page."""
    return Template(_THEORY).substitute(
        protocol=messages.PROTOCOL,
        baud=f"{BAUD:,}",
        payload=messages.MAX_PAYLOAD,
        frame=messages.MAX_FRAME,
        window=messages.WINDOW,
        remembered=messages.REMEMBERED,
        events=messages.EVENT_WINDOW,
        first_ms=_ms(exchange.FIRST_TIMEOUT),
        shortest_ms=_ms(exchange.SHORTEST_TIMEOUT),
        longest_ms=_ms(exchange.LONGEST_TIMEOUT),
        repetitions=exchange.REPETITIONS,
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
    meaning = _said(row.message).replace("|", r"\|")
    name = row.message.__name__
    return f"| 0x{row.number:02X} | **{name}** | {payload} | {row.layout.size} | {meaning} |"


def _type(code: str) -> str:
    return f"{code[:-1]} bytes" if code.endswith("s") else _TYPES[code]


def _numbers(numbers: _Numbers) -> str:
    said = _said_of_members(numbers)
    rows = "\n".join(f"| {n.value} | {n.name} | {said.get(n.name or '', '')} |" for n in numbers)
    meaning = " ".join(inspect.cleandoc(numbers.__doc__ or "").split())
    return (
        f"### {numbers.__name__}: {meaning}\n\n| number | name | meaning |\n|---|---|---|\n{rows}\n"
    )


def _said(described: type) -> str:
    return " ".join((described.__doc__ or "").split())


def _said_of_members(numbers: _Numbers) -> dict[str, str]:
    """The docstrings under the members, which only the source still has."""
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
# The wire: host to board

*Generated from `firmware_bridge/wire/messages.py` by `make docs`; a test demands that it is
current.
Why it is our own: [decisions/0001-the-wire.md](decisions/0001-the-wire.md).*

Protocol version $protocol, $baud baud, 8N1, no flow control.

## Principle

**The board closes every loop that a late host could break.** The host says *what until when*; the
board does it on its own clock and reports how it ended. A host that stalls, a USB plug that drops
out, a garbage collection: a pause, never a jam or a lost tile. Durations cross the wire, host
clocks never do.

## Frames

| part | bytes | |
|---|---|---|
| COBS of address, sequence number, type, payload | 4 to 52 | payload at most $payload bytes |
| check | 3 | CRC-16/CCITT-FALSE of the COBS bytes before it |
| zero | 1 | the only zero of the frame |

A frame is at most $frame bytes long. The CRC (polynomial 0x1021, from 0xFFFF, not reflected) is
spread over three bytes `1ccccccc 1ccccccc 100000cc`, lowest bits first, so that none of them is
zero. It is taken over the bytes *as they are on the wire*, so a receiver can check them as they
come, and damage of up to three bits that leaves the zeros where they were is seen for certain.
(Inside COBS it would not be: a flipped bit in a code byte moves a zero, and so changes several
bytes.) A bit that flips to or from a zero cuts a frame in two or joins two: then the length, which
the type fixes, does not agree, and what is left to chance is one in 65,536 of the tails that happen
to look like a frame for this address and this number.

Whatever is damaged, truncated, of the wrong length or of an unknown type is counted and dropped,
never acted on, and the next zero begins anew. Frames of another address are ignored. A sender may
begin with a zero, to close whatever an idle line has collected; both do so when they repeat.

$example

## A session

`Identify` begins a session. Its number is any; the next command bears the next one (modulo 256),
and so does the first event. The board resets its session only for a nonce (or number) that it has
not just seen: the same `Identify` again gets the same reply. With a new session the board forgets
events that nobody received, ends every motion without a word, since old tickets mean nothing, and
tells its latched faults anew. Counts, positions and the channel table survive.

The reply proves that the board knows its device key: the first eight bytes of
HMAC-SHA256(key, nonce + serial). A nonce must never be used twice. `Identify`, and the first field
of `Identity`, keep their layout in every version of the protocol, so that a wrong version can be
named.

## Commands

The board executes commands **in the order of their numbers, each exactly once**, and answers each
with one reply that bears its number.

| a command's number is | the board |
|---|---|
| the one expected | executes it, remembers the reply, sends it |
| up to $remembered behind | sends the remembered reply again |
| anything else | drops it: it is too old, or one before it was lost and will come again |

At most $window commands fly at a time, from the oldest that is unanswered; only a stop of
everything may go ahead of that. When the oldest is overdue the host sends all that fly again. The
time-out follows the measured round trip as in RFC 6298 (at first $first_ms, then between
$shortest_ms and $longest_ms), measured only on commands that were sent once, and doubles with every
repetition. After $repetitions repetitions the board counts as silent. Which commands it has done is
then unknown, so nothing more is sent but a new `Identify`; the host reads counts and positions and
goes on from what is.

An old duplicate could only be executed if it came exactly 256 commands late. Lines keep the order
of their bytes, and the window is $window.

## Events

Events have numbers of their own. The board keeps at most $events of them on the way, queues the
rest, and repeats from the oldest after $repeat_ms without progress, then more and more rarely, but
at least every $repeat_most_ms. The host takes them in order only, acknowledges at once by
`Received` (which speaks for all events up to the one it names), and acknowledges again what it had
before.

A motion's end names its **ticket**, the number of the command that began it, and its channel (of
several axes the first). The reply of a command goes before events that it causes, but a reply that
was lost may arrive after them.

## The channel table

`Configure` sends one record a channel, `Commit` their number and the CRC of their payloads in
order; until it matches nothing moves. `Identity` tells the CRC of the table in force, so a board
that has the same one already keeps running. Fields that a kind has no other use for:

| kind | |
|---|---|
| motor | `second_pin` is the pin for reverse, or 255 |
| strip | `second_pin` is the number of its lamps |
| axis | `second_pin` is the direction, `reverse_stop` the home switch (`forward_stop` if up) |
| dice | `second_pin` is the serial port of the reader, `max_on_ms` how long to shake |
| reader | `second_pin` is its serial port |

`step_nm` is how far one step carries an axis, nanometres. `flags` tell the board which motors and
axes the light curtain guards, and which sensors are the curtain and the emergency stop.

`max_on_ms` 0 is no limit. In `Drive`, `count` is the number of edges, or the level (0, 1) awaited;
`limit_ma` 0 is no limit.

## The lease

Outputs live while the lease lives. The host takes it for a time (default 500 ms) and renews it at a
third of that. When it expires, the board stops motion by its ramps, sets every output to its safe
value, keeps counts and positions; every motion ends by `MotionEnded` with reason HELD, and after
the last of them comes `Held`. The next lease resumes only what the host names again. A lease of 0
gives it back. A board at rest holds none.

A lease that has expired is refused (NO_LEASE) until the host has given it back: so nothing that it
orders before it knows of the loss is done.

## What a board remembers

Counts of sensors, the last drive, pulse or throw of each channel, and of a dice unit its completed
throws and the last faces survive sessions and resets: save them when the supply falls. A sensor
that is active when the power comes back, and was not when it went, has been activated: it counts.

After a break the host asks by `Recall` how far its last orders have come. It compares the ticket
with that of its own last order: another ticket means that this order never arrived. An order that
was cut short (STOPPED, HELD, FAULT) goes on counting its sensor's activations, so that a tile
within the debounce time is not lost.

A board with firmware keeps this in its EEPROM, beside its serial number, address and key and how
often it has started. It writes what has changed every 250 ms while nothing moves, at once when its
supply falls, and after any other reset, whose cause leaves the memory as it was. It keeps the
levels too at which the outputs of its last table rest: there they rest from the start on, until a
host configures the board; everything else of a table comes from the host. If those levels are
damaged, CONFIGURATION is latched. What differs from the virtual board stands in [decision
14](decisions/0014-the-firmware.md).

## Wired past the configuration

The emergency stop stops every board, and takes the motors' power. The light curtain stops a board
if one of the parts that it guards moves, or is told to; otherwise hands may reach through.

On an Arduino Mega 2560 three pins have a meaning that no table changes:

- **20** is the emergency stop, normally closed to ground. Open, all outputs are safe at once, with
  or without a table, and EMERGENCY_STOP is latched; its channel is 255 if no sensor of the table is
  on that pin.
- **21** is the light curtain, normally closed to ground, if the table has one.
- **69** tells the current of all motors together, 1 mV is 1 mA. More than 4 A while a motor runs
  latches OVER_CURRENT, and blames the motor that started last. Wire it to ground if nothing
  measures.

Pins 0 and 1 are the line to the host. `wallwright wiring TABLE` lists every pin.

## Modules on serial ports

Dice readers and tag readers hang on the serial ports 1 to 3 of a board (pins 18 and 19, 16 and 17,
14 and 15: the board sends on the even one), 115,200 baud, 8N1. They speak lines of ASCII, each
ended by a line feed, and only when they are asked:

| the board asks | the module answers |
|---|---|
| `D3` | the faces of three dice, `4 1 6`; 0 is a die that does not lie flat |
| `T` | the tag as 16 hexadecimal digits, or `-` for none |

A module has 200 ms. If it says nothing, the dice are all 0 and the tag is none. The reply to `Scan`
waits for it; later commands wait behind that, and every other answer comes at once.

## A board that nobody knows yet

Serial number, address and key are put into a board by `wallwright firmware provision`. Without
them, or if they are damaged, it answers at address 0 as `UNSET000`, with a key of 16 zero bytes. A
host does not run a table with such a board, nor with any other whose key it does not have; only
virtual boards, whose serial numbers begin with `SIM`, all know one key that is no secret.

`build` in `Identity` is the first four bytes of the SHA-256 of the firmware's sources, so a host
can say whether a board runs what lies in its own checkout: `wallwright scan`.

## Messages

Numbers are little-endian. Channel 255 is none, or all.

$tables
## Numbers in them

$numbers"""
