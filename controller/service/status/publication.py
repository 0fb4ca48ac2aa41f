"""Publishes the status a moment after a change, so that many changes become one delta."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from controller.service.status import Status
from controller.service.status.feed import StatusFeed

PUBLISH_AFTER = 0.02
"""Seconds for which changes are collected before the status is published."""


class Publication:
    """The publication of one status; `build` returns the present one."""

    def __init__(self, build: Callable[[], Status], clock: Callable[[], float]) -> None:
        self.feed = StatusFeed(build(), clock)
        self._build = build
        self._loop = asyncio.get_running_loop()
        self._waiting: asyncio.TimerHandle | None = None

    def changed(self) -> None:
        """Publish the status soon."""
        if self._waiting is None:
            self._waiting = self._loop.call_later(PUBLISH_AFTER, self._publish)

    def close(self) -> None:
        """Publish the last status; later changes are not published."""
        if self._waiting is not None:
            self._waiting.cancel()
        self._publish()

    def _publish(self) -> None:
        self._waiting = None
        self.feed.publish(self._build())
