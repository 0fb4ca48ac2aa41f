"""Tests of a stream of bits by NIST SP 800-22, revision 1a; `bits` is an array of zeros and ones.

The numbers in the docstrings are the sections of that publication. The module also contains the
result of a statistical test and the chi-square test of counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from rules.errors import WallwrightError


class TooFewSamplesError(WallwrightError, ValueError):
    """A test got fewer samples than its approximation permits; the message has both numbers."""


@dataclass(frozen=True)
class StreamTest:
    """One test: its name, its statistic, and its p value.

    The p value is the probability that an ideal source gives a result as extreme as this one or
    more so. `question` says in words what the test finds.
    """

    name: str
    question: str
    statistic: float
    p: float


def chi_square(
    name: str, question: str, counts: Any, probabilities: Any, *, freedom: int | None = None
) -> StreamTest:
    """Compare counts with the probabilities of an ideal source.

    `freedom` is the number of degrees of freedom; by default the number of counts minus one. Raises
    TooFewSamplesError if a count is expected fewer than five times.
    """
    seen = np.asarray(counts, dtype=float)
    expected = np.asarray(probabilities, dtype=float) * seen.sum()
    if expected.min() < 5.0:
        raise TooFewSamplesError(
            f"The test '{name}' expects {expected.min():.1f} samples in its rarest class and needs"
            " 5; draw more."
        )
    statistic = float(((seen - expected) ** 2 / expected).sum())
    degrees = seen.size - 1 if freedom is None else freedom
    return StreamTest(name, question, statistic, float(special.chdtrc(degrees, statistic)))


def two_sided(name: str, question: str, z: float) -> StreamTest:
    """The test of a value that is normal with mean 0 and standard deviation 1."""
    return StreamTest(name, question, z, math.erfc(abs(z) / math.sqrt(2.0)))


def holm(values: Sequence[float]) -> tuple[float, ...]:
    """The p values corrected for their number by the method of Holm.

    The smallest of m values is multiplied by m, the next one by m - 1, and so on. An ideal source
    then fails any of the tests at 1 % with a probability of at most 1 %.
    """
    corrected = [0.0] * len(values)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(values)), key=lambda each: values[each])):
        largest = max(largest, min(1.0, values[index] * (len(values) - rank)))
        corrected[index] = largest
    return tuple(corrected)


Bits = Any
"""An array of numpy with the values 0 and 1."""


def bits_of(data: bytes) -> Bits:
    """The bits of bytes, the highest bit of each byte first."""
    return np.unpackbits(np.frombuffer(data, dtype=np.uint8))


def frequency(bits: Bits) -> StreamTest:
    """Whether ones and zeros are equally frequent (2.1)."""
    total = int(2 * bits.astype(np.int64).sum() - bits.size)
    statistic = abs(total) / math.sqrt(bits.size)
    return StreamTest(
        "frequency", "as many ones as zeros", statistic, math.erfc(statistic / math.sqrt(2))
    )


def block_frequency(bits: Bits, block: int = 128) -> StreamTest:
    """Whether ones and zeros are equally frequent within blocks (2.2)."""
    blocks = bits.size // block
    shares = bits[: blocks * block].reshape(blocks, block).mean(axis=1)
    statistic = float(4 * block * ((shares - 0.5) ** 2).sum())
    p = float(special.gammaincc(blocks / 2, statistic / 2))
    return StreamTest("block frequency", f"the same in each {block} bits", statistic, p)


def runs(bits: Bits) -> StreamTest:
    """Whether ones and zeros alternate as often as they should (2.3)."""
    share, size = float(bits.mean()), bits.size
    changes = 1 + int((bits[1:] != bits[:-1]).sum())
    question = "as many changes between ones and zeros as expected"
    if abs(share - 0.5) >= 2 / math.sqrt(size):
        return StreamTest("runs", question, float(changes), 0.0)
    spread = 2 * share * (1 - share)
    distance = abs(changes - size * spread) / (math.sqrt(2 * size) * spread)
    return StreamTest("runs", question, float(changes), math.erfc(distance))


def serial(bits: Bits, length: int = 8) -> tuple[StreamTest, StreamTest]:
    """Whether all overlapping patterns of bits are equally frequent (2.11); two p values."""
    first, second, third = (_pattern_sum(bits, length - less) for less in range(3))
    once, twice = first - second, first - 2 * second + third
    question = f"every pattern of {length} bits equally often, overlapping"
    return (
        StreamTest(
            "serial 1", question, once, float(special.gammaincc(2 ** (length - 2), once / 2))
        ),
        StreamTest(
            "serial 2", question, twice, float(special.gammaincc(2 ** (length - 3), twice / 2))
        ),
    )


def _pattern_sum(bits: Bits, length: int) -> float:
    """The sum of the squared counts of each pattern, normalised; 0 for no bits (psi squared)."""
    if length <= 0:
        return 0.0
    around = np.concatenate((bits, bits[: length - 1])).astype(np.int64)
    patterns = np.zeros(bits.size, dtype=np.int64)
    for place in range(length):
        patterns = 2 * patterns + around[place : place + bits.size]
    counts = np.bincount(patterns, minlength=2**length).astype(float)
    return float((counts**2).sum() * 2**length / bits.size - bits.size)


def cumulative_sums(bits: Bits, *, backward: bool = False) -> StreamTest:
    """Whether the balance of ones and zeros goes too far to one side (2.13)."""
    steps = 2 * bits.astype(np.int64) - 1
    highest = int(np.abs(np.cumsum(steps[::-1] if backward else steps)).max())
    size, root = bits.size, math.sqrt(bits.size)

    def normal(value: float) -> float:
        return 0.5 * math.erfc(-value / math.sqrt(2))

    p = 1.0
    for k in range(int((-size / highest + 1) / 4), int((size / highest - 1) / 4) + 1):
        p -= normal((4 * k + 1) * highest / root) - normal((4 * k - 1) * highest / root)
    for k in range(int((-size / highest - 3) / 4), int((size / highest - 1) / 4) + 1):
        p += normal((4 * k + 3) * highest / root) - normal((4 * k + 1) * highest / root)
    name = f"cumulative sums {'backward' if backward else 'forward'}"
    return StreamTest(name, "no long excess of ones or of zeros", highest, min(1.0, max(0.0, p)))


def byte_values(data: bytes) -> StreamTest:
    """Whether all values of a byte are equally frequent (chi-square, 255 degrees of freedom)."""
    counts = np.bincount(np.frombuffer(data, dtype=np.uint8), minlength=256)
    return chi_square("bytes", "every byte equally often", counts, np.full(256, 1 / 256))


def repeated_words(data: bytes) -> StreamTest:
    """Whether 8 bytes of the stream come twice, as when a generator is copied or falls back.

    The number of equal pairs has a Poisson distribution; one pair is expected in 2**64 pairs.
    """
    words = np.frombuffer(data[: len(data) // 8 * 8], dtype=">u8")
    _, counts = np.unique(words, return_counts=True)
    pairs = int((counts * (counts - 1) // 2).sum())
    mean = words.size * (words.size - 1) / 2 / 2.0**64
    p = float(special.gammainc(pairs, mean)) if pairs else 1.0
    return StreamTest("repeated bytes", "no 8 bytes come twice", float(pairs), p)


def stream_tests(data: bytes) -> tuple[StreamTest, ...]:
    """All tests of this module on a stream; it needs at least 1,280 bytes."""
    bits = bits_of(data)
    return (
        frequency(bits),
        block_frequency(bits),
        runs(bits),
        *serial(bits),
        cumulative_sums(bits),
        cumulative_sums(bits, backward=True),
        byte_values(data),
        repeated_words(data),
    )
