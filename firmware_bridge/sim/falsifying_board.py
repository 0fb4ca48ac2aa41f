"""A falsifying board: it takes part in the session of a virtual board and falsifies its messages.

Sequence numbers and checksums stay right, because the false messages go through the board's own
session. In addition, whole frames are inserted whose numbers belong to no command or event. All
frames have the tag of the board's key.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from firmware_bridge.board import FaultCode, Reason
from firmware_bridge.executor.virtual_board import VirtualBoard
from firmware_bridge.sim.session import BoardEnd
from firmware_bridge.wire import messages as wire
from firmware_bridge.wire.codec import EVENTS, REPLIES, codes
from firmware_bridge.wire.codes import Refusal
from firmware_bridge.wire.messages import TABLE, Message

KINDS = tuple(row.message for row in TABLE)
_REPLIES = tuple(kind for kind in KINDS if kind in REPLIES)
_EVENTS = tuple(kind for kind in KINDS if kind in EVENTS)
_RECENT = 8
"""Tickets of the latest motions, which false messages name."""
_BITS = {"B": 8, "H": 16, "I": 32, "Q": 64, "h": 16, "i": 32}
_SMALL = 12
"""Upper limit of a small number: most channels, reasons, codes and counts are smaller."""
_PLAUSIBLE = {"code": tuple(FaultCode), "reason": (*Reason, *Refusal)}
Falsification = tuple[str, str, str]
"""The message's name, the mutation, and the state of the board."""


@dataclass(frozen=True)
class FalsificationRates:
    """The probabilities, from 0 to 1, that a reply and that an event is falsified."""

    replies: float = 0.0
    events: float = 0.0


NOTHING_FALSIFIED = FalsificationRates()


class FalsifyingBoard:
    """Falsifies the messages of one board, by uniform choices. `counts` counts them by kind."""

    def __init__(
        self, board: VirtualBoard, address: int, chance: Random, counts: Counter[Falsification]
    ) -> None:
        self.rates = NOTHING_FALSIFIED
        self.emit: Callable[[Message], None] = _discard
        """Emits an event in the board's session."""
        self.insert: Callable[[int, int, Message], None] = _insert_nothing
        """Sends a frame with any address and number beside the session (`BoardSession.insert`)."""
        self._board = board
        self._address = address
        self._chance = chance
        self._values = FieldValues(chance)
        self._counts = counts
        self._tickets: deque[int] = deque(maxlen=_RECENT)
        self._last_reply: Message = wire.Ok()
        self._held_back: list[Message] = []
        self._configured = self._leased = self._faulted = False
        self._moving: set[int] = set()

    def connect(self, end: BoardEnd) -> None:
        """Send by this end of the line, and get the board's events before the end does."""
        self.emit, self.insert = end.emit, end.insert
        self._board.send = self.report

    @property
    def state(self) -> str:
        """The state of the board, as far as it decides which messages are right."""
        if self._faulted:
            return "faulted"
        if not self._configured:
            return "not configured"
        if not self._leased:
            return "idle"
        return "moving" if self._moving else "leased"

    # The session's side

    def execute(self, message: Message, sequence: int) -> Message:
        """Execute a command on the board; return its reply, or a false one."""
        truth = self._board.execute(message, sequence)
        if isinstance(truth, wire.Ok):
            self._follow(message, sequence)
        before, self._last_reply = self._last_reply, truth
        if self._chance.random() >= self.rates.replies:
            return truth
        match self._chance.randrange(3):
            case 0:
                return self._count("another reply", self._random(_REPLIES))
            case 1:
                return self._count("a changed field", self._values.mutated(truth, self._tickets))
            case _:
                return self._count("the previous reply", before)

    def report(self, event: Message) -> None:
        """Emit an event of the board, falsified or not."""
        self._follow_event(event)
        if self._chance.random() >= self.rates.events:
            self._emit_in_order(event)
            return
        match self._chance.randrange(5):
            case 0:
                self._emit_in_order(self._count("another event", self._random(_EVENTS)))
            case 1:
                changed = self._values.mutated(event, self._tickets)
                self._emit_in_order(self._count("a changed field", changed))
            case 2:
                self._count("left out", event)
            case 3:
                self._emit_in_order(event)
                self.emit(self._count("twice", event))
            case _:
                self._held_back.append(self._count("later", event))

    def insert_event(self) -> None:
        """Emit a random event that the board has no reason for."""
        self.emit(self._count("inserted event", self._random(_EVENTS)))

    def insert_frame(self) -> None:
        """Send a sound frame of any kind, with a random number, beside the session."""
        message = self._count("inserted frame", self._random(KINDS))
        address = self._address if self._chance.random() < 0.8 else self._chance.randrange(256)
        self.insert(address, self._chance.randrange(256), message)

    # The board's state

    def _follow(self, command: Message, sequence: int) -> None:
        """Note what an executed command changes in the board's state."""
        match command:
            case wire.Pulse() | wire.Drive() | wire.Move() | wire.Home() | wire.ThrowDice():
                self._tickets.append(sequence)
                self._moving.add(sequence)
            case wire.Commit():
                self._configured = True
            case wire.TakeLease():
                self._leased = command.duration_ms > 0
            case wire.Clear():
                self._faulted = False

    def _follow_event(self, event: Message) -> None:
        match event:
            case wire.MotionEnded() | wire.DiceRead():
                self._moving.discard(event.ticket)
            case wire.Held():
                self._leased = False
            case wire.Faulted():
                self._faulted = True

    def _emit_in_order(self, event: Message) -> None:
        self.emit(event)
        held, self._held_back = self._held_back, []
        for late in held:
            self.emit(late)

    def _random(self, kinds: tuple[type[Message], ...]) -> Message:
        return self._values.message(self._chance.choice(kinds), self._tickets)

    def _count(self, mutation: str, message: Message) -> Message:
        self._counts[type(message).__name__, mutation, self.state] += 1
        return message


