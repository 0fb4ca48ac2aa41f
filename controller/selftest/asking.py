"""Interface to the person at the table: announcements, questions and requests."""

from __future__ import annotations

import asyncio
from typing import Protocol

from controller.selftest.trial import DisagreementError, TrialAnswer
from firmware_bridge.board import Board

PATIENCE = 60.0
"""How long a person may take to cover or free a sensor, seconds."""


class Watcher(Protocol):
    """The person at the table, who observes the self-test."""

    async def begin(self, please: str, channels: tuple[str, ...]) -> bool:
        """Announce a trial; returns whether to go ahead. No part moves before that."""

    async def confirm(self, question: str, channels: tuple[str, ...]) -> TrialAnswer:
        """Whether the person saw the announced effect."""

    async def act(self, please: str, sensor: str, active: bool) -> None:
        """Ask the person to make a sensor active or inactive; returns at once."""


async def acted(watcher: Watcher, board: Board, please: str, sensor: str, active: bool) -> None:
    """Ask for it and wait until the sensor shows it. Raises Disagrees after `PATIENCE`."""
    edges = board.watch(sensor)
    await watcher.act(please, sensor, active)
    try:
        async with asyncio.timeout(PATIENCE):
            while bool(await board.read(sensor)) is not active:
                await anext(edges)
    except TimeoutError:
        level = "active" if active else "inactive"
        raise DisagreementError(f"{sensor} did not become {level} in {PATIENCE:.0f} s") from None
