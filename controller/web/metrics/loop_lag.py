"""Measures how late the event loop runs a callback."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from controller.web.metrics.catalogue import LAG_LIMITS
from controller.web.metrics.distribution import Histogram

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
