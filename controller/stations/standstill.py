"""Stops everything that moves below the table while a person reaches in, then resumes it.

Drum and belts, drives that run until a sensor changes, and the gates of hand lanes all go through
this module. During a standstill nothing starts and no gate has current. A motor that was stopped is
driven on for the rest of its way, so the caller sees only a longer drive. Gates are open again
before anything moves, and wheels that count turn before the belts run: no tile passes a closed
gate, or a counter that is not being read.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from firmware_bridge.board import Edges, Ended, Reason, Until
from firmware_bridge.boards.devices import Motor, Output


class Standstill:
    """The motors of one table's lower part."""

    def __init__(self) -> None:
        self._running: dict[Motor, int] = {}
        """Motors that run until they are stopped, with their values."""
        self._gates: dict[Output, None] = {}
        """Gates that stay open until they are shut."""
        self._driven: set[Motor] = set()
        self._turns: dict[Motor, asyncio.Lock] = {}
        self._holds = 0
        self._stops = 0
        self._moving = asyncio.Event()
        self._moving.set()

    async def keep_running(self, motor: Motor, value: int) -> None:
        """Run a motor until it is stopped; during a standstill, as soon as that is over."""
        self._running[motor] = value
        if not self._holds:
            await motor.keep_running(value)

    async def stop(self, motor: Motor) -> None:
        """The motor need not run any more."""
        self._running.pop(motor, None)
        await motor.stop()

    async def open(self, gate: Output) -> None:
        """Open a gate until it is shut; during a standstill, as soon as that is over."""
        if gate in self._gates:
            return
        self._gates[gate] = None
        if not self._holds:
            await gate.switch(1)

    async def shut(self, gate: Output) -> None:
        """Shut a gate. During a pause it is shut already, and this does not wait for the end."""
        self._gates.pop(gate, None)
        await gate.let_go()

    async def moved(self, seconds: float) -> None:
        """Let so many seconds pass in which there was no standstill."""
        stops = None
        while stops != self._stops:
            await self._moving.wait()
            stops = self._stops
            await asyncio.sleep(seconds)

    async def renew(self) -> None:
        """Send running commands once more, so that long work does not meet their time limit."""
        await self._open_again()
        await self._run_again()

    # Each command takes a while; later ones in the list may be changed meanwhile.

    async def _open_again(self) -> None:
        for gate in tuple(self._gates):
            if gate in self._gates and not self._holds:
                await gate.switch(1)

    async def _run_again(self) -> None:
        for motor in tuple(self._running):
            if motor in self._running and motor not in self._driven and not self._holds:
                await motor.keep_running(self._running[motor])

    async def run(self, motor: Motor, value: int, until: Until, limit: float) -> Ended:
        """Drive a motor until a sensor changes; the seconds of a standstill do not count.

        The drum is shared: a caller that reverses it waits until another one has finished.
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

    async def _go_on(self) -> None:
        await self._open_again()
        if self._holds:
            return
        self._moving.set()
        # Give the event loop one turn, in which the waiting drives send their commands.
        await asyncio.sleep(0)
        await self._run_again()

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """Keep everything at a standstill within this block; blocks nest."""
        self._holds += 1
        try:
            if self._holds == 1:
                self._stops += 1
                self._moving.clear()
                for motor in (*self._running, *self._driven):
                    await motor.stop()
                for gate in tuple(self._gates):
                    await gate.let_go()
            yield
        finally:
            self._holds -= 1
            if not self._holds:
                await self._go_on()


def _left(until: Until, counted: int) -> Until:
    """The rest of a drive of which a part is done already."""
    if isinstance(until, Edges) and counted:
        return Edges(until.sensor, until.count - counted)
    return until
