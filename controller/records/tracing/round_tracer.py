"""Turns the events of a table into traces, one for each round.

The trace of a round has the preparation of its set below and its play on top. A table with two sets
prepares the next round while one is played, so two traces can be open at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from opentelemetry.trace import Tracer

from controller.events import Event, EventName
from controller.events.lookups import CONFIRMED_STEPS, TRACED
from controller.records.tracing.round_trace import (
    Attributes,
    RoundTrace,
    activity_of,
    facts_kept,
)

UNDER = frozenset({"gathering", "shuffling", "building", "staged"})
TOP = frozenset(
    {
        *("raising", "throwing", "cutting", "dealing", "turning", "replacing"),
        *("playing", "collecting"),
    }
)
"""Phases of both activities; a test compares them with the state machine."""
HELD = frozenset({"paused", "servicing"})
"""States during which phases continue."""


class RoundTracer:
    """A listener of events. `attributes` are those of every round, such as the table's name.

    Times are those of the table's clock, which begins at the present time of the computer. In a
    simulation that is faster than real time, a trace therefore ends in the future.
    """

    def __init__(self, tracer: Tracer, attributes: Attributes) -> None:
        self._tracer = tracer
        self._attributes = attributes
        self._began: float | None = None
        """Seconds since 1970 at the zero of the table's clock."""
        self._number = 0
        self._next: RoundTrace | None = None
        """The round whose set is prepared below."""
        self._staged: RoundTrace | None = None
        """The round whose set waits in the trays while the one after it is prepared."""
        self._present: RoundTrace | None = None
        """The round on top."""
        self._last = 0.0

    def on_event(self, event: Event) -> None:
        """Take an event of the table."""
        at = float(str(event["t"]))
        if self._began is None or at < self._last:  # the first event, or the clock of another run
            self._end_all(self._last, "")
            self._began = datetime.now(UTC).timestamp() - at
        self._last = at
        match event:
            case {"event": EventName.STATE, "under": str(under), "top": str(top)}:
                self._enter(under, top, at)
            case {"event": EventName.STEP, "step": str(name)}:
                self._step(name, event, at)
            case {"event": EventName.MOVE, "move": str(name)}:
                if self._present is not None:
                    self._present.move(name, at, _counted(event, "tiles"))
            case {"event": EventName.FAULT, "code": code, "part": part}:
                self._note(event, at)
                self._end_all(at, f"{code} at {part}")
            case {"event": EventName.SUMMARY}:
                self.close()
            case _:
                self._take(event, at)

    def close(self) -> None:
        """End all spans at the time of the last event."""
        self._end_all(self._last, "")

    def _take(self, event: Event, at: float) -> None:
        if event["event"] in TRACED:
            self._note(event, at)
        if event["event"] in CONFIRMED_STEPS and self._present is not None:
            self._present.end_step(at)

    def _step(self, name: str, event: Event, at: float) -> None:
        if self._present is not None:
            facts = {key: value for key, value in event.items() if key != "step"}
            self._present.step(name, at, {**facts_kept(facts), **_counted(event, "from")})

    def _enter(self, under: str, top: str, at: float) -> None:
        if under == top:
            if under not in HELD:
                self._end_all(at, "")
            return
        self._enter_under(under, at)
        self._enter_top(top, at)

    def _enter_under(self, phase: str, at: float) -> None:
        if self._present is not None and phase != "staged":
            self._present.leave("under", at)  # its set has left the trays
        if self._next is not None and self._next.phase("under") == "staged" != phase:
            self._next.leave("under", at)
            self._staged, self._next = self._next, None
        if phase in UNDER:
            if self._next is None:
                self._next = self._begun(at)
            self._next.enter("under", phase, at)

    def _enter_top(self, phase: str, at: float) -> None:
        if phase not in TOP:
            self._leave_top(at)
        elif phase == "collecting" and self._present is None:
            # Tiles of an earlier run are collected; they belong to the next set.
            self._next = self._next or self._begun(at)
            self._next.enter("top", phase, at)
        else:
            if self._present is None or phase == "raising" != self._present.phase("top"):
                self._raise(at)
            self._present = self._present or self._begun(at)
            self._present.enter("top", phase, at)

    def _leave_top(self, at: float) -> None:
        """The top of the table is clear: the round is over."""
        if self._present is not None:
            self._present.end(at)
            self._present = None
        elif self._next is not None:
            self._next.leave("top", at)

    def _raise(self, at: float) -> None:
        """The oldest prepared round comes to the top."""
        if self._present is not None:
            self._present.end(at)
        if self._staged is not None:
            self._present, self._staged = self._staged, None
        else:
            self._present, self._next = self._next, None

    def _begun(self, at: float) -> RoundTrace:
        self._number += 1
        attributes = {**self._attributes, "wallwright.round": self._number}
        return RoundTrace(self._tracer, self._moment, at, attributes)

    def _note(self, event: Event, at: float) -> None:
        """Add a span event to the round of its activity, or to all open rounds."""
        activity, name = activity_of(event), str(event["event"])
        its_round = {"under": self._next, "top": self._present}.get(activity)
        for each in [its_round] if its_round else self._rounds():
            each.note(activity, name, at, facts_kept(event))

    def _rounds(self) -> list[RoundTrace]:
        return [each for each in (self._present, self._staged, self._next) if each is not None]

    def _end_all(self, at: float, failure: str) -> None:
        for each in self._rounds():
            each.end(at, failure)
        self._present = self._staged = self._next = None

    def _moment(self, at: float) -> int:
        return round(((self._began or 0.0) + at) * 1e9)


def _counted(event: Mapping[str, object], key: str) -> dict[str, int]:
    """The number of tiles of a step or a move; a trace has no tile and no place."""
    value = event.get(key)
    return {"tiles": len(value)} if isinstance(value, list | tuple) else {}
