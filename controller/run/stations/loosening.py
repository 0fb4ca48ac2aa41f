"""Cures of a head: reverses motors to loosen a stuck tile, turns a tile over, or sends it back.

A cure is skipped if its motor cannot run backwards; the next cure is then an assist.
"""

from __future__ import annotations

from config.schema import HeadModule, MotorChannel
from controller.run.faults.failures import Fault, TableFault
from controller.run.run_together import run_together
from controller.run.stations.standstill import Standstill
from controller.run.stations.switched import FULL
from firmware_bridge.board import Elapsed
from firmware_bridge.boards.devices import Devices, Motor

REVERSING = 0.5
"""Time for which a motor runs backwards to loosen a tile, seconds (our choice)."""
TURNING = 0.5
"""Time that a turner takes to turn a tile over, seconds (our choice)."""


class Loosening:
    """The cures of one head, with its motors and the drum."""

    def __init__(
        self, head: HeadModule, devices: Devices, below: Standstill, drum: Motor | None = None
    ) -> None:
        self._devices = devices
        self._below = below
        self._drum = drum
        self._wheel = devices.motor(head.wheel)
        self._belt = devices.motor(head.belt) if head.belt else None
        self._pusher = devices.motor(head.pusher) if head.pusher else None
        self._counter = devices.sensor(head.counter)
        self._turner = devices.motor(head.turner) if head.turner else None

    async def loosen(self, fault: TableFault) -> None:
        """Apply the cures for this fault before the next attempt."""
        match fault.fault:
            case Fault.JAM:
                await self._reverse(self._wheel)
                if not await self._counter.active():
                    await self._stir()
            case Fault.PUSHER if self._pusher is not None:
                await self._reverse(self._pusher)
            case Fault.STARVED | Fault.MISSING_TILE:
                await self._reverse(self._wheel)
                await self._stir()
        await self._below.renew()

    async def turn_over(self) -> bool:
        """Turn the last tile over; returns False if the head has no turner."""
        if self._turner is None or not self._is_motor(self._turner):
            return False
        await self._below.run(self._turner, FULL, Elapsed(), TURNING)
        return True

    async def send_back(self) -> bool:
        """Run the last tile back into the drum; returns False if a motor cannot run backwards."""
        if self._belt is None or not (self._reverses(self._belt) and self._reverses(self._wheel)):
            return False
        stops = (self._belt.stop, self._wheel.stop)
        await run_together(self._reverse(self._belt), self._reverse(self._wheel), stops=stops)
        await self._below.keep_running(self._belt, FULL)
        return True

    async def _reverse(self, motor: Motor) -> None:
        if self._reverses(motor):
            await self._below.run(motor, -FULL, Elapsed(), REVERSING)

    async def _stir(self) -> None:
        """Run the drum backwards for a moment, then forwards again."""
        if self._drum is not None and self._reverses(self._drum):
            await self._below.run(self._drum, -FULL, Elapsed(), REVERSING)
            await self._below.keep_running(self._drum, FULL)

    def _reverses(self, motor: Motor) -> bool:
        channel = self._devices.table.channel(motor.channel)
        return isinstance(channel, MotorChannel) and channel.reverse_pin is not None

    def _is_motor(self, motor: Motor) -> bool:
        return isinstance(self._devices.table.channel(motor.channel), MotorChannel)
