"""One trial of the self-test, and its result."""

from __future__ import annotations

import enum
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from rules.errors import WallwrightError


class TrialAnswer(enum.Enum):
    """The person's answer."""

    YES = "yes"
    NO = "no"
    SKIP = "skip"


class TrialVerdict(enum.Enum):
    """The verdict of a trial."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


class DisagreementError(WallwrightError):
    """A sensor did not show the expected state; the text is what it showed, without a full stop."""


@dataclass(frozen=True)
class Trial:
    """One thing to try. A trial without a question is judged by its sensors alone."""

    part: str
    what: str
    channels: tuple[str, ...]
    please: str
    """Announcement to the person before the trial begins."""
    ordered: str
    """Commands to the table, for the report."""
    do: Callable[[], Awaitable[str]]
    """Carries out the trial; returns the evidence. Raises Disagrees, BoardError or TableFault."""
    question: str = ""
    moves: tuple[str, ...] = ()
    """The channels that need a lease."""

    def came_to(self, seen: str, answer: TrialAnswer | None, verdict: TrialVerdict) -> Result:
        """Its result: the sensors' evidence, the person's answer, and the verdict."""
        words = answer.value if answer else ""
        return Result(self.part, self.what, self.channels, self.ordered, seen, words, verdict)


@dataclass(frozen=True)
class Result:
    """One trial and its result."""

    part: str
    what: str
    channels: tuple[str, ...]
    ordered: str
    seen: str
    answer: str
    verdict: TrialVerdict

    def facts(self) -> dict[str, Any]:
        """As plain JSON values."""
        told = {name: getattr(self, name) for name in ("part", "what", "ordered", "seen", "answer")}
        return {**told, "channels": list(self.channels), "verdict": self.verdict.value}
