"""Copies of files with one changed byte, for tests that any change is refused."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from tests.quick import tries


def with_one_changed_byte(whole: bytes, *, sample: int, quick: int) -> Iterator[bytes]:
    """Copies of `whole`, each with one changed bit in another byte.

    `make test` tries `sample` bytes at random, `make test-quick` tries `quick`, and `make evidence`
    tries every byte. A test that uses this must have the mark `evidence`.
    """
    chance = Random(len(whole))
    number = min(len(whole), tries(sample, quick=quick, evidence=len(whole)))
    for place in chance.sample(range(len(whole)), number):
        data = bytearray(whole)
        data[place] ^= 1 << chance.randrange(8)
        yield bytes(data)
