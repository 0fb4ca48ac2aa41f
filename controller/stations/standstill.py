"""What moves below the table, stopped as one while a person reaches in, and moved on afterwards.

Drum and belts that run on and motors that are driven until something is so all go through here.
At a standstill nothing begins; a motor that was stopped on its way is sent on with what is left of
it, so whoever waits for it notices nothing but the time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from firmware_bridge.board import Edges, Ended, Reason, Until
from firmware_bridge.devices import Motor


class Standstill:
    """The motors of one table's lower part."""

    def __init__(self) -> None:
        self._running: dict[Motor, int] = {}
        """What runs until it is told otherwise, and how hard."""
        self._driven: set[Motor] = set()
        self._turns: dict[Motor, asyncio.Lock] = {}
        self._holds = 0
        self._stops = 0
        self._moving = asyncio.Event()
        self._moving.set()

    async def keep_running(self, motor: Motor, value: int) -> None:
        """Run until told otherwise; at a standstill, as soon as that is over."""
        self._running[motor] = value
        if not self._holds:
            await motor.keep_running(value)

    async def stop(self, motor: Motor) -> None:
        """It need not run any more."""
        self._running.pop(motor, None)
        await motor.stop()

    async def renew(self) -> None:
        """Order what runs once more: work that takes long must not meet its longest time on."""
        if not self._holds:
            for motor, value in self._running.items():
                if motor not in self._driven:
                    await motor.keep_running(value)

    async def run(self, motor: Motor, value: int, until: Until, limit: float) -> Ended:
        """Drive a motor until something is so; the seconds of a standstill do not count.

        The drum is everybody's: who wants to turn it back waits until another has.
        """
        async with self._turns.setdefault(motor, asyncio.Lock()):
            return await self._run(motor, value, until, limit)

    async def _run(self, motor: Motor, value: int, until: Until, limit: float) -> Ended:
        counted, spent = 0, 0.0
        while True:
            await self._moving.wait()
            stops, goal = self._stops, _left(until, counted)
            self._driven.add(motor)
            try:
                ended = await motor.run(value, goal, max(limit - spent, 0.001))
            finally:
                self._driven.discard(motor)
            counted, spent = counted + ended.count, spent + ended.seconds
            if ended.reason is not Reason.STOPPED or stops == self._stops:
                return Ended(ended.reason, counted, spent)

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """Everything stands still within this block; blocks nest."""
        self._holds += 1
        try:
            if self._holds == 1:
                self._stops += 1
                self._moving.clear()
                for motor in (*self._running, *self._driven):
                    await motor.stop()
            yield
        finally:
            self._holds -= 1
            if not self._holds:
                await self.renew()
                self._moving.set()


def _left(until: Until, counted: int) -> Until:
    """What is still to come of something of which a part has come already."""
    if isinstance(until, Edges) and counted:
        return Edges(until.sensor, until.count - counted)
    return until
