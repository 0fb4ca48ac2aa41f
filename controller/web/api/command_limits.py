"""Limits of the commands that one caller gives, so that nobody fills the log or the store.

Commands that stop motions have no limit. Times are seconds of a clock that nobody sets.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from controller.service.commands import STOPS

PER_SECOND, AT_ONCE = 10.0, 100.0
"""Commands of one caller in a second for a long time, and at once (our choice). A jog is renewed
ten times a second at most, and a table of eight players acts less often."""
REFUSALS = 60
"""Refused commands of one caller in a minute; then the caller waits for the next minute."""
MINUTE = 60.0
KEPT = 1000
"""Callers that are kept; the one that was idle longest is dropped."""


@dataclass
class _Caller:
    """A caller's permits at a time, and its refused commands since the beginning of a minute."""

    permits: float
    at: float
    refused: int = 0
    minute: float = 0.0


class CommandLimits:
    """Admits the commands of callers, by the id of their credential."""

    def __init__(self) -> None:
        self._callers: OrderedDict[str, _Caller] = OrderedDict()

    def wait(self, caller: str, command: str, now: float) -> float:
        """Take a permit for a command; returns 0, or the seconds until one may be given."""
        if command in STOPS:
            return 0.0
        found = self._caller(caller, now)
        if found.refused >= REFUSALS and now < found.minute + MINUTE:
            return found.minute + MINUTE - now
        found.permits = min(AT_ONCE, found.permits + (now - found.at) * PER_SECOND)
        found.at = now
        if found.permits < 1.0:
            return (1.0 - found.permits) / PER_SECOND
        found.permits -= 1.0
        return 0.0

    def refused(self, caller: str, now: float) -> None:
        """Count a command that was refused."""
        found = self._caller(caller, now)
        if now >= found.minute + MINUTE:
            found.refused, found.minute = 0, now
        found.refused += 1

    def _caller(self, caller: str, now: float) -> _Caller:
        found = self._callers.setdefault(caller, _Caller(AT_ONCE, now, minute=now))
        self._callers.move_to_end(caller)
        while len(self._callers) > KEPT:
            self._callers.popitem(last=False)
        return found
