"""The interface to the person at the table: announcements, questions and requests."""

from __future__ import annotations

import asyncio
from contextlib import closing
from typing import Protocol

from controller.upkeep.selftest.trial import DisagreementError, TrialAnswer
from firmware_bridge.board import Board

PATIENCE = 60.0
"""Time limit for a person to cover or free a sensor, seconds."""


class Watcher(Protocol):
    """The person who watches the table during the self-test."""

    async def begin(self, please: str, channels: tuple[str, ...]) -> bool:
        """Announce a trial; returns whether the person agrees to it. No part moves before."""

    async def confirm(self, question: str, channels: tuple[str, ...]) -> TrialAnswer:
        """Ask whether the announced effect was seen on these channels; returns the answer."""

    async def act(self, please: str, sensor: str, active: bool) -> None:
        """Ask the person to make a sensor active or inactive; return without waiting for it."""


async def wait_for_sensor(
    watcher: Watcher, board: Board, please: str, sensor: str, active: bool
) -> None:
    """Ask the person to change a sensor, and wait until the board reports the new level.

    Raises DisagreementError after `PATIENCE`.
    """
    with closing(board.watch(sensor)) as edges:
        await watcher.act(please, sensor, active)
        try:
            async with asyncio.timeout(PATIENCE):
                while bool(await board.read(sensor)) is not active:
                    await anext(edges)
        except TimeoutError:
            level = "active" if active else "inactive"
            late = f"{sensor} did not become {level} in {PATIENCE:.0f} s"
            raise DisagreementError(late) from None
