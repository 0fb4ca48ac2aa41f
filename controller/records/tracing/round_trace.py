"""The spans of one round: its two activities, their phases, and on top steps and moves.

A trace contains no name of a person and no evidence of a fault, and of tiles only what is on the
table. Events of the table are span events, with the facts that are listed here. A trace goes to a
file or to the address of a collector.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from opentelemetry.context import Context
from opentelemetry.trace import Span, Status, StatusCode, Tracer, set_span_in_context

from controller.run.faults.catalogue import below, on_top
from controller.run.faults.catalogue.row import FaultRow
from rules.errors import WallwrightError

Attributes = Mapping[str, str | int | float | bool]
Moment = Callable[[float], int]
"""Nanoseconds since 1970 of a time of the table's clock, in seconds."""


class RoundTrace:
    """The open spans of a round. All times are seconds of the table's clock.

    Spans are nested: the round, an activity, a phase, and on top a step and a move. A span begins
    when its event says so, and ends with the next one of its level or of a level above.
    """

    def __init__(self, tracer: Tracer, moment: Moment, at: float, attributes: Attributes) -> None:
        self._tracer = tracer
        self._moment = moment
        self._root = tracer.start_span(
            "round", Context(), attributes=dict(attributes), start_time=moment(at)
        )
        self._open: dict[str, list[Span]] = {"under": [], "top": []}
        self._phases = {"under": "", "top": ""}

    def phase(self, activity: str) -> str:
        """The present phase of an activity; empty without one."""
        return self._phases[activity]

    def enter(self, activity: str, phase: str, at: float) -> None:
        """Begin a phase of an activity; the same phase goes on."""
        if phase == self._phases[activity]:
            return
        spans = self._open[activity]
        if not spans:
            self._begin(activity, activity, at, {})
        self._close(activity, 1, at)
        self._begin(activity, phase, at, {})
        self._phases[activity] = phase

    def leave(self, activity: str, at: float) -> None:
        """End an activity with its phase."""
        self._close(activity, 0, at)
        self._phases[activity] = ""

    def step(self, name: str, at: float, attributes: Attributes) -> None:
        """Begin a step of the set-up in the present phase on top."""
        if self._phases["top"]:
            self._close("top", 2, at)
            self._begin("top", f"step {name}", at, attributes)

    def end_step(self, at: float) -> None:
        """End the step in progress, with its move."""
        self._close("top", 2, at)

    def move(self, name: str, at: float, attributes: Attributes) -> None:
        """Begin a move of the step in progress."""
        if len(self._open["top"]) > 2:
            self._close("top", 3, at)
            self._begin("top", f"move {name}", at, attributes)

    def note(self, activity: str, name: str, at: float, attributes: Attributes) -> None:
        """Add an event to the innermost span of an activity; to the round without one."""
        spans = self._open.get(activity) or [self._root]
        spans[-1].add_event(name, dict(attributes), self._moment(at))

    def end(self, at: float, failure: str = "") -> None:
        """End all spans; `failure` says why the round did not end in order."""
        for activity in self._open:
            self._close(activity, 0, at)
        if failure:
            self._root.set_status(Status(StatusCode.ERROR, failure))
        self._root.end(self._moment(at))

    def _begin(self, activity: str, name: str, at: float, attributes: Attributes) -> None:
        spans = self._open[activity]
        above = set_span_in_context(spans[-1] if spans else self._root, Context())
        spans.append(
            self._tracer.start_span(
                name, above, attributes=dict(attributes), start_time=self._moment(at)
            )
        )

    def _close(self, activity: str, level: int, at: float) -> None:
        """End the spans of an activity from a level on, innermost first."""
        spans = self._open[activity]
        while len(spans) > level:
            spans.pop().end(self._moment(at))


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


class TraceError(WallwrightError):
    """An output of traces that cannot be used, or a package that is missing."""


PATH = "/v1/traces"
"""Path of a collector, if the address has none."""


def is_address(place: str) -> bool:
    """Whether a place is the address of a collector, and not a file."""
    return "://" in place


def address_of(place: str) -> str:
    """The address of a collector with its path. Raises TraceError."""
    try:
        parts = urlsplit(place)
        is_complete = parts.scheme in {"http", "https"} and bool(parts.hostname)
        _ = parts.port  # raises ValueError for a port that is not a number
    except ValueError:
        is_complete = False
    if not is_complete:
        raise TraceError(
            "`--trace` must be a file or the address of a collector, such as"
            f" http://127.0.0.1:4318; got '{place}'."
        )
    return parts._replace(path=PATH).geturl() if parts.path in {"", "/"} else place