def _insert_nothing(_: int, __: int, ___: Message) -> None:
    """Insert nothing until the session is connected."""


def _discard(_: object) -> None:
    """Discard until the session is connected."""


class FieldValues:
    """Draws values for the fields of a message, and whole messages, from one random source."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance

    def message(self, kind: type[Message], tickets: Sequence[int] = ()) -> Message:
        """A message of this kind with random fields; `tickets` are those of motions."""
        values = [
            self._value(code, name, tickets)
            for code, name in zip(codes(kind), kind._fields, strict=True)
        ]
        made: Any = kind
        return made(*values)  # type: ignore[no-any-return]

    def mutated(self, message: Message, tickets: Sequence[int] = ()) -> Message:
        """The same message with one random field changed; a message without fields is returned."""
        if not message:
            return message
        kind = type(message)
        at = self._chance.randrange(len(message))
        fields: list[Any] = list(message)
        code = codes(kind)[at]
        if isinstance(fields[at], int) and self._chance.random() < 0.25:
            fields[at] = _fit(code, fields[at] + self._chance.choice((-1, 1)))
        else:
            fields[at] = self._value(code, kind._fields[at], tickets)
        made: Any = kind
        return made(*fields)  # type: ignore[no-any-return]

    def _value(self, code: str, name: str, tickets: Sequence[int]) -> int | bytes:
        chance = self._chance
        if code.endswith("s"):
            return chance.randbytes(int(code[:-1]))
        bits = _BITS[code]
        low = -(1 << bits - 1) if code.islower() else 0
        high = low + (1 << bits) - 1
        match chance.randrange(4):
            case 0:
                return chance.choice((low, low + 1, 0, 1, high - 1, high))
            case 1:
                return chance.randint(low, high)
            case 2 if name == "ticket" and tickets:
                return chance.choice(tickets)
            case 2 if name in _PLAUSIBLE:
                return int(chance.choice(_PLAUSIBLE[name]))
            case _:
                return chance.randrange(_SMALL)


def _fit(code: str, value: int) -> int:
    """Return the value modulo the range of a field of this `struct` code."""
    bits = _BITS[code]
    low = -(1 << bits - 1) if code.islower() else 0
    return (value - low) % (1 << bits) + low
