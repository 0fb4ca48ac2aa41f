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
    there are several. If the caller is cancelled, CancelledError is raised, also in the instant of
    a failure. A TaskGroup of Python 3.11 would raise the failure then, and a caller that catches it
    would begin a retry on a table that stops.
    """
    tasks = [asyncio.create_task(work) for work in works]
    try:
        if tasks:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        await end_tasks(tasks)
    failures = [failure for task in tasks if (failure := _failure(task)) is not None]
    if failures:
        for stop in stops:
            with suppress(BoardError):
                await stop()
        raise only(BaseExceptionGroup("Several of the coroutines failed.", failures))
    return [task.result() for task in tasks]


async def end_tasks(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel the tasks and wait until all have ended; their failures are not raised.

    Raises a cancellation of the caller after that.
    """
    waiting = [task for task in tasks if not task.done()]
    for task in waiting:
        task.cancel()
    cancelled: asyncio.CancelledError | None = None
    while waiting := [task for task in waiting if not task.done()]:
        try:
            await asyncio.wait(waiting)
        except asyncio.CancelledError as error:
            cancelled = error
    for task in tasks:
        # asyncio prints a failure that was not read when the task is deleted.
        _failure(task)
    if cancelled is not None:
        raise cancelled


async def end_task(task: asyncio.Task[Any]) -> None:
    """Cancel a task, unless it has ended, and wait until it ends; its failure is not raised.

    Raises a cancellation of the caller. `await task` with CancelledError suppressed would lose one
    that comes while the task ends.
    """
    if not task.done():
        task.cancel()
        await asyncio.wait((task,))


def _failure(task: asyncio.Task[Any]) -> BaseException | None:
    return None if task.cancelled() else task.exception()


def only(failed: BaseExceptionGroup[BaseException]) -> BaseException:
    """The only exception in a group, or the group itself if it contains several."""
    first, *others = failed.exceptions
    if others:
        return failed
    return only(first) if isinstance(first, BaseExceptionGroup) else first
