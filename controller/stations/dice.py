"""The dice: shake, read, and believe only faces that dice have."""

from __future__ import annotations

from config.schema import Dice
from controller.faults import Fault, Recovered, TableFault, unheard
from firmware_bridge.devices import Devices

ATTEMPTS = 3


class DiceStation:
    """A dome or electronic dice: any number of dice, in as many shakes as that takes."""

    def __init__(self, dice: Dice, devices: Devices, recovered: Recovered = unheard) -> None:
        self._recovered = recovered
        self.unit = dice.unit
        self._dome = devices.dice(dice.unit)

    async def throw(self, dice: int, times: int) -> tuple[int, ...]:
        """`dice` faces, `times` times over. A cocked die is thrown again, then a TableFault."""
        faces: list[int] = []
        for _ in range(times):
            faces += await self._once(dice)
        return tuple(faces)

    async def _once(self, dice: int) -> tuple[int, ...]:
        read: tuple[int, ...] = ()
        for attempt in range(1, ATTEMPTS + 1):
            read = await self._dome.throw(dice)
            if len(read) == dice and all(1 <= face <= 6 for face in read):
                if attempt > 1:
                    self._recovered(Fault.DICE, "dice", attempt)
                return read
        raise TableFault(Fault.DICE, "dice", f"{self.unit} read {read} instead of {dice} faces")
