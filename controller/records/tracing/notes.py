"""Events of a table that a trace has as span events, and the facts of them that it keeps.

A trace has no name of a person and no evidence of a fault, and of tiles only what is on the table.
"""

from __future__ import annotations

from collections.abc import Mapping

from controller.run.faults.catalogue import below, on_top
from controller.run.faults.catalogue.row import FaultRow

NOTED = frozenset(
    {
        "action_taken",
        "actions_taken_back",
        "board_reset",
        "chance_committed",
        "chance_revealed",
        "choice_made",
        "dice_thrown",
        "fault",
        "hand_abandoned",
        "journal_copy_repaired",
        "motor_reversed",
        "operator_prompted",
        "paused",
        "prompt_answered",
        "prompt_withdrawn",
        "protocol_broken",
        "put_away_requested",
        "ready",
        "recovered",
        "resumed",
        "run_resumed",
        "seats_drawn",
        "settled",
        "signal_failed",
        "tile_turned_up",
        "walls_raised",
    }
)
"""Names of the events that become span events."""
_TEXTS = frozenset({"board", "cause", "channel", "code", "commitment", "part", "role", "why"})
"""Keys whose texts a trace keeps; numbers are kept for every key."""


def _codes(rows: tuple[FaultRow, ...]) -> frozenset[str]:
    return frozenset(row.code for row in rows)


_PLACES = {"under": _codes(below.ROWS), "top": _codes(on_top.ROWS)}


def facts_kept(event: Mapping[str, object]) -> dict[str, str | int | float | bool]:
    """The facts of an event that a trace keeps, as attributes."""
    return {
        key: value
        for key, value in event.items()
        if key not in {"t", "event"}
        and (isinstance(value, int | float) or (isinstance(value, str) and key in _TEXTS))
    }


def activity_of(event: Mapping[str, object]) -> str:
    """The activity that an event belongs to: `under`, `top`, or empty for both."""
    code = event.get("code")
    return next((name for name, codes in _PLACES.items() if code in codes), "")
