"""The presses of jog buttons whose motion has ended: late renewals of these have no effect."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass

KEPT = 64
"""Number of ended presses that are remembered; far more than one technician makes in a minute."""


@dataclass(frozen=True)
class Press:
    """One press of a jog button by one client; `number` differs from press to press.

    An empty number is that of a client which does not number its presses.
    """

    client: str
    name: str
    number: str = ""


class EndedPresses:
    """The latest presses that have ended, per motion (a channel and a direction).

    A press with a number never counts as a new press again. A press without a number does, if the
    client has been silent for `renewal` seconds of the event loop's clock, or has released.
    """

    def __init__(self, renewal: float) -> None:
        self._renewal = renewal
        self._until: dict[tuple[str, str, str], float] = {}
        """By client, number and motion: when the press is forgotten. An empty motion is any."""

    def add(self, press: Press, motion: str) -> None:
        """Add a press whose motion has ended while its button was held, as far as is known."""
        self._add(press.client, press.number, motion)

    def release(self, client: str, number: str) -> None:
        """Note that a button has been released, perhaps before its first renewal arrives."""
        if number:
            self._add(client, number, "")
            return
        for key in [key for key in self._until if key[:2] == (client, "")]:
            del self._until[key]

    def includes(self, press: Press, motion: str) -> bool:
        """Whether this renewal belongs to a press that has ended."""
        for known in (motion, ""):
            key = (press.client, press.number, known)
            if _now() < self._until.get(key, -math.inf):
                self._add(*key)
                return True
        return False

    def _add(self, client: str, number: str, motion: str) -> None:
        """Remember a press as the latest one, and forget the oldest."""
        self._until.pop((client, number, motion), None)
        self._until[client, number, motion] = math.inf if number else _now() + self._renewal
        while len(self._until) > KEPT:
            del self._until[next(iter(self._until))]


def _now() -> float:
    return asyncio.get_running_loop().time()
