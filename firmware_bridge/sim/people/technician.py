"""Simulated technician: answers a prompt for help by inspecting and repairing the part.

They know nothing but what they find there; a `wrong_answer` has them say that it is done without
having looked.
"""

from __future__ import annotations

import asyncio

from firmware_bridge.guide import Ask
from firmware_bridge.sim.plant.machine import Plant

SOONEST, LATEST = 20.0, 60.0
"""How long it takes to come, look and mend, seconds; 30 on average (ours)."""
MEAN = 30.0
PUT_AWAY = "UNPROVEN"
"""The request to put every tile back into its box."""


class Helper:
    """A person near the table.

    An obliging person does what is asked. Another one gives any of the answers offered, each with
    the same probability; only with the first one, which says that it is done, has he done it.
    """

    def __init__(self, plant: Plant, *, obliging: bool = True) -> None:
        self._plant = plant
        self._obliging = obliging
        self._chance = plant.world.stream("helper")
        self._choices = plant.world.stream("answers")

    async def help(self, ask: Ask) -> str:
        """Do what is asked, as well as can be, and answer."""
        await asyncio.sleep(self._seconds())
        answer = ask.answers[0] if self._obliging else self._choices.choice(ask.answers)
        if answer != ask.answers[0]:
            return answer
        if not self._plant.injected_faults.on_occasion("wrong_answer", "people"):
            if ask.code == PUT_AWAY:
                self._plant.put_away()
            self._plant.repair(ask.code, ask.part)
        return ask.answers[0]

    def _seconds(self) -> float:
        if not self._plant.world.chance:
            return MEAN
        # Beta(1, 3) has its mean at a quarter: most come soon, a few take their time.
        return SOONEST + (LATEST - SOONEST) * self._chance.betavariate(1, 3)
