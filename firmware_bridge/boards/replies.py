"""Checks a board's replies and the ends of its motions, and counts breaches of the protocol."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from firmware_bridge.board import ProtocolBreach, ProtocolFault, Reason
from firmware_bridge.wire import messages as wire
from firmware_bridge.wire.codes import Kind, Refusal, UntilKind
from firmware_bridge.wire.errors import BoardProtocolError
from firmware_bridge.wire.messages import NONE, Configure, Message

SUSTAINED = 200.0
"""Messages a second that one board may send for any time without a command that asks for them. The
boards of the shipped tables send at most 50 in one second of a round (our choice)."""
BURST = 2000
"""Messages that may arrive faster than `SUSTAINED`, for example after a host stalled (our choice).
A line of 250 kbaud carries 1,388 edges a second, so a full line is reported after 1.7 s."""
_GROUP = 20
"""Messages after which the rate is computed."""
MOST_DICE = 5
"""Dice of one throw: as many as `DiceRead` has fields."""
MOST_FACE = 6
"""Highest face of a die; 0 is a die that does not lie flat."""
MOST_MILLIVOLTS = 0xFFFF
HIGHEST_COUNT = 0x7FFFFFFF
"""Highest count that the reply `Value` can carry."""
_REFUSALS = frozenset(map(int, Refusal))
_REASONS = frozenset((*map(int, Reason), NONE))
_ANSWERS: dict[type[Message], type[Message]] = {
    wire.Identify: wire.Identity,
    wire.Read: wire.Value,
    wire.Count: wire.Value,
    wire.SelfTest: wire.Value,
    wire.Scan: wire.Tag,
    wire.Report: wire.Statistics,
    wire.Recall: wire.Recalled,
}
"""The reply to each command that is not answered by `Ok`."""
LATE = 6.0
"""Seconds after a motion's limit at which its board may still end it."""
_ALWAYS = (Reason.STOPPED, Reason.HELD, Reason.FAULT)
_OF_MOTOR = (*_ALWAYS, Reason.CURRENT, Reason.SWITCH)
_UNTIL: Mapping[int, tuple[Reason, ...]] = {
    UntilKind.EDGES: (*_OF_MOTOR, Reason.TIME, Reason.EDGES),
    UntilKind.LEVEL: (*_OF_MOTOR, Reason.TIME, Reason.LEVEL),
    UntilKind.TIME: (*_OF_MOTOR, Reason.TIME),
}


class ReplyCheck:
    """Checks the replies of one board, whose channels have these records."""

    def __init__(self, records: Sequence[Configure], breaches: Breaches) -> None:
        self._records = records
        self._ranges = [_range_of(record) for record in records]
        self._breaches = breaches
        self._checks: dict[type[Message], Callable[[Message, Message], str]] = {
            wire.Read: self._read,
            wire.Count: self._count,
            wire.SelfTest: self._self_test,
            wire.Recall: self._recalled,
        }

    def check(self, command: Message, reply: Message) -> BoardProtocolError | None:
        """The error with which the command fails if its reply breaks the protocol, else None."""
        asked, answered = type(command), type(reply)
        if answered is wire.Ok and asked not in _ANSWERS:
            return None
        if isinstance(reply, wire.Refused):
            return self._refused(command, reply)
        if answered is not _ANSWERS.get(asked, wire.Ok):
            return self._breaches.add(ProtocolBreach.WRONG_REPLY, f"{reply} to {asked.__name__}")
        check = self._checks.get(asked)
        if check is not None and (wrong := check(command, reply)):
            return self._breaches.add(ProtocolBreach.OUT_OF_RANGE, f"{wrong} to {command}")
        return None

    def _refused(self, command: Message, reply: wire.Refused) -> BoardProtocolError | None:
        if reply.reason not in _REFUSALS:
            return self._breaches.add(
                ProtocolBreach.UNKNOWN_CODE, f"{reply} to {type(command).__name__}"
            )
        if reply.channel != NONE and reply.channel >= len(self._records):
            return self._breaches.add(
                ProtocolBreach.WRONG_CHANNEL, f"{reply} to {type(command).__name__}"
            )
        return None

    def _read(self, command: Message, reply: Message) -> str:
        assert isinstance(command, wire.Read) and isinstance(reply, wire.Value)
        (channel,), (value,) = command, reply
        low, high = self._ranges[channel]
        if not low <= value <= high:
            return f"the value {value}"
        if value > MOST_FACE and self._records[channel].kind == Kind.DICE:
            return "" if _are_faces(value) else f"the value {value}"
        return ""

    def _count(self, command: Message, reply: Message) -> str:
        assert isinstance(reply, wire.Value)
        return "" if reply.value >= 0 else f"the count {reply.value}"

    def _self_test(self, command: Message, reply: Message) -> str:
        assert isinstance(reply, wire.Value)
        return "" if reply.value >= 0 else f"the value {reply.value}"

    def _recalled(self, command: Message, reply: Message) -> str:
        assert isinstance(reply, wire.Recalled)
        return "" if reply.reason in _REASONS else f"the reason {reply.reason}"


