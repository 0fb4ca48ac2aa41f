"""Random values of message fields: at and beyond the limits, plausible, or uniform."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from firmware_bridge.board import FaultCode, Reason
from firmware_bridge.wire.codec import codes
from firmware_bridge.wire.messages import Message, Refusal

_BITS = {"B": 8, "H": 16, "I": 32, "Q": 64, "h": 16, "i": 32}
_SMALL = 12
"""Upper limit of a small number: most channels, reasons, codes and counts are smaller."""
_PLAUSIBLE = {"code": tuple(FaultCode), "reason": (*Reason, *Refusal)}


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
