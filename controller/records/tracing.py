"""OpenTelemetry traces of rounds, made from the events of a table (the extra `trace`).

`RoundTracer` makes one trace for each round. The trace has the preparation of the round's set below
and its play on top. A table with two sets prepares the next round while one is played, so two
traces can be open at once. A trace contains no name of a person and no evidence of a fault, and of
tiles only what is on the table. Events of the table are span events, with the facts that are listed
here.

`TraceOutput` writes traces: to a collector by OTLP over HTTP, or to a file as lines of OTLP in
JSON. Traces must never stop a table: an output that fails is counted, and reported at the end.
"""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, TextIO
from urllib.parse import urlsplit

from google.protobuf.json_format import MessageToDict
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import (
    BatchSpanProcessor,
    SimpleSpanProcessor,
    SpanExporter,
    SpanExportResult,
)
from opentelemetry.trace import Span, Status, StatusCode, Tracer, set_span_in_context

from controller.events import Event, EventName
from controller.events.lookups import CONFIRMED_STEPS, TRACED
from controller.run.faults.catalogue import below, on_top
from controller.run.faults.catalogue.row import FaultRow
from rules.errors import WallwrightError

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


SEND_LIMIT = 5.0
"""Largest time of a request to a collector with its retries, seconds."""
MOST_WAITING = 8192
"""Largest number of spans that wait for the collector; a round has about 150."""
_IDS = frozenset({"traceId", "spanId", "parentSpanId"})
"""Keys with bytes, which OTLP writes in hexadecimal where protobuf's JSON has base64."""


class FileExporter(SpanExporter):
    """Writes spans to a file: one OTLP message in JSON a line, as collectors read it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Write a line. Raises OSError."""
        message = MessageToDict(encode_spans(spans), use_integers_for_enums=True)
        self._stream.write(json.dumps(_with_hex_ids(message), separators=(",", ":")) + "\n")
        self._stream.flush()
        return SpanExportResult.SUCCESS


class CountingExporter(SpanExporter):
    """Passes spans to an exporter, and counts those that it did not take.

    After `stop_trying`, the first failure ends the exports, so that the end of a run does not wait
    for a collector that does not answer.
    """

    def __init__(self, exporter: SpanExporter) -> None:
        self.lost = 0
        self._exporter = exporter
        self._is_last_try = False
        self._gave_up = False

    def stop_trying(self) -> None:
        """Export the remaining spans until the first failure."""
        self._is_last_try = True

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Export spans; a failure of any kind is counted."""
        result = SpanExportResult.FAILURE
        if not self._gave_up:
            # Libraries raise errors of many kinds, and none of them may stop a table.
            with suppress(Exception):
                result = self._exporter.export(spans)
        if result is not SpanExportResult.SUCCESS:
            self._gave_up = self._is_last_try
            self.lost += len(spans)
        return result

    def shutdown(self) -> None:
        """Close the exporter."""
        self._exporter.shutdown()


class TraceOutput:
    """An open output of traces: `tracer` makes the spans of a table's events.

    `stream` is an open file; without one, `place` is the address of a collector. Raises TraceError
    for a text that is not an address.
    """

    def __init__(self, place: str, stream: TextIO | None, attributes: Attributes) -> None:
        self._place = place
        self._provider = TracerProvider(
            resource=Resource.create({"service.name": "wallwright"}), shutdown_on_exit=False
        )
        if stream is None:
            _silence_library()
            exporter = OTLPSpanExporter(address_of(place), timeout=SEND_LIMIT)
            self._counting = CountingExporter(exporter)
            processor = BatchSpanProcessor(self._counting, max_queue_size=MOST_WAITING)
            self._provider.add_span_processor(processor)
        else:
            self._counting = CountingExporter(FileExporter(stream))
            self._provider.add_span_processor(SimpleSpanProcessor(self._counting))
        self.tracer = RoundTracer(self._provider.get_tracer("wallwright"), attributes)

    @property
    def failure(self) -> str:
        """A sentence if spans were lost; empty if not."""
        lost = self._counting.lost
        if not lost:
            return ""
        return (
            f"{lost} spans of the trace could not be written to {self._place}; look whether it is"
            " there and can be reached. The table was not disturbed."
        )

    def close(self) -> None:
        """End and send all spans."""
        self.tracer.close()
        self._counting.stop_trying()
        self._provider.shutdown()


def _silence_library() -> None:
    """Keep the library from writing each failed request to standard error, with its traceback."""
    logger = logging.getLogger("opentelemetry")
    logger.addHandler(logging.NullHandler())
    logger.propagate = False


def _with_hex_ids(value: Any) -> Any:
    """The same JSON value with identifiers in hexadecimal."""
    if isinstance(value, Mapping):
        return {
            key: base64.b64decode(each).hex() if key in _IDS else _with_hex_ids(each)
            for key, each in value.items()
        }
    if isinstance(value, list):
        return [_with_hex_ids(each) for each in value]
    return value
