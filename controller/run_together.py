"""Runs coroutines side by side; the first failure cancels the others, and no failure is lost.

`asyncio.gather` is not used for work that drives motors: after a failure it lets the other
coroutines continue, which would then retry and prompt people on a table that has stopped, and it
drops every failure except the first.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from contextlib import suppress
from typing import Any, TypeVar

from firmware_bridge.wire.errors import BoardError

T = TypeVar("T")

Stop = Callable[[], Awaitable[None]]
"""Stops one motor or axis; may raise BoardError."""


async def run_together(*works: Coroutine[Any, Any, T], stops: Iterable[Stop] = ()) -> list[T]:
    """Run coroutines in parallel; returns their results in order.

    After a failure the other coroutines are cancelled and then `stops` are called, because
    cancelling a wait does not stop a motor. Raises the failure itself, or an ExceptionGroup if
    there are several.
    """
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(work) for work in works]
    except BaseExceptionGroup as failed:
        for stop in stops:
            with suppress(BoardError):
                await stop()
        raise only(failed) from None
    return [task.result() for task in tasks]


def only(failed: BaseExceptionGroup[BaseException]) -> BaseException:
    """The only exception in a group, or the group itself if it contains several."""
    first, *others = failed.exceptions
    if others:
        return failed
    return only(first) if isinstance(first, BaseExceptionGroup) else first
