"""Open waits and counts of recoveries, assists and pauses, computed from the event stream.

The summary, the live view and other displays of a run take these figures from here.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from controller.events import Event, EventName


@dataclass(frozen=True)
class Wait:
    """A request to a person that is still open; `since` is seconds of the table's clock."""

    code: str
    part: str
    seen: str
    please: str
    who: str
    """The first of player, dealer, attendant and technician who may clear it."""
    since: float


@dataclass(frozen=True)
class OpenPauseCause:
    """One cause of the present pause: its code (a `PauseCause.why`), its board and its channel."""

    why: str
    board: str
    channel: str
    since: float


class Incidents:
    """Figures of an event stream up to the last event: counts by code, open waits, the pause."""

    def __init__(self) -> None:
        self.recoveries: Counter[str] = Counter()
        """How often a part worked after one or more failures, by fault code."""
        self.assists: Counter[str] = Counter()
        """How often a person answered a request, by fault code."""
        self.pauses: Counter[str] = Counter()
        """Number of pauses to which each cause contributed."""
        self.paused_s = 0.0
        """Seconds in pauses that are over."""
        self.waits: tuple[Wait, ...] = ()
        """Requests that are open, oldest first."""
        self.pause: tuple[OpenPauseCause, ...] = ()
        """The causes of the present pause, oldest first; empty while the table runs."""

    def update(self, event: Event) -> None:
        """Update the figures by the next event."""
        match event:
            case {"event": EventName.RECOVERED, "code": code}:
                self.recoveries[str(code)] += 1
            case {"event": EventName.OPERATOR_PROMPTED}:
                code, part, seen, please, who = (
                    str(event[key]) for key in ("code", "part", "evidence", "request", "role")
                )
                wait = Wait(code, part, seen, please, who, since=float(str(event["t"])))
                self.waits = (*self._without(wait.code, wait.part), wait)
            case {
                "event": EventName.PROMPT_ANSWERED | EventName.PROMPT_WITHDRAWN as name,
                "code": code,
                "part": part,
            }:
                self.assists[str(code)] += name == EventName.PROMPT_ANSWERED
                self.waits = self._without(str(code), str(part))
            case {"event": EventName.PAUSED, "why": why, "board": board, "channel": channel}:
                # An emergency stop that two boards report is counted once.
                self.pauses[str(why)] += why not in {cause.why for cause in self.pause}
                cause = OpenPauseCause(str(why), str(board), str(channel), float(str(event["t"])))
                self.pause = (*self.pause, cause)
            case {"event": EventName.RESUMED, "paused_s": seconds}:
                self.paused_s += float(str(seconds))
                self.pause = ()

    def figures(self) -> dict[str, object]:
        """The counts, as the run's summary has them."""
        counts = {
            "recoveries": self.recoveries,
            "assists": self.assists,
            "pauses": self.pauses,
        }
        figures: dict[str, object] = {
            name: {code: number for code, number in sorted(counter.items()) if number}
            for name, counter in counts.items()
        }
        return {**figures, "paused_s": round(self.paused_s, 3)}

    def _without(self, code: str, part: str) -> tuple[Wait, ...]:
        return tuple(wait for wait in self.waits if (wait.code, wait.part) != (code, part))
