"""The metrics of one table's service: follows it, and makes the text for a scrape.

It also measures how late the event loop runs a callback.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from controller.events import Event
from controller.run.run_together import end_task
from controller.service.port import TablePort
from controller.service.status.feed import Delta
from controller.web.metrics.catalogue import LAG_LIMITS, Histogram
from controller.web.metrics.readings import (
    ApiFigures,
    Observation,
    Sample,
    computer_figures,
    computer_readings,
    readings,
)

PERIOD = 0.25
"""Real seconds between two measurements."""


class LoopLag:
    """The lags of the running loop, from `run`.

    `pace` is the number of seconds of the loop's clock in a real second. `clock` returns real
    seconds.
    """

    def __init__(self, pace: float = 1.0, clock: Callable[[], float] = time.perf_counter) -> None:
        self.lags = Histogram(LAG_LIMITS)
        self._pace = pace
        self._clock = clock

    async def run(self) -> None:
        """Measure until the task is cancelled."""
        while True:
            due = self._clock() + PERIOD
            await asyncio.sleep(PERIOD * self._pace)
            self.lags.add(max(0.0, self._clock() - due))


class TableMetrics:
    """Observes a service from `start` to `close`.

    `data` is the folder whose disk is measured, None without one. `pace` is the number of seconds
    of the event loop's clock in a real second.
    """

    def __init__(self, service: TablePort, data: Path | None = None, pace: float = 1.0) -> None:
        self._service = service
        self._data = data
        self._seen = Observation(service.feed.status.service.state, service.feed.snapshot().at)
        self._lag = LoopLag(pace)
        self._measuring: asyncio.Task[None] | None = None
        self._ends: list[Callable[[], None]] = []

    def start(self) -> None:
        """Follow the events and the status from now on."""
        self._ends = [self._service.listen(self._on_event), self._service.feed.follow(self._follow)]
        self._measuring = asyncio.get_running_loop().create_task(self._lag.run())

    async def close(self) -> None:
        """Stop following the table."""
        for end in self._ends:
            end()
        self._ends = []
        if self._measuring is not None:
            await end_task(self._measuring)
            self._measuring = None

    async def scrape(self, api: ApiFigures) -> Callable[[], bytes]:
        """A function that makes the text of the present values; it may run in any thread."""
        self._seen.scrapes += 1
        return partial(_text, self._samples(api), self._data)

    def _samples(self, api: ApiFigures) -> tuple[Sample, ...]:
        feed = self._service.feed
        return readings(
            feed.status,
            feed.snapshot().at,
            self._seen,
            self._service.figures(),
            self._lag.lags.distribution,
            api,
        )

    def _on_event(self, event: Event) -> None:
        self._seen.on_event(event)

    def _follow(self, delta: Delta) -> None:
        status = self._service.feed.status
        if status.service.state != self._seen.service.state:
            self._seen.service.enter(status.service.state, delta.at)
        machine = self._seen.machine
        if status.machine.mode == "offline" and machine.modes.state != "offline":
            machine.end_run(delta.at)


def _text(samples: tuple[Sample, ...], data: Path | None) -> bytes:
    from controller.web.metrics.exposition import exposition  # noqa: PLC0415 - only when asked for

    return exposition((*samples, *computer_readings(computer_figures(data))))
