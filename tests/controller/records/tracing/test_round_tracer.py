"""Traces of rounds: each event of a table is in the span of its time, and of its round."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from controller.records import tracing
from controller.records.tracing import RoundTracer
from controller.web.metrics.catalogue import HELD, PHASES

FIRST_SET = (
    (1.0, "idle", "collecting"),
    (1.0, "gathering", "collecting"),
    (5.0, "gathering", "clear"),
    (6.0, "shuffling", "clear"),
    (20.0, "building", "clear"),
    (30.0, "staged", "clear"),
    (31.0, "staged", "raising"),
    (33.0, "idle", "raising"),
    (34.0, "idle", "dealing"),
)
SECOND_SET = (
    (50.0, "idle", "playing"),
    (51.0, "gathering", "playing"),
    (52.0, "shuffling", "playing"),
    (60.0, "staged", "playing"),
    (70.0, "staged", "collecting"),
    (71.0, "gathering", "collecting"),
    (75.0, "shuffling", "collecting"),
    (76.0, "shuffling", "clear"),
    (77.0, "shuffling", "raising"),
    (80.0, "building", "dealing"),
)


class Table:
    """A table that emits events, and the spans of its traces."""

    def __init__(self) -> None:
        self._exporter = InMemorySpanExporter()
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        self.tracer = RoundTracer(provider.get_tracer("test"), {"wallwright.table": "bench"})
        self.now = 0.0

    def emit(self, event: str, now: float | None = None, **facts: object) -> None:
        self.now = self.now if now is None else now
        self.tracer.on_event({"t": self.now, "event": event, **facts})

    def states(self, *states: tuple[float, str, str]) -> None:
        for at, under, top in states:
            self.emit("state", at, under=under, top=top)

    @property
    def spans(self) -> list[ReadableSpan]:
        return list(self._exporter.get_finished_spans())

    def named(self, name: str) -> list[ReadableSpan]:
        return [span for span in self.spans if span.name == name]

    def one(self, name: str) -> ReadableSpan:
        (span,) = self.named(name)
        return span

    def path(self, span: ReadableSpan) -> list[str]:
        """The names of a span and of those above it, outermost first."""
        by_id = {each.context.span_id: each for each in self.spans if each.context}
        names = [span.name]
        while span.parent is not None:
            span = by_id[span.parent.span_id]
            names.insert(0, span.name)
        return names

    def times(self, span: ReadableSpan) -> tuple[float, float]:
        """Beginning and end of a span, as seconds of the table's clock."""
        assert span.start_time is not None
        assert span.end_time is not None
        began = self.tracer._began
        assert began is not None
        return (
            round(span.start_time / 1e9 - began, 3),
            round(span.end_time / 1e9 - began, 3),
        )


@pytest.fixture
def table() -> Iterator[Table]:
    table = Table()
    yield table
    table.tracer.close()


def test_a_round_has_its_preparation_below_and_its_play_on_top(table: Table) -> None:
    table.states(*FIRST_SET, (50.0, "idle", "playing"), (90.0, "stopped", "stopped"))
    assert [table.path(span) for span in table.spans if span.name != "round"] == [
        ["round", "top", "collecting"],
        ["round", "top"],
        ["round", "under", "gathering"],
        ["round", "under", "shuffling"],
        ["round", "under", "building"],
        ["round", "under", "staged"],
        ["round", "under"],
        ["round", "top", "raising"],
        ["round", "top", "dealing"],
        ["round", "top", "playing"],
        ["round", "top"],
    ]
    assert len({span.context.trace_id for span in table.spans if span.context}) == 1
    assert table.times(table.one("round")) == (1.0, 90.0)
    assert table.times(table.one("shuffling")) == (6.0, 20.0)
    assert table.times(table.one("staged")) == (30.0, 33.0)
    assert table.times(table.one("dealing")) == (34.0, 50.0)
    assert table.one("round").attributes == {"wallwright.table": "bench", "wallwright.round": 1}


def test_a_set_that_is_prepared_during_play_belongs_to_the_next_round(table: Table) -> None:
    table.states(*FIRST_SET, *SECOND_SET, (90.0, "stopped", "stopped"))
    rounds = {
        span.context.trace_id: table.times(span) for span in table.named("round") if span.context
    }
    assert list(rounds.values()) == [(1.0, 76.0), (51.0, 90.0), (71.0, 90.0)]
    first, second, third = rounds
    where = {
        (span.name, table.times(span)): span.context.trace_id
        for span in table.spans
        if span.context
    }
    assert where["collecting", (1.0, 5.0)] == first
    assert where["playing", (50.0, 70.0)] == first
    assert where["collecting", (70.0, 76.0)] == first
    assert where["staged", (60.0, 71.0)] == second
    assert where["raising", (77.0, 80.0)] == second
    assert where["shuffling", (75.0, 80.0)] == third


