"""Counts what the events of a table report, since the service started.

It also measures how long states and phases last, from the times of the events.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from controller.events import Event, EventName
from controller.events.counts import EventCounts
from controller.web.metrics.catalogue import (
    ASSIST_LIMITS,
    CYCLE_LIMITS,
    GOING,
    HELD,
    MODES,
    PHASE_LIMITS,
    PHASES,
    Histogram,
)


class StateTimes:
    """Seconds in each state. Times are seconds of the table's clock."""

    def __init__(self, state: str, at: float) -> None:
        self.state = state
        self._since = at
        self._seconds: Counter[str] = Counter()

    def enter(self, state: str, at: float) -> None:
        """Note that this state has begun."""
        self._seconds[self.state] += max(0.0, at - self._since)  # type: ignore[assignment]
        self.state, self._since = state, at

    def seconds(self, now: float) -> Mapping[str, float]:
        """The seconds in each state so far, with the present one."""
        return {**self._seconds, self.state: self._seconds[self.state] + now - self._since}


class _Activity:
    """The phases of one activity; a cycle is from the phase `first` to the phase `last`."""

    def __init__(self, name: str, first: str, last: str) -> None:
        self.phase = ""
        """The present phase; empty if there is none."""
        self.phases = {phase: Histogram(PHASE_LIMITS) for phase in PHASES[name]}
        self.cycles = Histogram(CYCLE_LIMITS)
        self._first, self._last = first, last
        self._seconds = 0.0
        self._cycle: float | None = None

    def pass_time(self, seconds: float) -> None:
        """Add time without a pause."""
        self._seconds += seconds
        if self._cycle is not None:
            self._cycle += seconds

    def enter(self, phase: str) -> None:
        """Note the phase that the event reports; the same phase continues."""
        if phase == self.phase:
            return
        if self.phase:
            self.phases[self.phase].add(self._seconds)
        if phase == self._last and self._cycle is not None:
            self.cycles.add(self._cycle)
            self._cycle = None
        if phase == self._first:
            self._cycle = 0.0
        self.phase, self._seconds = phase, 0.0

    def drop(self) -> None:
        """Forget the phase and the cycle: a run that ended did not complete them."""
        self.phase, self._cycle = "", None


class PhaseTimes:
    """The modes and the phases of the machine, from its events `state`."""

    def __init__(self, at: float) -> None:
        self.modes = StateTimes("offline", at)
        self.activities = {
            "under": _Activity("under", "shuffling", "staged"),
            "top": _Activity("top", "raising", "playing"),
        }
        self._last = at

    def update(self, at: float, under: str, top: str) -> None:
        """Take an event `state`."""
        if self.modes.state == GOING:
            for activity in self.activities.values():
                activity.pass_time(max(0.0, at - self._last))
        self._last = at
        mode = under if under == top and under in MODES else GOING
        self.modes.enter(mode, at)
        if mode == GOING:
            for name, phase in (("under", under), ("top", top)):
                if phase in PHASES[name]:
                    self.activities[name].enter(phase)
        elif mode not in HELD:
            self._drop()

    def end_run(self, at: float) -> None:
        """Take the end of a run, which no event reports."""
        self._last = at
        self.modes.enter("offline", at)
        self._drop()

    def _drop(self) -> None:
        for activity in self.activities.values():
            activity.drop()


class Observation:
    """The counts of one table. `at` is the time of its clock when the observation begins."""

    def __init__(self, service_state: str, at: float) -> None:
        self.service = StateTimes(service_state, at)
        """Times in the states of the service."""
        self.machine = PhaseTimes(at)
        self.counts = EventCounts()
        """What the events have reported since then."""
        self.assists = Histogram(ASSIST_LIMITS)
        """Times from a prompt about a fault to its answer."""
        self.scrapes = 0

    def on_event(self, event: Event) -> None:
        """Take an event of the table."""
        before, self.counts = self.counts, self.counts.after(event)
        if self.counts.assists > before.assists:
            self.assists.add(self.counts.last_assist_s)
        match event:
            case {"event": EventName.STATE, "under": str(under), "top": str(top)}:
                self.machine.update(float(str(event["t"])), under, top)
