"""The person who stands at the table: what they are told, asked, and asked to do."""

from __future__ import annotations

import asyncio
from typing import Protocol

from controller.selftest.trial import DisagreementError, TrialAnswer
from firmware_bridge.board import Board

PATIENCE = 60.0
"""How long a person may take to cover or free a sensor, seconds."""


class Watcher(Protocol):
    """Somebody who stands at the table."""

    async def begin(self, please: str, channels: tuple[str, ...]) -> bool:
        """Say what comes; whether to go ahead. Until then nothing of it moves."""

    async def confirm(self, question: str, channels: tuple[str, ...]) -> TrialAnswer:
        """Whether they saw what they were told that they would see."""

    async def act(self, please: str, sensor: str, active: bool) -> None:
        """Ask them to make a sensor active or inactive; return at once."""


async def acted(watcher: Watcher, board: Board, please: str, sensor: str, active: bool) -> None:
    """Ask for it and wait until the sensor says so. Raises Disagrees after `PATIENCE`."""
    edges = board.watch(sensor)
    await watcher.act(please, sensor, active)
    try:
        async with asyncio.timeout(PATIENCE):
            while bool(await board.read(sensor)) is not active:
                await anext(edges)
    except TimeoutError:
        level = "active" if active else "inactive"
        raise DisagreementError(f"{sensor} did not become {level} in {PATIENCE:.0f} s") from None
