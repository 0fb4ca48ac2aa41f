"""Motion profiles of a stepper axis: a trapezoid of speed to its target, a ramp when stopped.

Positions are metres, times seconds since the motion began.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import copysign, sqrt
from typing import Protocol


class Profile(Protocol):
    """A finite motion along one axis."""

    @property
    def target(self) -> float: ...

    @property
    def seconds(self) -> float: ...

    def position(self, at: float) -> float: ...

    def velocity(self, at: float) -> float: ...


@dataclass(frozen=True)
class Trapezoid:
    """Motion from rest to rest: accelerate, run at `speed` if the distance is sufficient, brake."""

    start: float
    target: float
    speed: float
    acceleration: float

    @cached_property
    def seconds(self) -> float:
        return 2 * self._ramp + self._cruise

    def position(self, at: float) -> float:
        if at >= self.seconds:
            return self.target
        left = self.seconds - at
        if at < self._ramp:
            return self.start + self._direction * self.acceleration * at * at / 2
        if left < self._ramp:
            return self.target - self._direction * self.acceleration * left * left / 2
        return self.start + self._direction * self._peak * (at - self._ramp / 2)

    def velocity(self, at: float) -> float:
        if not 0 < at < self.seconds:
            return 0.0
        ramp = min(at, self.seconds - at, self._ramp)
        return self._direction * self.acceleration * ramp

    @cached_property
    def _direction(self) -> float:
        return copysign(1.0, self.target - self.start)

    @cached_property
    def _peak(self) -> float:
        return min(self.speed, sqrt(abs(self.target - self.start) * self.acceleration))

    @cached_property
    def _ramp(self) -> float:
        return self._peak / self.acceleration

    @cached_property
    def _cruise(self) -> float:
        if self._peak < self.speed:
            return 0.0
        return max(0.0, abs(self.target - self.start) / self.speed - self._ramp)


@dataclass(frozen=True)
class Ramp:
    """Motion from a velocity to rest, with the axis's deceleration."""

    start: float
    initial_velocity: float
    """Velocity at the start, metres a second, signed."""
    acceleration: float

    @property
    def target(self) -> float:
        return self.position(self.seconds)

    @property
    def seconds(self) -> float:
        return abs(self.initial_velocity) / self.acceleration

    def position(self, at: float) -> float:
        at = min(at, self.seconds)
        brake = copysign(self.acceleration, self.initial_velocity)
        return self.start + self.initial_velocity * at - brake * at * at / 2

    def velocity(self, at: float) -> float:
        left = max(0.0, self.seconds - at)
        return copysign(self.acceleration * left, self.initial_velocity)
