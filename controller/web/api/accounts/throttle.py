"""Limits guesses: after several failures a name or a source is locked for some time.

A source is an address (see `source_of`) or a browser in which a user has logged in before. Clients
on the table's own computer are not locked; they wait for their turn.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256

from controller.web.api.accounts.identity import (
    AccountRefusedError,
    is_loopback,
    key_of,
    source_of,
)

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
LOGINS_AT_ONCE, LOGIN_EVERY = 60, 10.0
"""Logins of one user at once, and seconds for each further one: each is a line of the log."""
MARKS = 8
"""Marks in the cookie of one browser, the latest last: users share a tablet."""


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
        # Without a name both keys are the same, which counts once.
        limits = dict(zip(_keys(name, address), (FREE_NAME, FREE_ADDRESS), strict=True))
        for key, free in limits.items():
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


class KnownBrowsers:
    """Recognises the browsers in which a user has logged in before.

    Such a browser has a cookie with a mark for the user. The mark gives no right: it is a source of
    its own, so that failures of others neither lock the browser nor take its turns. A mark for the
    empty name, which the touchscreen gets, counts for every user.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key

    def source(self, marks: str, user: str) -> str:
        """The source of a browser with these marks, for attempts at one user; empty without."""
        for mark in marks.split("_")[-MARKS:]:
            number, _, tag = mark.partition(".")
            for name in (user, ""):
                if hmac.compare_digest(tag.encode(), self._tag(number, name).encode()):
                    return f"browser {number}"
        return ""

    def marked(self, marks: str, user: str) -> str:
        """The marks of a browser in which this user has logged in."""
        if self.source(marks, user):
            return marks
        number = secrets.token_hex(8)
        kept = [each for each in marks.split("_") if 0 < len(each) < 100]
        return "_".join([*kept, f"{number}.{self._tag(number, user)}"][-MARKS:])

    def _tag(self, number: str, user: str) -> str:
        return hmac.new(self._key, f"browser {number} {user}".encode(), sha256).hexdigest()[:32]


@dataclass(frozen=True)
class Attempt:
    """An attempt that may be made: its source, or the turns of which it has taken one."""

    name: str
    source: str
    turns: ConsoleTurns | None = None


class Attempts:
    """Decides when a client may show a password, a pairing code or the token of a link.

    `elapsed` returns seconds of a clock that cannot be set.
    """

    def __init__(self, elapsed: Callable[[], float], known: KnownBrowsers) -> None:
        self._elapsed = elapsed
        self._known = known
        self._throttle = Throttle()
        self._console: OrderedDict[str, ConsoleTurns] = OrderedDict()
        """Turns of each source on this computer: of each known browser, and of all others."""
        self._logins: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """How often each user may still log in, at which time."""

    async def begin(self, name: str, address: str, marks: str = "") -> Attempt:
        """Begin an attempt to log in as a user, or as no particular user (an empty name).

        A lock would let any program on this computer lock out the technician at it. Instead, each
        attempt from here waits for its turn, one a second. Raises AccountRefusedError if the source
        is locked, or if too many wait.
        """
        known = self._known.source(marks, key_of(name))
        source = known or source_of(address)
        if not is_loopback(address):
            self._refuse(
                self._throttle.locked_for(name, source, self._elapsed()), "attempts have failed"
            )
            return Attempt(name, source)
        turns = self._console.setdefault(known, ConsoleTurns())
        self._console.move_to_end(known)
        while len(self._console) > KEPT:
            self._console.popitem(last=False)
        wait = turns.wait(self._elapsed())
        if wait is None:
            self._refuse(LONGEST_TURN, "attempts wait")
        await asyncio.sleep(wait or 0.0)
        return Attempt(name, source, turns)

    def failed(self, attempt: Attempt) -> None:
        """Count an attempt as failed.

        Called before a hash is computed, so that parallel attempts count as well.
        """
        if attempt.turns is None:
            self._throttle.failed(attempt.name, attempt.source, self._elapsed())

    def succeeded(self, attempt: Attempt) -> None:
        """Take back what `failed` has counted."""
        if attempt.turns is None:
            self._throttle.succeeded(attempt.name, attempt.source)
        else:
            attempt.turns.give_back()

    def log_in(self, user: str) -> None:
        """Count a login of a user. Raises AccountRefusedError after too many."""
        now = self._elapsed()
        left, at = self._logins.get(user, (float(LOGINS_AT_ONCE), now))
        left = min(float(LOGINS_AT_ONCE), left + (now - at) / LOGIN_EVERY)
        if left < 1.0:
            self._refuse((1.0 - left) * LOGIN_EVERY, "logins of this user")
        self._logins[user] = (left - 1.0, now)
        self._logins.move_to_end(user)
        while len(self._logins) > KEPT:
            self._logins.popitem(last=False)

    def _refuse(self, wait: float, what: str) -> None:
        """Raises AccountRefusedError if there is something to wait for."""
        if wait > 0:
            raise AccountRefusedError(
                "locked",
                f"Too many {what}.",
                f"Wait {wait:.0f} s before the next attempt.",
                wait,
            )


def _keys(name: str, address: str) -> tuple[tuple[str, str], tuple[str, str]]:
    return (key_of(name), address), ("", address)
