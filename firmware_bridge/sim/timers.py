"""Timers of the virtual loop: a heap of callbacks, without the timers that were cancelled."""

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

TimerEntry = tuple[float, int, asyncio.TimerHandle, Callable[..., object], tuple[Any, ...], Context]


class Timers:
    """The timers of a loop, ordered by their instant and then by the order in which they were set.

    Entries are tuples, so the heap compares them without a call of Python code.
    """

    def __init__(self) -> None:
        self._heap: list[TimerEntry] = []
        self._count = 0
        self._limit = _FEW

    def push(
        self,
        when: float,
        timer: asyncio.TimerHandle,
        callback: Callable[..., object],
        args: tuple[Any, ...],
        context: Context,
    ) -> None:
        self._count += 1
        heappush(self._heap, (when, self._count, timer, callback, args, context))
        if len(self._heap) > self._limit:
            self._heap = [entry for entry in self._heap if not entry[2].cancelled()]
            heapify(self._heap)
            self._limit = max(_FEW, 2 * len(self._heap))

    def next(self) -> float | None:
        """The virtual time at which the next timer fires; None without a timer."""
        heap = self._heap
        while heap and heap[0][2].cancelled():
            heappop(heap)
        return heap[0][0] if heap else None

    def due(self, now: float) -> list[TimerEntry]:
        """Remove and return the timers that fire at this instant."""
        heap, end, out = self._heap, now + _RESOLUTION, []
        while heap and heap[0][0] < end:
            out.append(heappop(heap))
        return out

    def clear(self) -> None:
        self._heap.clear()