def _range_of(record: Configure) -> tuple[int, int]:
    """The lowest and highest value that `Read` can give for a channel of this record."""
    match record.kind:
        case Kind.SENSOR | Kind.OUTPUT:
            return 0, 1
        case Kind.MOTOR:
            return -1000, 1000
        case Kind.STRIP:
            return 0, (1 << record.second_pin) - 1
        case Kind.AXIS:
            # Before an axis is homed, its position is an assumption, wrong by up to its length.
            span = record.high_um - record.low_um
            return record.low_um - span, record.high_um + span
        case Kind.ANALOG:
            return 0, MOST_MILLIVOLTS
        case Kind.DICE:
            return 0, (1 << 3 * MOST_DICE) - 1
        case Kind.READER:
            return 0, -1  # it has no value to read
    raise ValueError(f"kind {record.kind} of channel {record.index} is not defined; see Kind.")


def _are_faces(packed: int) -> bool:
    """Whether every die of a packed throw shows 0 to 6."""
    return all(packed >> shift & 7 <= MOST_FACE for shift in range(0, 3 * MOST_DICE, 3))


def wrong_end(order: Message, reason: Reason, count: int, elapsed_us: int) -> str:
    """The reason why the motion of an order cannot have ended like this; "" if it can."""
    limit = None
    reasons: tuple[Reason, ...]
    match order:
        case wire.Pulse():
            reasons, limit = (*_OF_MOTOR, Reason.DONE), order.duration_ms
        case wire.Drive():
            reasons, limit = _UNTIL[order.until], order.limit_ms
            if reason is Reason.EDGES and count != order.count:
                return f"it was to count {order.count} edges"
        case wire.ThrowDice():
            reasons = _ALWAYS
        case _:
            reasons = (*_ALWAYS, Reason.DONE, Reason.TIME, Reason.SWITCH)
    if reason not in reasons:
        return f"{type(order).__name__} cannot end by {reason.name}"
    if limit is not None and elapsed_us > limit * 1000 + LATE * 1e6:
        return f"its limit was {limit} ms"
    return ""


def wrong_faces(order: Message, faces: tuple[int, ...]) -> str:
    """The reason why an order cannot have ended with these faces of dice; "" if it can."""
    if not isinstance(order, wire.ThrowDice):
        return f"{type(order).__name__} reads no dice"
    if any(face > MOST_FACE for face in faces):
        return f"a die shows 0 to {MOST_FACE}"
    if any(faces[order.dice : MOST_DICE]):
        return f"it was to read {order.dice} dice"
    return ""


class Breaches:
    """Breaches of the protocol by one board; `report` receives each one as a fault."""

    def __init__(self, board: str, report: Callable[[ProtocolFault], None]) -> None:
        self.counts: Counter[ProtocolBreach] = Counter()
        """Breaches since the board was created, by rule."""
        self._board = board
        self._report = report

    def add(self, breach: ProtocolBreach, seen: str) -> BoardProtocolError:
        """Count and report a breach; `seen` says what the board sent. Returns it as an error."""
        self.counts[breach] += 1
        sentence = f"board {self._board} sent {seen}: {breach.value}."
        self._report(ProtocolFault(self._board, breach, sentence))
        return BoardProtocolError(
            f"{sentence[:-1]}; check its firmware with `wallwright scan`, or replace the board."
        )


class MessageRate:
    """Reports a board that sends more messages than `SUSTAINED` and `BURST` allow.

    The messages themselves are still processed, because every queue behind this is limited.
    """

    def __init__(self, breaches: Breaches, clock: Callable[[], float]) -> None:
        self._breaches = breaches
        self._clock = clock
        self._new = 0
        self._level = 0.0
        self._at = 0.0

    def add(self) -> None:
        """Count one message. The clock is read once for `_GROUP` messages, to save time."""
        self._new += 1
        if self._new < _GROUP:
            return
        self._new = 0
        now = self._clock()
        self._level = max(0.0, self._level - (now - self._at) * SUSTAINED) + _GROUP
        self._at = now
        if self._level > BURST:
            self._level = BURST
            self._breaches.add(
                ProtocolBreach.FLOOD, f"{BURST} messages faster than {SUSTAINED:.0f} a second"
            )
