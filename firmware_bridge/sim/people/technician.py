"""Simulated technician: answers a prompt for help by inspecting and repairing the part.

The technician repairs all faults of the part that the prompt names. After the injected fault
`wrong_answer` the technician confirms without a repair.
"""

from __future__ import annotations

import asyncio

from firmware_bridge.guide import Ask
from firmware_bridge.sim.plant.machine import Plant

SOONEST, LATEST = 20.0, 60.0
"""Minimum and maximum seconds until the technician has repaired a part (our values)."""
MEAN = 30.0
"""Mean number of seconds until the technician has repaired a part (our value)."""
PUT_AWAY = "UNPROVEN"
"""The fault code whose prompt asks to put every tile back into its box."""
LEFT_OVER = "LEFT_OVER"
"""The fault code whose prompt asks to take out the tiles that are left over after a build."""
LOOK_INTO_DRUM = "STARVED"
"""The fault code whose prompt asks to push the set in if the drum is empty."""


class Technician:
    """A simulated person who answers prompts for help.

    An obliging person does the requested work and gives the first answer, which confirms it. Any
    other person gives each of the permitted answers with the same probability, and has done the
    work if it is the first one.
    """

    def __init__(self, plant: Plant, *, obliging: bool = True) -> None:
        self._plant = plant
        self._obliging = obliging
        self._chance = plant.world.stream("helper")
        self._choices = plant.world.stream("answers")

    async def help(self, ask: Ask) -> str:
        """Do the requested work, if the chosen answer confirms it, and return the answer."""
        await asyncio.sleep(self._seconds())
        answer = ask.answers[0] if self._obliging else self._choices.choice(ask.answers)
        if answer != ask.answers[0]:
            return answer
        if not self._plant.injected_faults.on_occasion("wrong_answer", "people"):
            self.repair(ask)
        return ask.answers[0]

    def repair(self, ask: Ask) -> None:
        """Do the requested work at once."""
        if ask.code == PUT_AWAY:
            self._plant.put_away()
        elif ask.code == LEFT_OVER:
            self._plant.put_back_left_over()
        elif ask.code == LOOK_INTO_DRUM:
            self._plant.people.push_in_missed_set()
        self._plant.repair(ask.code, ask.part)

    def _seconds(self) -> float:
        if not self._plant.world.chance:
            return MEAN
        # Beta(1, 3) has its mean at a quarter: most times are short, and a few are long.
        return SOONEST + (LATEST - SOONEST) * self._chance.betavariate(1, 3)
