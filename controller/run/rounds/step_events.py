"""The trigger of the state machine, and the event, for each class of step."""

from __future__ import annotations

from collections.abc import Mapping

from controller.events import EventLog, EventName
from controller.run.run_state import as_json
from rules.steps import (
    Arrange,
    Build,
    Choose,
    DrawLot,
    Outcome,
    Packet,
    Replace,
    ReturnLots,
    Step,
    Throw,
    TurnUp,
)

TRIGGERS: Mapping[type[Step], str] = {
    Throw: "begin_throwing",
    Choose: "begin_cutting",
    Arrange: "begin_cutting",
    Packet: "begin_dealing",
    TurnUp: "begin_turning",
    Replace: "begin_replacing",
    DrawLot: "begin_replacing",
    ReturnLots: "begin_replacing",
}
"""Trigger of the state machine for each class of step."""


def emit_step(events: EventLog, step: Step, result: Outcome) -> None:
    """Emit the event of a confirmed step."""
    match step:
        case Packet():
            number = {} if step.hand is None else {"hand": step.hand}
            events.emit(
                EventName.DELIVERED,
                seat=step.seat,
                **{"from": [str(p) for p in step.places]},
                **number,
            )
        case Replace() | DrawLot():
            events.emit(EventName.DELIVERED, seat=step.seat, **{"from": [str(step.place)]})
        case TurnUp():
            events.emit(EventName.TILE_TURNED_UP, at=str(step.place), tile=result, by=step.by)
        case Throw():
            events.emit(EventName.DICE_THROWN, by=step.by, dice=as_json(result))
        case Choose():
            events.emit(EventName.CHOICE_MADE, by=step.by, what=step.what, answer=result)
        case Build() | Arrange() | ReturnLots():
            pass
