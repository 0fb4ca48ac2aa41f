"""Events and steps in words, for the list of recent events that people read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from controller.events import Event
from controller.events.lookups import sentence_of
from controller.events.words import place_in_words, plain
from controller.service.status import RecentEvent


def in_words(event: Event) -> RecentEvent | None:
    """An event as a sentence; None for events that are too frequent to be read."""
    found = sentence_of(event)
    if found is None:
        return None
    text, kind = found
    return RecentEvent(at=round(float(str(event["t"])), 3), text=text, kind=kind)


def step_in_words(step: Mapping[str, object]) -> str:
    """A step of the set-up in words, from its facts."""
    facts: dict[str, Any] = dict(step)
    match facts:
        case {"step": "throw", "by": by, "why": why}:
            return f"Seat {by} throws: {why}"
        case {"step": "choose", "by": by, "what": what}:
            return f"Seat {by} chooses: {plain(what)}"
        case {"step": "arrange", "verb": verb}:
            return f"The pile is cut: {plain(verb)}"
        case {"step": "packet", "seat": seat}:
            return f"Tiles are dealt to seat {seat}"
        case {"step": "replace", "seat": seat}:
            return f"Seat {seat} gets a replacement"
        case {"step": "turn_up", "at": at}:
            return f"A tile is turned up: {place_in_words(at)}"
        case {"step": "lot", "seat": seat}:
            return f"Seat {seat} draws a lot"
        case {"step": "return_lots"}:
            return "The lots go back"
    return ""
