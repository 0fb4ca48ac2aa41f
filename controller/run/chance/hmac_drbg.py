"""HMAC_DRBG with SHA-256, a deterministic random bit generator by NIST SP 800-90A, 10.1.2.

It turns entropy into random bytes. Every random byte of it is determined by the entropy, so the
entropy comes from `source`, which tests it.
"""

from __future__ import annotations

import hmac

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
