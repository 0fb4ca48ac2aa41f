"""A part that a motor drives between two switches: lid, lifts, jaws, presenters."""

from __future__ import annotations

from dataclasses import dataclass, field

from controller.faults.retry import Care
from controller.faults.table_fault import Fault, TableFault
from firmware_bridge.board import Elapsed, Ended, Level, Reason
from firmware_bridge.boards.devices import Motor

FULL = 1000
LATE = 2.0
"""Multiple of its own travel time after which a part counts as stuck."""
MARGIN = 0.5
"""Seconds added to that limit, for parts whose travel is short."""
BACK_OFF = 0.25
"""Share of its travel by which a part backs off from an obstacle (ours)."""
SOON = 0.5
"""Share of the travel time within which no part can arrive: an earlier signal is checked (ours)."""


@dataclass(frozen=True)
class Switched:
    """A part with two ends: `forth` is reached running forward, `back` running in reverse."""

    part: str
    motor: Motor
    forth: str
    back: str
    seconds: float
    fault: Fault
    care: Care = field(default_factory=Care)

    async def go_forth(self) -> None:
        """Drive to the forward end, if not there. Raises TableFault after the last attempt."""
        await self._go(FULL, self.forth)

    async def go_back(self) -> None:
        """Drive to the other end, if not there. Raises TableFault after the last attempt."""
        await self._go(-FULL, self.back)

    async def stop(self) -> None:
        """Stop its motor where the part is."""
        await self.motor.stop()

    async def back_off(self, value: int) -> None:
        """Drive away from an obstacle, where the part was driven by this value."""
        way = -FULL if value > 0 else FULL
        await self.motor.run(way, Elapsed(), self.seconds * BACK_OFF)

    async def _go(self, value: int, switch: str) -> None:
        limit = self.seconds * LATE + MARGIN

        async def travel() -> None:
            ended = await self.motor.run(value, Level(switch), limit)
            if ended.reason is Reason.CURRENT:
                await self.back_off(value)
                evidence = f"{self.motor.channel} drew too much current after {ended.seconds:.1f} s"
                raise TableFault(Fault.OBSTRUCTED, self.part, evidence)
            there = ended.reason in (Reason.LEVEL, Reason.SWITCH)
            # The part was there already, or its switch is stuck: then it never left its other end.
            if (not there or ended.seconds < SOON * self.seconds) and await self._at_both_ends():
                evidence = f"{self.forth} and {self.back} are both active"
                raise TableFault(Fault.BOTH_SWITCHES, self.part, evidence)
            if not there:
                raise TableFault(self.fault, self.part, missing(switch, ended))

        await self.care.cured(travel)

    async def _at_both_ends(self) -> bool:
        """The fault for both end switches active at once, which is impossible."""
        read = self.motor.board.read
        return bool(await read(self.forth) and await read(self.back))


def missing(sensor: str, ended: Ended) -> str:
    """The fault for a drive that ended without its sensor."""
    return f"{sensor} gave no signal within {ended.seconds:.1f} s; ended by {ended.reason.name}"
