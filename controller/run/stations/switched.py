"""Station of a part that a motor drives between two switches: lid, lift, jaws, lane, flipper."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field

from controller.run.faults.failures import Fault, TableFault
from controller.run.faults.retry import FaultHandler
from controller.run.stations.standstill import Standstill
from firmware_bridge.board import Elapsed, Ended, Level, Reason
from firmware_bridge.boards.devices import Motor

FULL = 1000
"""Full speed of a motor, in thousandths."""
LATE = 2.0
"""Multiple of its travel time after which a part counts as stuck."""
MARGIN = 0.5
"""Seconds that are added to that limit, for parts with a short travel time."""
BACK_OFF = 0.25
"""Share of its travel by which a part backs off from an obstacle (our choice)."""
SOON = 0.5
"""Share of the travel time before which no part can arrive; earlier signals are checked.

The value is our choice.
"""


@dataclass(frozen=True)
class Switched:
    """A part with two end switches: `forth` is reached by running forward, `back` by reverse.

    A part with a standstill `below` stops when the standstill begins, also half way, and goes on at
    its end; while a person is asked about the part, all parts of that standstill are at rest. Only
    a part that has met an obstacle still backs off from it.
    """

    part: str
    motor: Motor
    forth: str
    back: str
    seconds: float
    fault: Fault
    fault_handler: FaultHandler = field(default_factory=FaultHandler)
    below: Standstill | None = None

    async def go_forth(self) -> None:
        """Drive to the forward end. Raises TableFault after the last attempt."""
        await self._go(FULL, self.forth)

    async def go_back(self) -> None:
        """Drive to the back end. Raises TableFault after the last attempt."""
        await self._go(-FULL, self.back)

    async def is_back(self) -> bool:
        """Whether the switch of the back end is active, and that of the forward end is not."""
        read = self.motor.board.read
        return bool(await read(self.back)) and not await read(self.forth)

    async def stop(self) -> None:
        """Stop the motor."""
        await self.motor.stop()

    async def back_off(self, value: int) -> None:
        """Drive away from an obstacle; `value` is that of the drive that met it."""
        way = -FULL if value > 0 else FULL
        await self.motor.run(way, Elapsed(), self.seconds * BACK_OFF)

    async def _go(self, value: int, switch: str) -> None:
        limit, below = self.seconds * LATE + MARGIN, self.below

        async def travel() -> None:
            if below is None:
                ended = await self.motor.run(value, Level(switch), limit)
            else:
                ended = await below.run(self.motor, value, Level(switch), limit)
            if ended.reason is Reason.CURRENT:
                await self.back_off(value)
                evidence = f"{self.motor.channel} drew too much current after {ended.seconds:.1f} s"
                raise TableFault(Fault.OBSTRUCTED, self.part, evidence)
            there = ended.reason in (Reason.LEVEL, Reason.SWITCH)
            # An early signal: the part was at this end before, or the switch is stuck. With a stuck
            # switch the part is still at its other end, so both switches are active.
            if (not there or ended.seconds < SOON * self.seconds) and await self._at_both_ends():
                evidence = f"{self.forth} and {self.back} are both active"
                raise TableFault(Fault.BOTH_SWITCHES, self.part, evidence)
            if not there:
                raise TableFault(self.fault, self.part, missing(switch, ended))

        await self.fault_handler.run(travel, around=below.held if below else nullcontext)

    async def _at_both_ends(self) -> bool:
        """Whether both end switches are active, which is impossible for an intact part."""
        read = self.motor.board.read
        return bool(await read(self.forth) and await read(self.back))


def missing(sensor: str, ended: Ended) -> str:
    """The evidence for a drive that ended without the signal of its sensor."""
    seconds, reason = ended.seconds, ended.reason.name
    return f"{sensor} gave no signal within {seconds:.1f} s; the drive ended by {reason}"