def test_steps_and_moves_are_inside_their_phase(table: Table) -> None:
    table.states(*FIRST_SET)
    table.emit("step", 35.0, step="packet", seat=2, **{"from": ["w0.1u", "w0.1l"]})
    table.emit("move", 35.0, move="carry", tiles=["w0.1u"])
    table.emit("move", 36.0, move="carry", tiles=["w0.1l"])
    table.emit("delivered", 37.5, seat=2)
    table.emit("step", 38.0, step="throw", by=1, dice=2)
    table.states((40.0, "idle", "playing"), (41.0, "stopped", "stopped"))
    packet = table.one("step packet")
    assert table.path(packet) == ["round", "top", "dealing", "step packet"]
    assert table.times(packet) == (35.0, 37.5)
    assert packet.attributes == {"seat": 2, "tiles": 2}
    assert [table.times(move) for move in table.named("move carry")] == [
        (35.0, 36.0),
        (36.0, 37.5),
    ]
    assert table.path(table.named("move carry")[0])[-2:] == ["step packet", "move carry"]
    assert table.times(table.one("step throw")) == (38.0, 40.0)


def test_a_pause_is_an_event_and_the_phase_goes_on_after_it(table: Table) -> None:
    table.states(*FIRST_SET)
    table.emit("paused", 36.0, why="EMERGENCY_STOP", board="base", channel="emergency")
    table.states((36.0, "paused", "paused"), (38.0, "servicing", "servicing"))
    table.emit("resumed", 40.0, paused_s=4.0)
    table.states((40.0, "idle", "dealing"), (50.0, "stopped", "stopped"))
    assert table.times(table.one("dealing")) == (34.0, 50.0)
    events = table.one("round").events
    assert [event.name for event in events] == ["paused", "resumed"]
    assert events[0].attributes == {
        "why": "EMERGENCY_STOP",
        "board": "base",
        "channel": "emergency",
    }
    assert events[1].attributes == {"paused_s": 4.0}


def test_a_retry_is_an_event_of_the_phase_in_which_it_happened(table: Table) -> None:
    table.states(*FIRST_SET, *SECOND_SET[:3])
    table.emit("recovered", 53.0, code="JAM", part="head 2", attempt=2)
    table.emit("recovered", 54.0, code="EMPTY_GRIP", part="gantry", attempt=1)
    table.states((60.0, "staged", "playing"), (90.0, "stopped", "stopped"))
    shuffling = table.named("shuffling")[1]
    assert [event.attributes for event in shuffling.events] == [
        {"code": "JAM", "part": "head 2", "attempt": 2}
    ]
    assert [event.attributes for event in table.one("playing").events] == [
        {"code": "EMPTY_GRIP", "part": "gantry", "attempt": 1}
    ]


def test_a_fault_ends_the_round_as_an_error(table: Table) -> None:
    table.states(*FIRST_SET)
    table.emit("fault", 36.0, code="LIFT", part="lift 2", evidence="no signal")
    table.states((36.0, "fault", "fault"))
    whole = table.one("round")
    assert (whole.status.status_code.name, whole.status.description) == ("ERROR", "LIFT at lift 2")
    assert table.times(whole)[1] == 36.0


def test_a_trace_has_no_name_of_a_person_no_evidence_and_no_tile(table: Table) -> None:
    table.states(*FIRST_SET, (50.0, "idle", "playing"))
    table.emit("actions_taken_back", do="take back", acts=2, by="Ann", reason="wrong tile")
    table.emit("tile_turned_up", at="w3.8u", tile="4p", by=3)
    table.emit("operator_prompted", code="JAM", part="head 2", evidence="secret", role="attendant")
    table.emit("action_taken", seat=0, do="discard 1z")
    table.emit("tiles_revealed", when="ready", hands={"0": ["9s"]})
    table.tracer.close()
    text = "".join(span.to_json() for span in table.spans)
    assert '"attendant"' in text
    for hidden in ("Ann", "wrong tile", "4p", "secret", "1z", "9s", "w3.8u"):
        assert hidden not in text


def test_times_are_those_of_the_computer_at_the_first_event(table: Table) -> None:
    before = datetime.now(UTC).timestamp()
    table.states((0.0, "testing", "testing"), *FIRST_SET, (50.0, "stopped", "stopped"))
    after = datetime.now(UTC).timestamp()
    assert table.tracer._began is not None
    assert before <= table.tracer._began <= after
    assert table.times(table.one("round"))[0] == 1.0


def test_the_clock_of_another_run_begins_another_trace(table: Table) -> None:
    table.states(*FIRST_SET)
    table.emit("run_started", 0.0)
    assert table.named("round"), "the round of the earlier run has ended"
    table.states((3.0, "gathering", "clear"), (4.0, "stopped", "stopped"))
    assert table.times(table.named("round")[1]) == (3.0, 4.0)


def test_a_resumed_run_begins_in_the_middle_of_a_round(table: Table) -> None:
    table.emit("run_resumed", 100.0, entries=13)
    table.states((101.0, "idle", "dealing"))
    table.emit("step", 101.0, step="packet", seat=0)
    table.states((110.0, "idle", "playing"), (120.0, "idle", "clear"))
    assert table.times(table.one("round")) == (101.0, 120.0)
    assert table.times(table.one("step packet")) == (101.0, 110.0)


def test_moves_and_results_without_a_round_are_ignored(table: Table) -> None:
    table.emit("move", 1.0, move="carry")
    table.emit("step", 1.0, step="throw")
    table.emit("dice_thrown", 1.0, by=0)
    table.emit("summary", 2.0)
    assert table.spans == []


def test_all_states_of_the_machine_are_phases_or_mean_that_nothing_happens() -> None:
    assert {*tracing.UNDER, "idle"} == set(PHASES["under"])
    assert {*tracing.TOP, "clear"} == set(PHASES["top"])
    assert set(HELD) == tracing.HELD
