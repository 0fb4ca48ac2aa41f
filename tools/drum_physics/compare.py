"""Compares the segregation index of the same drums in MuJoCo and in PyBullet."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from statistics import mean, stdev
from typing import Any

from tools.drum_physics.fit import CAMPAIGN, read_runs

BULLET = CAMPAIGN.with_name("drum_bullet.json")


@dataclass(frozen=True)
class Comparison:
    """Mean segregation index of a design over the same seconds, in both engines."""

    design: str
    seconds: int
    mujoco: float
    mujoco_error: float
    bullet: float
    bullet_error: float
    fastest: float
    """Speed of the fastest tile in PyBullet, m/s."""

    @property
    def deviation(self) -> float:
        """The difference in standard errors."""
        return (self.mujoco - self.bullet) / sqrt(self.mujoco_error**2 + self.bullet_error**2)


def compared_engines() -> list[Comparison]:
    """A comparison of each design that PyBullet has simulated."""
    bullet, mujoco = read_runs(BULLET), read_runs()
    rows = []
    for design in dict.fromkeys(run["design"] for run in bullet):
        other = [run for run in bullet if run["design"] == design]
        own = [run for run in mujoco if run["design"] == design]
        seconds = len(other[0]["segregation"])
        rows.append(
            Comparison(
                design,
                seconds,
                *_mean_and_error(own, seconds),
                *_mean_and_error(other, seconds),
                max(run["fastest"] for run in other),
            )
        )
    return rows


def _mean_and_error(runs: Iterable[Any], seconds: int) -> tuple[float, float]:
    means = [mean(run["segregation"][:seconds]) for run in runs]
    return mean(means), stdev(means) / sqrt(len(means))
