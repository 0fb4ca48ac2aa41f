"""Heads that keep abreast, so that a nearly empty drum still feeds all of them.

The fewer tiles lie in the drum, the longer the next one takes to come: four heads that share the
last tiles are done long before one that has fallen behind and lifts them alone.
"""

from __future__ import annotations

import asyncio

LEAD = 1
"""How many stacks a head may be ahead of the last one."""


class Abreast:
    """Counts what each head has still to build and holds the leaders back."""

    def __init__(self, stacks: dict[str, int]) -> None:
        self._left = dict(stacks)
        self._moved = asyncio.Event()

    async def turn(self, head: str) -> None:
        """Wait until this head may build its next stack, and count that as begun."""
        while self._left[head] + LEAD < max(self._left.values()):
            self._moved.clear()
            await self._moved.wait()
        self._left[head] -= 1
        self._moved.set()
