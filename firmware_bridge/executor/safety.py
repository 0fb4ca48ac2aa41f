"""What makes a board safe by itself: its safety inputs, and the timer of the host's lease."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from firmware_bridge.board import FaultCode
from firmware_bridge.executor.rig import Order
from firmware_bridge.wire.codes import Flag, ResetCause
from firmware_bridge.wire.messages import Configure, Move

FAULT_OF_RESET = {
    ResetCause.BROWN_OUT: FaultCode.BROWN_OUT,
    ResetCause.WATCHDOG: FaultCode.WATCHDOG,
}
"""The fault that a board latches after a reset by these causes."""
TRIP = 30e-6
"""Seconds for which a light curtain is interrupted before it trips; less is noise."""
_RESOLUTION = 1e-9
"""Seconds; timers closer together than this fire at one instant."""


class SafetyInputs:
    """The safety inputs of a board with these channels, by name, with their numbers.

    The `emergency` inputs cut power in hardware, so they do not depend on the configuration. The
    curtain's inputs and the guarded parts are flags of the records. `interrupt` is called with the
    number of a curtain's input once it has been active for `TRIP`.
    """

    def __init__(
        self,
        names: Sequence[str],
        emergency: Collection[str],
        loop: asyncio.AbstractEventLoop,
        interrupt: Callable[[int], None],
    ) -> None:
        self._loop = loop
        self._interrupt = interrupt
        self._filtered: dict[str, asyncio.TimerHandle] = {}
        self.levels: dict[str, bool] = {}
        """The last level of every input of the board, safety input or not."""
        self.emergency = {name: n for n, name in enumerate(names) if name in emergency}
        self.curtain: dict[str, int] = {}
        self.guarded: frozenset[int] = frozenset()
        """The numbers of the motors, axes and outputs that the curtain guards."""
        self._names = names

    def configure(self, records: Sequence[Configure]) -> None:
        """Read the flags of a channel table."""
        self.curtain = {self._names[n]: n for n in _flagged(records, Flag.CURTAIN)}
        self.guarded = frozenset(_flagged(records, Flag.GUARDED))

    def follow(self, channel: str, active: bool) -> None:
        """Note an input's level; an active curtain trips later, unless it becomes inactive."""
        self.levels[channel] = active
        if channel in self._filtered:
            self._filtered.pop(channel).cancel()
        if active and channel in self.curtain:
            self._filtered[channel] = self._loop.call_later(TRIP, self._trip, channel)

    def _trip(self, channel: str) -> None:
        del self._filtered[channel]
        if channel in self.curtain:
            self._interrupt(self.curtain[channel])

    @property
    def pressed(self) -> list[int]:
        """The numbers of all emergency inputs that are active."""
        return [number for name, number in self.emergency.items() if self.levels.get(name)]

    @property
    def interrupted(self) -> int | None:
        """The number of the first curtain input that has been active for `TRIP`, or None."""
        return next((n for n in self._active if self._names[n] not in self._filtered), None)

    @property
    def _active(self) -> list[int]:
        return [number for name, number in self.curtain.items() if self.levels.get(name)]

    def guards(self, order: Order) -> bool:
        """Whether an order moves a guarded part."""
        named = order[:6:2] if isinstance(order, Move) else order[:1]
        return bool(self.guarded.intersection(named))

    def cause_persists(self, code: FaultCode) -> bool:
        """Whether an input is active that causes faults of this code."""
        if code is FaultCode.EMERGENCY_STOP:
            return bool(self.pressed)
        return code is FaultCode.LIGHT_CURTAIN and bool(self._active)


def _flagged(records: Iterable[Configure], flag: Flag) -> Iterator[int]:
    return (record.index for record in records if record.flags & flag)


class LeaseTimer:
    """The timer of the host's lease: calls `expires` when a lease ends without a renewal.

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
