"""Lease timer of a board: when the present lease ends, and whether a lease has expired."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

_RESOLUTION = 1e-9
"""Seconds; timers closer together than this fire at one instant."""


class LeaseTimer:
    """Calls `expires` when a lease ends without a renewal.

    `expired` stays true until the lease is given back: an expired lease cannot be renewed.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, expires: Callable[[], None]) -> None:
        self.expired = False
        self._loop = loop
        self._expires = expires
        self._until = 0.0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def held(self) -> bool:
        return self._timer is not None

    def take(self, seconds: float) -> None:
        """Take the lease, or renew it. A renewal only moves the end; the timer stays set."""
        self._until = self._loop.time() + seconds
        if self._timer is None or self._timer.when() > self._until:
            self.end()
            self._timer = self._loop.call_at(self._until, self._due)

    def end(self) -> None:
        """End the lease; `expires` is not called."""
        self.expired = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _due(self) -> None:
        """End the lease if it was not renewed after the timer was set.

        After a stall of the loop, the timer of an earlier end can be due together with a renewal
        that comes later in the same pass. The present end is therefore checked in the next pass.
        """
        assert self._timer is not None
        if self._timer.when() < self._until - _RESOLUTION:
            self._timer = self._loop.call_at(self._until, self._due)
            return
        self._timer = None
        self.expired = True
        self._expires()
