"""The source of the machine's shares: the operating system's generator through an HMAC-DRBG.

The source cannot be seeded. A simulated table uses another class, which its assembly passes to the
daemon; this module does not depend on it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Protocol

from controller.run.chance.health_tests import STARTUP_SAMPLES, EntropyFailureError, HealthTests
from controller.run.chance.hmac_drbg import ENTROPY, NONCE, HmacDrbg

SHARE = 32
"""Bytes of the machine's share of a cycle."""


class ChanceSource(Protocol):
    """A source of random shares for one device."""

    def share(self, context: str) -> bytes:
        """A new random share of 32 bytes for `context`, which is mixed into the draw.

        Raises EntropyFailureError.
        """


OpenChance = Callable[[str], ChanceSource]
"""Opens the source of a device by the device's name. Raises EntropyFailureError."""


class OperatingSystemChance:
    """The source of a real device: an HMAC-DRBG, reseeded from the operating system for each share.

    `device` names the device (table and serial number); it personalises the generator, so that two
    devices differ even with equal entropy. The first 1,024 bytes of the operating system are tested
    and discarded; all later bytes are tested before they are used. Raises EntropyFailureError.
    """

    def __init__(self, device: str) -> None:
        self._tests = HealthTests()
        self._entropy(STARTUP_SAMPLES)
        entropy, nonce = self._entropy(ENTROPY), self._entropy(NONCE)
        self._drbg = HmacDrbg(entropy, nonce, b"wallwright chance " + device.encode())

    def share(self, context: str) -> bytes:
        """A new random share; new entropy is mixed in before it. Raises EntropyFailureError."""
        self._drbg.reseed(self._entropy(ENTROPY))
        return self._drbg.generate(SHARE, context.encode())

    def _entropy(self, size: int) -> bytes:
        """Bytes of the operating system that have passed the health tests."""
        try:
            given = self._read(size)
        except OSError as error:
            raise EntropyFailureError(
                f"the operating system's generator cannot be read ({error})"
            ) from error
        self._tests.check(given)
        if len(given) != size:
            raise EntropyFailureError(
                f"the operating system's generator gave {len(given)} of {size} bytes"
            )
        return given

    def _read(self, size: int) -> bytes:
        """Read the operating system's generator; on Linux it waits until it has been seeded."""
        return os.urandom(size)
