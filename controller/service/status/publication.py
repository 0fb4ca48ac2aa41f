"""Publishes the status a moment after a change, so that many changes become one delta."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from controller.service.status import Status
from controller.service.status.feed import StatusFeed

PUBLISH_AFTER = 0.02
"""Real seconds for which changes are collected before the status is published."""


class Publication:
    """The publication of one status; `build` returns the present one.

    `pace` is the number of seconds of the event loop's clock in a real second. A simulated table at
    high speed therefore publishes as often as a real one, and not more often than people can see.
    """

    def __init__(
        self, build: Callable[[], Status], clock: Callable[[], float], pace: float = 1.0
    ) -> None:
        self._after = PUBLISH_AFTER * pace
        self.feed = StatusFeed(build(), clock)
        self._build = build
        self._loop = asyncio.get_running_loop()
        self._waiting: asyncio.TimerHandle | None = None

    def changed(self) -> None:
        """Publish the status soon."""
        if self._waiting is None:
            self._waiting = self._loop.call_later(self._after, self._publish)

    def close(self) -> None:
        """Publish the last status; later changes are not published."""
        if self._waiting is not None:
            self._waiting.cancel()
        self._publish()

    def _publish(self) -> None:
        self._waiting = None
        self.feed.publish(self._build())
