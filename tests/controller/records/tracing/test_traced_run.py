"""`--trace`: rounds of a table as OpenTelemetry traces in a file or at a collector."""

from __future__ import annotations

import json
import sys
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from controller.cli import main

RUN = ("run", "--seed", "3", "--play", "--rounds", "2")
Span = dict[str, Any]


def spans_in(file: Path) -> list[Span]:
    """Return the spans of a file with OTLP messages."""
    return [
        span
        for line in file.read_text("utf-8").splitlines()
        for resource in json.loads(line)["resourceSpans"]
        for scope in resource["scopeSpans"]
        for span in scope["spans"]
    ]


def times(span: Span) -> tuple[int, int]:
    return int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"])


def attributes_of(span: Span) -> dict[str, Any]:
    return {each["key"]: next(iter(each["value"].values())) for each in span["attributes"]}


@contextmanager
def collector(status: int = 200) -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    """A collector on this computer: its address, and the path and body of each request."""
    requests: list[tuple[str, bytes]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            size = int(self.headers["Content-Length"])
            requests.append((self.path, self.rfile.read(size)))
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", requests
    finally:
        server.shutdown()
        thread.join(5.0)
        server.server_close()


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Span], list[dict[str, Any]]]:
    """The spans and the events of a run of two rounds."""
    folder = tmp_path_factory.mktemp("traced")
    trace, events = folder / "trace.jsonl", folder / "events.jsonl"
    assert main([*RUN, "--trace", str(trace), "--events", str(events)]) == 0
    return spans_in(trace), [json.loads(line) for line in events.read_text().splitlines()]


@pytest.mark.slow
def test_every_span_is_inside_the_span_above_it(
    traced: tuple[list[Span], list[dict[str, Any]]],
) -> None:
    spans, _ = traced
    by_id = {span["spanId"]: span for span in spans}
    assert len(by_id) == len(spans) > 100
    for span in spans:
        assert len(span["traceId"]) == 32
        assert len(span["spanId"]) == 16
        begins, ends = times(span)
        assert begins <= ends
        if span["name"] == "round":
            assert "parentSpanId" not in span
            continue
        above = by_id[span["parentSpanId"]]
        assert above["traceId"] == span["traceId"]
        assert times(above)[0] <= begins
        assert ends <= times(above)[1]


@pytest.mark.slow
def test_each_round_is_one_trace_with_preparation_and_play(
    traced: tuple[list[Span], list[dict[str, Any]]],
) -> None:
    spans, events = traced
    names: dict[str, set[str]] = defaultdict(set)
    for span in spans:
        names[span["traceId"]].add(span["name"])
    played = [found for found in names.values() if "playing" in found]
    assert len(played) == 2
    for found in played:
        assert {"under", "shuffling", "building", "top", "raising", "dealing"} <= found
    rounds = [attributes_of(span) for span in spans if span["name"] == "round"]
    assert {(each["wallwright.table"], each["wallwright.game"]) for each in rounds} == {
        ("robotic", "wenzhou")
    }
    steps = sum(event["event"] == "step" for event in events)
    assert sum(span["name"].startswith("step ") for span in spans) == steps


@pytest.mark.slow
def test_durations_are_those_of_the_tables_clock(
    traced: tuple[list[Span], list[dict[str, Any]]],
) -> None:
    spans, events = traced
    moments: dict[tuple[str, str], float] = {}
    for event in events:
        if event["event"] == "state":
            moments.setdefault((event["under"], event["top"]), event["t"])
    begins = moments["shuffling", "clear"]
    ends = moments["building", "clear"]
    durations = {
        round((times(span)[1] - times(span)[0]) / 1e9, 3)
        for span in spans
        if span["name"] == "shuffling"
    }
    assert round(ends - begins, 3) in durations


@pytest.mark.slow
def test_a_trace_changes_nothing_in_the_events_of_a_run(tmp_path: Path) -> None:
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    options = ("run", "--seed", "5", "--until", "ready")
    assert main([*options, "--events", str(one)]) == 0
    assert main([*options, "--events", str(two), "--trace", str(tmp_path / "trace")]) == 0
    assert one.read_text().splitlines()[:-1] == two.read_text().splitlines()[:-1]


@pytest.mark.slow
def test_a_collector_gets_the_spans_at_its_usual_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "trace.jsonl"
    monkeypatch.setattr("controller.records.tracing.SEND_LIMIT", 60.0)
    options = ("run", "--seed", "3", "--until", "ready")
    assert main([*options, "--trace", str(file)]) == 0
    with collector() as (address, requests):
        assert main([*options, "--trace", address]) == 0
    assert {path for path, _ in requests} == {"/v1/traces"}
    names: list[str] = []
    for _, body in requests:
        message = ExportTraceServiceRequest.FromString(body)
        for resource in message.resource_spans:
            facts = {each.key: each.value.string_value for each in resource.resource.attributes}
            assert facts["service.name"] == "wallwright"
            names += [span.name for scope in resource.scope_spans for span in scope.spans]
    assert sorted(names) == sorted(span["name"] for span in spans_in(file))


@pytest.mark.parametrize("is_there", [True, False])
def test_a_collector_that_fails_is_named_and_the_round_is_dealt(
    is_there: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.records.tracing.SEND_LIMIT", 0.3)
    with collector(status=400) as (address, _):
        wanted = address if is_there else "http://127.0.0.1:9"
        assert main(["run", "--until", "ready", "--trace", wanted]) == 0
    printed = capsys.readouterr()
    assert "71 tiles left" in printed.out
    assert f"spans of the trace could not be written to {wanted}" in printed.err
    assert "Traceback" not in printed.err
    assert len(printed.err.splitlines()) == 1


def test_a_full_disk_does_not_stop_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--until", "ready", "--trace", "/dev/full"]) == 0
    printed = capsys.readouterr()
    assert "71 tiles left" in printed.out
    assert "spans of the trace could not be written to /dev/full" in printed.err


def test_the_error_without_the_packages_names_the_extra(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    monkeypatch.delitem(sys.modules, "controller.records.tracing", raising=False)
    assert main(["run", "--trace", str(tmp_path / "trace.jsonl")]) == 2
    assert "pip install 'wallwright[trace]'" in capsys.readouterr().err
    assert not (tmp_path / "trace.jsonl").exists()


def test_an_earlier_trace_is_not_overwritten(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "trace.jsonl"
    file.write_text("kept\n")
    assert main(["run", "--trace", str(file)]) == 2
    assert "exists and is not overwritten; name another file with --trace" in (
        capsys.readouterr().err
    )
    assert file.read_text() == "kept\n"
