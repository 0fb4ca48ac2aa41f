"""The source of the machine's shares: the operating system's generator through an HMAC-DRBG.

The source cannot be seeded. A simulated table uses another class, which its assembly passes to the
daemon; this module does not depend on it.

HMAC_DRBG with SHA-256 is the deterministic random bit generator of NIST SP 800-90A, 10.1.2. Every
byte that it returns is determined by the entropy that it received, so the source tests the entropy
with the health tests of NIST SP 800-90B, 4.4: repetition count and adaptive proportion. Both find a
source that has failed: one that repeats a value, or prefers one. They say nothing about small
defects. The cut-offs follow from the min-entropy that is stated for a sample, and from the accepted
probability of a false alarm:

    >>> HealthLimits(min_entropy=2.0, false_alarm=2.0**-20).repetition_cutoff
    11
"""

from __future__ import annotations

import hmac
import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

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
                f"A request must be for 1 to {MOST_BYTES} bytes; got {size}. Make several requests."
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
        raise DrbgRefusedError(f"{what} must have at least {least} bytes; got {len(given)}.")


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


WINDOW = 512
"""Samples in a window of the adaptive proportion test, for samples with more than two values."""
STARTUP_SAMPLES = 1024
"""Samples that are tested, and not used, before the first use of a source."""


class EntropyFailureError(WallwrightError):
    """The source of entropy failed a health test, or cannot be read; the message has the figures.

    Nothing is drawn from this source any more.
    """


@dataclass(frozen=True)
class HealthLimits:
    """The stated min-entropy of a source, the accepted rate of false alarms, and the cut-offs.

    `min_entropy` is in bits for each sample. `false_alarm` is the accepted probability with which a
    test fails at one sample (repetition count) or in one window (adaptive proportion) of a source
    with that min-entropy. The formulas are the standard's. In the second one the standard does not
    allow for the first sample of a window, which always equals itself, so the real probability is
    higher: 4 times with the limits below.
    """

    min_entropy: float
    false_alarm: float

    @cached_property
    def repetition_cutoff(self) -> int:
        """Equal samples in a row at which the repetition count test fails."""
        return 1 + math.ceil(-math.log2(self.false_alarm) / self.min_entropy)

    @cached_property
    def proportion_cutoff(self) -> int:
        """Samples of a window, equal to its first one, at which adaptive proportion fails."""
        return 1 + _critical_binomial(WINDOW, 2.0**-self.min_entropy, self.false_alarm)


LIMITS = HealthLimits(min_entropy=6.0, false_alarm=2.0**-30)
"""The limits for bytes of the operating system. A byte of its generator has almost 8 bits; 6 bits
are stated, so that no sound source is refused."""


class HealthTests:
    """Both tests of one stream of bytes; a byte is a sample. Once failed, they stay failed."""

    def __init__(self, limits: HealthLimits = LIMITS) -> None:
        self._limits = limits
        self._last: int | None = None
        self._repeated = 0
        self._first = 0
        self._seen = 0
        self._equal = 0
        self._failure = ""

    def check(self, samples: bytes) -> None:
        """Test the next samples of the stream. Raises EntropyFailureError."""
        for sample in samples:
            if not self._failure:
                self._failure = self._repetition(sample) or self._proportion(sample)
        if self._failure:
            raise EntropyFailureError(self._failure)

    def _repetition(self, sample: int) -> str:
        self._repeated = self._repeated + 1 if sample == self._last else 1
        self._last = sample
        if self._repeated < self._limits.repetition_cutoff:
            return ""
        return (
            f"repetition count: the byte {sample} came {self._repeated} times in a row; fewer than"
            f" {self._limits.repetition_cutoff} are expected"
        )

    def _proportion(self, sample: int) -> str:
        if not self._seen:
            self._first, self._equal = sample, 0
        self._equal += sample == self._first
        self._seen = (self._seen + 1) % WINDOW
        if self._equal < self._limits.proportion_cutoff:
            return ""
        return (
            f"adaptive proportion: the byte {sample} came {self._equal} times within {WINDOW}"
            f" samples; fewer than {self._limits.proportion_cutoff} are expected"
        )


def _critical_binomial(trials: int, probability: float, tail: float) -> int:
    """The least number k with P(X > k) of at most `tail`, for a binomial X."""
    above, number = 0.0, trials
    while number > 0:
        above += math.exp(
            math.lgamma(trials + 1)
            - math.lgamma(number + 1)
            - math.lgamma(trials - number + 1)
            + number * math.log(probability)
            + (trials - number) * math.log1p(-probability)
        )
        if above > tail:
            return number
        number -= 1
    return 0
