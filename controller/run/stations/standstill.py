"""Stops all parts below the table while a person reaches in, then resumes them.

Commands for drum and belts, drives that run until a sensor changes, gates and presenters of hand
lanes, and the drives of the lifts go through this module. During a standstill no motor starts and
no gate has current. A drive that was stopped is continued after the standstill, so its caller sees
only a longer drive. After a standstill the gates open first, then the counting wheels start, then
drum and belts: so no tile passes a closed gate, or a counter without a drive that counts.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

from firmware_bridge.board import Edges, Ended, Reason, Until
from firmware_bridge.boards.devices import Motor, Output
from firmware_bridge.wire.errors import BoardError

SETTLED = 0.03
"""Seconds after which the edges of a stopped drive have been counted: more than the debounce time
of any sensor that ends a drive."""


class Standstill:
    """Commands the motors and gates below one table, and holds them at a standstill."""

    def __init__(self) -> None:
        self._running: dict[Motor, int] = {}
        """Motors that run until `stop`, with their values."""
        self._gates: dict[Output, None] = {}
        """Gates that stay open until `shut`."""
        self._driven: dict[Motor, None] = {}
        """In the order of their start, which a set would not keep: motors stop in this order."""
        self._turns: dict[Motor, asyncio.Lock] = {}
        self._holds = 0
        self._stops = 0
        self._moving = asyncio.Event()
        self._moving.set()

    @property
    def stops(self) -> int:
        """Number of standstills that have begun."""
        return self._stops

    async def keep_running(self, motor: Motor, value: int) -> None:
        """Run a motor until `stop`; during a standstill it starts at the end of the standstill."""
        self._running[motor] = value
        if not self._holds:
            await motor.keep_running(value)

    async def stop(self, motor: Motor) -> None:
        """Stop a motor that `keep_running` has started."""
        self._running.pop(motor, None)
        await motor.stop()

    async def open(self, gate: Output) -> None:
        """Open a gate until `shut`; during a standstill it opens at the end of the standstill."""
        if gate in self._gates:
            return
        self._gates[gate] = None
        if not self._holds:
            await gate.switch(1)

    async def shut(self, gate: Output) -> None:
        """Close a gate. During a pause it is closed already, and this method returns at once."""
        self._gates.pop(gate, None)
        await gate.let_go()

    async def wait_moving(self, seconds: float) -> None:
        """Wait until this number of seconds has passed without a standstill."""
        stops = None
        while stops != self._stops:
            await self._moving.wait()
            stops = self._stops
            await asyncio.sleep(seconds)

    async def renew(self) -> None:
        """Send all running commands again, so that they do not reach their boards' time limits."""
        await self._open_again()
        await self._run_again()

    # Each command takes time; gates and motors can be changed meanwhile, so each one is checked.

    async def _open_again(self) -> None:
        for gate in tuple(self._gates):
            if gate in self._gates and not self._holds:
                await gate.switch(1)

    async def _run_again(self) -> None:
        for motor in tuple(self._running):
            if motor in self._running and motor not in self._driven and not self._holds:
                await motor.keep_running(self._running[motor])

    async def run(self, motor: Motor, value: int, until: Until, limit: float) -> Ended:
        """Drive a motor until a sensor changes; standstills do not count against `limit`.

        Several heads share the drum, so a second drive of the same motor waits for the first.
        """
        async with self._turns.setdefault(motor, asyncio.Lock()):
            return await self._run(motor, value, until, limit)

    async def _run(self, motor: Motor, value: int, until: Until, limit: float) -> Ended:
        counted, spent = 0, 0.0
        while True:
            await self._moving.wait()
            stops, goal = self._stops, _left(until, counted)
            self._driven[motor] = None
            try:
                ended = await motor.run(value, goal, max(limit - spent, 0.001))
            finally:
                self._driven.pop(motor, None)
            counted, spent = counted + ended.count, spent + ended.seconds
            if ended.reason is not Reason.STOPPED or stops == self._stops:
                return Ended(ended.reason, counted, spent)
            if isinstance(until, Edges):
                counted += await self._edges_after(motor, ended)
                if counted >= until.count:
                    return Ended(Reason.EDGES, counted, spent)

    @staticmethod
    async def _edges_after(motor: Motor, ended: Ended) -> int:
        """The edges that came while their debounce time ran when the drive was stopped.

        Without them a pusher whose turn had just ended would begin another one. A drive that was
        stopped before it was sent has no edges; the board would report those of an earlier drive.
        """
        if not ended.seconds:
            return 0
        await asyncio.sleep(SETTLED)
        recalled = await motor.recall()
        return max(recalled.count - ended.count, 0) if recalled is not None else 0

    async def _go_on(self) -> None:
        """End a standstill: open the gates, continue the drives, then run motors."""
        await self._open_again()
        if self._holds:
            return
        self._moving.set()
        # Give the event loop one turn, in which the waiting drives send their commands.
        await asyncio.sleep(0)
        await self._run_again()

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """Keep all parts at a standstill within a block; blocks nest.

        If the block raises or is cancelled, the standstill never ends, because no person has
        confirmed that hands are out of the machine: the table stops, and the parts must not move
        before that.
        """
        self._holds += 1
        if self._holds == 1:
            self._stops += 1
            self._moving.clear()
            stops = [motor.stop for motor in (*self._running, *self._driven)]
            await _all([*stops, *(gate.let_go for gate in tuple(self._gates))])
        yield
        self._holds -= 1
        if not self._holds:
            await self._go_on()


async def _all(stops: Sequence[Callable[[], Awaitable[None]]]) -> None:
    """Stop every part, also if a board refuses; then raise the first error."""
    failed: list[BoardError] = []
    for stop in stops:
        try:
            await stop()
        except BoardError as error:
            failed.append(error)
    if failed:
        raise failed[0]


def _left(until: Until, counted: int) -> Until:
    """The remaining end condition of a drive that has already counted some edges."""
    if isinstance(until, Edges) and counted:
        return Edges(until.sensor, until.count - counted)
    return until
