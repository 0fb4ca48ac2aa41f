"""Waits for what another thread, process, page or task brings about, with one limit for all tests.

A test in virtual time needs none of this: it waits for the table's events or for the clock.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable
from typing import Any

LIMIT = 120.0
"""Seconds in which an expected change has to come, also on a computer that is busy."""
LOOKS = 0.01
"""Seconds between two looks."""

Shows = str | Callable[[], object]
"""What the failure shows: a text, or what a function returns at that moment."""


def wait_until(
    reached: Callable[[], object],
    shows: Shows = "",
    *,
    limit: float = LIMIT,
    pause: Callable[[], object] = lambda: time.sleep(LOOKS),
) -> None:
    """Wait until `reached` returns a true value; raises AssertionError after `limit` seconds.

    `pause` passes the time between two looks, for example `page.wait_for_timeout`.
    """
    ends = time.monotonic() + limit
    while not reached():
        assert time.monotonic() < ends, _failure(reached, shows, limit)
        pause()


async def until(reached: Callable[[], Any], shows: Shows = "", *, limit: float = LIMIT) -> None:
    """Wait in a task as `wait_until` does. `reached` may be a coroutine function."""
    ends = time.monotonic() + limit
    while True:
        value = reached()
        if await value if inspect.isawaitable(value) else value:
            return
        assert time.monotonic() < ends, _failure(reached, shows, limit)
        await asyncio.sleep(LOOKS)


def _failure(reached: Callable[[], object], shows: Shows, limit: float) -> str:
    """A sentence with the condition as it is written in the test, and what the test shows of it."""
    try:
        condition = inspect.getsource(reached).strip()
    except OSError:
        condition = repr(reached)
    text = f"This is still false after {limit:.0f} s:\n{condition}"
    state = shows() if callable(shows) else shows
    return f"{text}\n{state}" if state else text
