"""Checks the replies of a board against their commands: type, numbers, ranges."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from firmware_bridge.board import ProtocolBreach, Reason
from firmware_bridge.boards.incoming.breaches import Breaches
from firmware_bridge.wire import messages as wire
from firmware_bridge.wire.errors import BoardProtocolError
from firmware_bridge.wire.messages import NONE, Configure, Kind, Message, Refusal

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
