"""One trial, and what it comes to."""

from __future__ import annotations

import enum
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from rules.errors import WallwrightError


class TrialAnswer(enum.Enum):
    """What the person said."""

    YES = "yes"
    NO = "no"
    SKIP = "skip"


class TrialVerdict(enum.Enum):
    """What a trial came to."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


class DisagreementError(WallwrightError):
    """A sensor did not show what it should: what it did, as a sentence without a stop."""


@dataclass(frozen=True)
class Trial:
    """One thing to try. A trial without a question is judged by its sensors alone."""

    part: str
    what: str
    channels: tuple[str, ...]
    please: str
    """What the person is told before it begins."""
    ordered: str
    """What the table is told to do, for the report."""
    do: Callable[[], Awaitable[str]]
    """Tries it and returns what was seen. Raises Disagrees, BoardError or TableFault."""
    question: str = ""
    moves: tuple[str, ...] = ()
    """The channels that need a lease."""

    def came_to(self, seen: str, said: TrialAnswer | None, verdict: TrialVerdict) -> Result:
        """Its result: what the sensors and the person said, and what follows from it."""
        words = said.value if said else ""
        return Result(self.part, self.what, self.channels, self.ordered, seen, words, verdict)


@dataclass(frozen=True)
class Result:
    """One trial, and what it came to."""

    part: str
    what: str
    channels: tuple[str, ...]
    ordered: str
    seen: str
    said: str
    verdict: TrialVerdict

    def facts(self) -> dict[str, Any]:
        """As plain JSON values."""
        told = {name: getattr(self, name) for name in ("part", "what", "ordered", "seen", "said")}
        return {**told, "channels": list(self.channels), "verdict": self.verdict.value}
