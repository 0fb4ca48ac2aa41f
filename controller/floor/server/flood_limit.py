"""Limits the messages of each table, so that one table cannot use the time of the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

RATE = 8.0
"""Messages of one table in a second, over a longer time. A table in play sends at most one."""
BURST = 40.0
"""Messages of one table at once, such as those of a new connection."""
MOST_KEYS = 20_000
"""Tables that are counted; see `room.MOST_TABLES`."""
Key = TypeVar("Key")


@dataclass
class _Bucket:
    """The messages that are permitted at time `at`."""

    left: float
    at: float


class FloodLimit(Generic[Key]):
    """A token bucket for each table. Times are seconds of one clock."""

    def __init__(self, rate: float = RATE, burst: float = BURST) -> None:
        self._rate, self._burst = rate, burst
        self._buckets: dict[Key, _Bucket] = {}

    def admits(self, key: Key, now: float) -> bool:
        """Count one message; false if it is one too many."""
        bucket = self._buckets.get(key)
        if bucket is None:
            if len(self._buckets) >= MOST_KEYS:
                self._forget(now)
            bucket = self._buckets[key] = _Bucket(self._burst, now)
        bucket.left = min(self._burst, bucket.left + (now - bucket.at) * self._rate)
        bucket.at = now
        if bucket.left < 1:
            return False
        bucket.left -= 1
        return True

    def _forget(self, now: float) -> None:
        """Forget full buckets, and the older half if all are in use."""
        full = self._burst / self._rate
        kept = {key: each for key, each in self._buckets.items() if now - each.at < full}
        self._buckets = dict(list(kept.items())[-MOST_KEYS // 2 :])
