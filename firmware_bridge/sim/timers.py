"""Handles of the virtual loop, and its timers: a heap without the timers that were cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import Context
from heapq import heapify, heappop, heappush
from typing import Any

_RESOLUTION = 1e-9
"""Timers closer together than this (seconds) fire at one instant, as on the ordinary loop."""
_FEW = 64
"""With fewer timers than this, cancelled ones are not removed from the heap."""


class VirtualHandle(asyncio.Handle):
    """A call in the next turn of the virtual loop; `cancel` prevents it.

    It replaces the methods of the handle of the ordinary loop and does not initialise it, because
    every step of a task is such a call.
    """

    __slots__ = ("args", "callback", "context", "is_cancelled")

    def __init__(
        self, callback: Callable[..., object], args: tuple[Any, ...], context: Context
    ) -> None:
        self.callback = callback
        self.args = args
        self.context = context
        self.is_cancelled = False

    def __repr__(self) -> str:
        return f"<VirtualHandle {'cancelled ' if self.is_cancelled else ''}{self.callback!r}>"

    def cancel(self) -> None:
        self.is_cancelled = True

    def cancelled(self) -> bool:
        return self.is_cancelled


class VirtualTimer(asyncio.TimerHandle):
    """A call at an instant of virtual time (seconds); `cancel` prevents it.

    It replaces the methods of the handle of the ordinary loop and does not initialise it, because
    every byte on a line and every moving part sets timers.
    """

    __slots__ = ("args", "callback", "context", "is_cancelled", "time")

    def __init__(
        self,
        time: float,
        callback: Callable[..., object],
        args: tuple[Any, ...],
        context: Context,
    ) -> None:
        self.time = time
        self.callback = callback
        self.args = args
        self.context = context
        self.is_cancelled = False

    def __repr__(self) -> str:
        state = "cancelled " if self.is_cancelled else ""
        return f"<VirtualTimer {state}at {self.time:.6f} s: {self.callback!r}>"

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def cancel(self) -> None:
        self.is_cancelled = True

    def cancelled(self) -> bool:
        return self.is_cancelled

    def when(self) -> float:
        return self.time


TimerEntry = tuple[float, int, VirtualTimer]


class Timers:
    """The timers of a loop, ordered by their instant and then by the order in which they were set.

    Entries are tuples, so the heap compares them without a call of Python code.
    """

    def __init__(self) -> None:
        self._heap: list[TimerEntry] = []
        self._count = 0
        self._limit = _FEW

    def push(self, timer: VirtualTimer) -> None:
        self._count += 1
        heap = self._heap
        heappush(heap, (timer.time, self._count, timer))
        if len(heap) > self._limit:
            heap[:] = [entry for entry in heap if not entry[2].is_cancelled]
            heapify(heap)
            self._limit = max(_FEW, 2 * len(heap))

    def next(self) -> float | None:
        """The virtual time at which the next timer fires; None without a timer."""
        heap = self._heap
        while heap and heap[0][2].is_cancelled:
            heappop(heap)
        return heap[0][0] if heap else None

    def due(self, now: float) -> tuple[VirtualTimer, ...]:
        """Remove and return the timers that fire at this instant."""
        heap, end = self._heap, now + _RESOLUTION
        if not heap or heap[0][0] >= end:
            return ()
        first = heappop(heap)[2]
        if not heap or heap[0][0] >= end:
            # The usual case; a list takes longer.
            return (first,)
        out = [first]
        while heap and heap[0][0] < end:
            out.append(heappop(heap)[2])
        return tuple(out)

    def clear(self) -> None:
        self._heap.clear()
