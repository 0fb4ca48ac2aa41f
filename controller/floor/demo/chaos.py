"""Injects failures into the demonstration: kills processes at random times."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from random import Random

from controller.floor.demo.child import Child

SOONEST, LATEST = 15.0, 45.0
"""Seconds between two kills (our choice)."""
OTHERS = 0.2
"""Share of the kills that hit the broker or the floor service instead of a table."""
FAULTS = ("jam:head0:0.002", "dirty_sensor:head0:0.002")
"""Faults that every table gets: each shipped table has the part."""


async def kill_at_random(
    tables: Sequence[Child], others: Sequence[Child], chance: Random, report: Callable[[str], None]
) -> None:
    """Kill one process after another until cancelled."""
    while True:
        await asyncio.sleep(chance.uniform(SOONEST, LATEST))
        group = others if others and chance.random() < OTHERS else tables
        child = chance.choice(group)
        if child.kill():
            report(f"The {child.command.name} was killed.")
