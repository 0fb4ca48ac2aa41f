"""Writes traces: to a collector by OTLP over HTTP, or to a file as lines of OTLP in JSON.

Traces must never stop a table: an output that fails is counted, and reported at the end.
"""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, TextIO

from google.protobuf.json_format import MessageToDict
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

from controller.records.tracing.round_tracer import Attributes, RoundTracer, address_of

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

    After `stop_trying`, the first failure is the last attempt: the end of a run does not wait for a
    collector that is away.
    """

    def __init__(self, exporter: SpanExporter) -> None:
        self.lost = 0
        self._exporter = exporter
        self._is_last_try = False
        self._gave_up = False

    def stop_trying(self) -> None:
        """Send the rest, until a failure."""
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
    for an address that is none.
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
