"""The source of random shares of a simulated table: repeatable, and of no use for a real one.

It implements `controller.run.chance.source.ChanceSource`.
"""

from __future__ import annotations

import hmac


class SeededChance:
    """Gives for each context the same share of 32 bytes, by the seed and the device's name."""

    def __init__(self, seed: int | str, device: str) -> None:
        self._key = f"simulated chance {seed} {device}".encode()

    def share(self, context: str) -> bytes:
        """The share for this context; another context gives an unrelated share."""
        return hmac.digest(self._key, context.encode(), "sha256")
