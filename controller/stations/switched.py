"""Anything that a motor drives between two switches: lid, lifts, jaws, presenters."""

from __future__ import annotations

from dataclasses import dataclass

from controller.faults import Fault, Recovered, TableFault, unheard
from firmware_bridge.board import Ended, Level, Reason
from firmware_bridge.devices import Motor

FULL = 1000
LATE = 2.0
"""How many times its own travel time a part may take before it counts as stuck."""
MARGIN = 0.5
"""Seconds on top, for parts whose travel is short."""


@dataclass(frozen=True)
class Switched:
    """A part with two ends: `forth` is reached running forward, `back` running in reverse."""

    part: str
    motor: Motor
    forth: str
    back: str
    seconds: float
    fault: Fault
    attempts: int = 2
    recovered: Recovered = unheard

    async def go_forth(self) -> None:
        """To the forward end; at once if it is there. Raises TableFault after the last attempt."""
        await self._go(FULL, self.forth)

    async def go_back(self) -> None:
        """To the other end; at once if it is there. Raises TableFault after the last attempt."""
        await self._go(-FULL, self.back)

    async def _go(self, value: int, switch: str) -> None:
        limit = self.seconds * LATE + MARGIN
        for attempt in range(1, self.attempts + 1):
            ended = await self.motor.run(value, Level(switch), limit)
            if ended.reason in (Reason.LEVEL, Reason.SWITCH):
                if attempt > 1:
                    self.recovered(self.fault, self.part, attempt)
                return
        raise TableFault(self.fault, self.part, missing(switch, ended))


def missing(sensor: str, ended: Ended) -> str:
    """What a drive that ended without its sensor showed."""
    return f"{sensor} gave no signal within {ended.seconds:.1f} s; ended by {ended.reason.name}"
