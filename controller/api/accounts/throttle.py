"""Limits guesses: after several failures a name or an address is locked for some time."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

FREE_NAME, FREE_ADDRESS = 5, 20
"""Failures in a row of one name from one address, and of one address, before a lock."""
FIRST_LOCK = 30.0
"""Seconds of the first lock; each further failure doubles it."""
LONGEST_LOCK = 900.0
"""Seconds of the longest lock."""
TURN, TURNS_AT_ONCE, LONGEST_TURN = 1.0, 5, 15.0
"""Seconds between two attempts from this computer; attempts that need not wait; seconds for which
an attempt may wait for its turn."""
KEPT = 10_000
"""Names and addresses with failures that are kept; the oldest is dropped."""


@dataclass
class _Failures:
    count: int = 0
    until: float = 0.0


class Throttle:
    """Counts failures by name and address. Times are seconds of one clock."""

    def __init__(self) -> None:
        self._failures: OrderedDict[tuple[str, str], _Failures] = OrderedDict()

    def locked_for(self, name: str, address: str, now: float) -> float:
        """Seconds until another attempt is permitted; 0 if it is permitted now."""
        kept = (self._failures.get(key) for key in _keys(name, address))
        return max(0.0, *(failures.until - now if failures else 0.0 for failures in kept))

    def failed(self, name: str, address: str, now: float) -> None:
        """Count a failed attempt."""
        for key, free in zip(_keys(name, address), (FREE_NAME, FREE_ADDRESS), strict=True):
            failures = self._failures.setdefault(key, _Failures())
            self._failures.move_to_end(key)
            failures.count += 1
            if failures.count >= free:
                lock = FIRST_LOCK * 2.0 ** min(failures.count - free, 10)
                failures.until = now + min(lock, LONGEST_LOCK)
        while len(self._failures) > KEPT:
            self._failures.popitem(last=False)

    def succeeded(self, name: str, address: str) -> None:
        """Forget the failures of a name at an address, and the last one of the address."""
        by_name, by_address = _keys(name, address)
        self._failures.pop(by_name, None)
        failures = self._failures.get(by_address)
        if failures is not None:
            failures.count -= 1
            failures.until = 0.0
            if not failures.count:
                del self._failures[by_address]


class ConsoleTurns:
    """The attempts from this computer, one a second: they are never locked, see `Accounts`."""

    def __init__(self) -> None:
        self._over = 0.0
        """The time at which all turns so far are over."""

    def wait(self, now: float) -> float | None:
        """Take a turn; returns the seconds until it begins, None if too many wait."""
        self._over = max(now, self._over)
        wait = self._over - now - TURNS_AT_ONCE * TURN
        if wait > LONGEST_TURN:
            return None
        self._over += TURN
        return max(0.0, wait)

    def give_back(self) -> None:
        """Give a turn back: its attempt has succeeded."""
        self._over -= TURN


def _keys(name: str, address: str) -> tuple[tuple[str, str], tuple[str, str]]:
    return (name.casefold(), address), ("", address)
