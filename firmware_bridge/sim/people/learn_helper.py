"""Simulated person at a table with shuffled wires: names the parts that move, and actuates sensors.

A person whose `sees` is below 1 sometimes sees nothing, and gives an evasive answer. A person who
guesses gives every permitted answer with the same probability, right or wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from firmware_bridge.sim.plant.machine import Plant
from firmware_bridge.sim.rewired import RewiredPlant, Rewiring

REACHING = 1.0
"""Seconds until the person has reached a sensor, and from its actuation to its release."""


class LearnHelper:
    """Answers questions about a rewired plant by its true wiring."""

    def __init__(
        self,
        plant: Plant,
        wired: RewiredPlant,
        rewiring: Rewiring,
        seed: int,
        *,
        sees: float = 1.0,
        guesses: bool = False,
    ) -> None:
        self._plant = plant
        self._wired = wired
        self._wires = rewiring.wires
        self._chance = Random(f"{seed}:person")
        self._sees = sees
        self._guesses = guesses
        self.motions_allowed: list[str] = []
        """The wires for whose motion the word was typed, in order."""

    def moves(self, wire: str) -> None:
        """Record that the person has allowed a motion of this wire."""
        self.motions_allowed.append(wire)

    def moved(self, wire: str, answers: tuple[str, ...]) -> str:
        """The part that a wire's motor moves."""
        return self._answer(answers, lambda: self._wires[wire].channel, "nothing")

    def is_at(self, switch: str, answers: tuple[str, ...]) -> str:
        """Whether a switch of the table is active now."""
        return self._answer(answers, lambda: _yes(self._wired.levels.get(switch, False)), "unsure")

    def works_forward(self, wire: str, answers: tuple[str, ...]) -> str:
        """Whether a wire's motor runs in its working direction."""
        return self._answer(answers, lambda: _yes(not self._wires[wire].inverted), "unsure")

    def reach(self, sensor: str) -> None:
        """Actuate a sensor of the table, and release it; a person who sees nothing misses it."""
        if self._chance.random() >= self._sees:
            return
        later = self._plant.world.loop.call_later
        later(REACHING, self._plant.sense, sensor, True)
        later(2 * REACHING, self._plant.sense, sensor, False)

    def _answer(self, answers: tuple[str, ...], truth: Callable[[], str], evasive: str) -> str:
        if self._guesses:
            return self._chance.choice(answers)
        if self._chance.random() >= self._sees:
            return evasive
        true = truth()
        return true if true in answers else evasive


def _yes(is_true: bool) -> str:
    return "yes" if is_true else "no"
