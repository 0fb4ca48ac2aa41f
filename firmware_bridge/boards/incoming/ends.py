"""The ends that a motion can have, by the command that began it."""

from __future__ import annotations

from collections.abc import Mapping

from firmware_bridge.board import Reason
from firmware_bridge.boards.incoming.replies import MOST_DICE, MOST_FACE
from firmware_bridge.wire import messages as wire
from firmware_bridge.wire.messages import Message, UntilKind

LATE = 6.0
"""Seconds after a motion's limit at which its board may still end it."""

_ALWAYS = (Reason.STOPPED, Reason.HELD, Reason.FAULT)
_OF_MOTOR = (*_ALWAYS, Reason.CURRENT, Reason.SWITCH)
_UNTIL: Mapping[int, tuple[Reason, ...]] = {
    UntilKind.EDGES: (*_OF_MOTOR, Reason.TIME, Reason.EDGES),
    UntilKind.LEVEL: (*_OF_MOTOR, Reason.TIME, Reason.LEVEL),
    UntilKind.TIME: (*_OF_MOTOR, Reason.TIME),
}


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
