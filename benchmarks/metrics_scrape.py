"""Measures what one scrape of a table's metrics costs."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator

from benchmarks import Row
from controller.web.metrics.readings import ApiFigures
from controller.web.metrics.table_metrics import TableMetrics
from tests.controller.service.service_at_a_table import Guests, at_a_table

TIMES = 200
LOOP_MS = 2.0
"""The goal: milliseconds of work in the event loop, as of every other request."""


def main() -> Iterator[Row]:
    """Scrape a simulated table many times during a round."""
    in_loop: list[float] = []
    in_thread: list[float] = []
    texts: list[bytes] = []

    async def scenario(guests: Guests) -> None:
        metrics = TableMetrics(guests.port)
        metrics.start()
        await guests.have("start_session", choice={"game": "wenzhou"})
        await guests.until(lambda status: status.counts.rounds == 1, limit=7200.0)
        for _ in range(TIMES):
            begun = time.perf_counter()
            encode = await metrics.scrape(ApiFigures(1, 1))
            read = time.perf_counter()
            texts.append(encode())
            in_loop.append(read - begun)
            in_thread.append(time.perf_counter() - read)
        await metrics.close()

    at_a_table(scenario)
    series = sum(not line.startswith(b"#") for line in texts[-1].splitlines())
    loop_ms = statistics.median(in_loop) * 1000
    yield Row(
        "a scrape of a table's metrics: time in the event loop (median of 200)",
        f"{loop_ms:.2f} ms",
        f"at most {LOOP_MS} ms",
        loop_ms <= LOOP_MS,
    )
    yield Row(
        "the same: time in a worker thread; series and size",
        f"{statistics.median(in_thread) * 1000:.1f} ms; {series}, {len(texts[-1]) / 1000:.0f} kB",
        "",
        None,
    )
