"""Stalling loop: simulates a host process that hangs while its boards continue to run.

Every callback belongs to the boards' side (boards and plant) or to the host's side. Timers and
tasks inherit the side of the callback that starts them. While the host is stalled, its callbacks
wait, in order. At the end of the stall they run at one instant, with all bytes and timers that
became due meanwhile, as in a process that was stopped and continued. Both sides are in one process,
on one virtual clock.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextvars import Context, ContextVar, copy_context
from dataclasses import dataclass
from typing import Any, TypeVarTuple, Unpack

from firmware_bridge.sim.clock import VirtualLoop

Ts = TypeVarTuple("Ts")

_BOARDS: ContextVar[bool] = ContextVar("boards", default=False)


class boards_side:  # noqa: N801 - used like a function; a generator would take six times as long
    """Assign callbacks started in this context to the boards' side (or, nested, the host's)."""

    __slots__ = ("_boards", "_token")

    def __init__(self, boards: bool = True) -> None:
        self._boards = boards

    def __enter__(self) -> None:
        self._token = _BOARDS.set(self._boards)

    def __exit__(self, *error: object) -> None:
        _BOARDS.reset(self._token)


@dataclass(slots=True)
class _Due:
    """A waiting host callback, and the handle that can cancel it."""

    callback: Callable[..., object]
    args: tuple[Any, ...]
    context: Context
    handle: asyncio.Handle | None = None


class StallingLoop(VirtualLoop):
    """A virtual loop whose host can be stalled. Somewhat slower than `VirtualLoop`."""

    _until = 0.0
    _waiting: deque[_Due]

    def stall(self, seconds: float) -> None:
        """Run no callback of the host for this time."""
        if self.time() >= self._until:
            self._waiting = deque()
        self._until = max(self._until, self.time() + seconds)
        super().call_at(self._until, self._resume)

    def call_at(
        self,
        when: float,
        callback: Callable[[Unpack[Ts]], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        context = context or copy_context()
        if context.get(_BOARDS):
            return super().call_at(when, callback, *args, context=context)
        due = _Due(callback, args, context)
        timer = super().call_at(when, self._host, due, context=context)
        due.handle = timer
        return timer

    def call_soon(
        self,
        callback: Callable[[Unpack[Ts]], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.Handle:
        context = context or copy_context()
        if context.get(_BOARDS):
            return super().call_soon(callback, *args, context=context)
        due = _Due(callback, args, context)
        due.handle = super().call_soon(self._host, due, context=context)
        return due.handle

    def _host(self, due: _Due) -> None:
        if self.time() < self._until:
            self._waiting.append(due)
        else:
            due.callback(*due.args)

    def _resume(self) -> None:
        if self.time() < self._until:
            return
        while self._waiting:
            due = self._waiting.popleft()
            super().call_soon(self._late, due, context=due.context)

    def _late(self, due: _Due) -> None:
        assert due.handle is not None
        if not due.handle.cancelled():
            due.callback(*due.args)
