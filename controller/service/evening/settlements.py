"""Settlements of a session's hands, from the journal entries of an interrupted run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from controller.events import Event
from controller.service.evening.evening_programme import ACTIVITY

if TYPE_CHECKING:
    from controller.run.journal import Entry


def settlements_of(entries: Iterable[Entry], session: str) -> dict[int, Event]:
    """The settlement of each hand of a session that the journal confirms, by hand.

    A settlement is in the form of the event `settled`.
    """
    found: dict[int, Event] = {}
    hand: int | None = None
    for entry in entries:
        if entry.activity == ACTIVITY:
            mine = entry.intent.get("session") == session
            hand = int(str(entry.intent["hand"])) if mine else None
        elif entry.activity == "play" and entry.intent.get("do") == "settle" and entry.confirmed:
            outcome: Any = entry.outcome
            if hand is not None:
                found[hand] = {"t": entry.at, "event": "settled", **outcome}
    return found
