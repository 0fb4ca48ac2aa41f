"""The source of the machine's shares: the operating system's generator through an HMAC-DRBG.

The source cannot be seeded. A simulated table uses another class, which its assembly passes to the
daemon; this module does not depend on it.

HMAC_DRBG with SHA-256 is the deterministic random bit generator of NIST SP 800-90A, 10.1.2. Every
byte that it returns is determined by the entropy that it received, so the source tests the entropy.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Callable
from typing import Protocol

from controller.run.chance.health_tests import STARTUP_SAMPLES, EntropyFailureError, HealthTests
from rules.errors import WallwrightError

ENTROPY = 32
"""Bytes of entropy input at the least: the security strength of 256 bits."""
NONCE = 16
"""Bytes of the nonce at instantiation: half the security strength."""
MOST_BYTES = 65_536
"""Largest request, bytes (2**19 bits)."""
RESEED_INTERVAL = 10_000
"""Requests after which new entropy is necessary. The standard permits 2**48; this is ours."""


class DrbgRefusedError(WallwrightError):
    """A request that SP 800-90A forbids: too long, or too many since the last reseeding."""


class HmacDrbg:
    """One instance of the generator: `entropy` and `nonce` as random bytes, a text of its own.

    Two instances with different personalisations give unrelated bytes, even with equal entropy.
    Raises DrbgRefusedError for an entropy input or a nonce that is too short.
    """

    def __init__(self, entropy: bytes, nonce: bytes, personalisation: bytes = b"") -> None:
        _require(entropy, ENTROPY, "an entropy input")
        _require(nonce, NONCE, "a nonce")
        self._key, self._value = bytes(32), b"\x01" * 32
        self._requests = 1
        self._update(entropy + nonce + personalisation)

    def reseed(self, entropy: bytes, additional: bytes = b"") -> None:
        """Mix new entropy into the state. Raises DrbgRefusedError if it is too short."""
        _require(entropy, ENTROPY, "an entropy input")
        self._update(entropy + additional)
        self._requests = 1

    def generate(self, size: int, additional: bytes = b"") -> bytes:
        """Return `size` random bytes. Raises DrbgRefusedError."""
        if not 0 < size <= MOST_BYTES:
            raise DrbgRefusedError(
                f"A request is for 1 to {MOST_BYTES} bytes; got {size}. Make several requests."
            )
        if self._requests > RESEED_INTERVAL:
            raise DrbgRefusedError(
                f"{RESEED_INTERVAL} requests were made since the last reseeding; reseed first."
            )
        if additional:
            self._update(additional)
        made = b""
        while len(made) < size:
            self._value = _hmac(self._key, self._value)
            made += self._value
        self._update(additional)
        self._requests += 1
        return made[:size]

    def _update(self, provided: bytes) -> None:
        for mark in (b"\x00", b"\x01") if provided else (b"\x00",):
            self._key = _hmac(self._key, self._value + mark + provided)
            self._value = _hmac(self._key, self._value)


def _hmac(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha256")


def _require(given: bytes, least: int, what: str) -> None:
    if len(given) < least:
        raise DrbgRefusedError(f"{what} has at least {least} bytes; got {len(given)}.")


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
