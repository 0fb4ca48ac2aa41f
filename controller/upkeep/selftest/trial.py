"""A trial of the self-test and its result."""

from __future__ import annotations

import enum
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from rules.errors import WallwrightError


class TrialAnswer(enum.Enum):
    """The person's answer to the question of a trial."""

    YES = "yes"
    NO = "no"
    SKIP = "skip"


class TrialVerdict(enum.Enum):
    """The verdict of a trial."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


class DisagreementError(WallwrightError):
    """A sensor did not show the expected state; the text is its evidence, without a full stop."""


@dataclass(frozen=True)
class Trial:
    """One trial. Without a question it is judged by its sensors alone.

    `part` and `what` name the part and what is tried of it; `channels` are the channels involved.
    """

    part: str
    what: str
    channels: tuple[str, ...]
    please: str
    """The announcement to the person before the trial."""
    ordered: str
    """The commands to the table, as text for the report."""
    do: Callable[[], Awaitable[str]]
    """Carries out the trial; returns the evidence.

    Raises DisagreementError, BoardError, TableFault.
    """
    question: str = ""
    moves: tuple[str, ...] = ()
    """The channels whose boards need their lease for the trial."""

    def result(self, seen: str, answer: TrialAnswer | None, verdict: TrialVerdict) -> Result:
        """The trial's result, from the sensors' evidence, the person's answer and the verdict."""
        text = answer.value if answer else ""
        return Result(self.part, self.what, self.channels, self.ordered, seen, text, verdict)


@dataclass(frozen=True)
class Result:
    """The result of one trial; the fields are as in `Trial`, `seen` is the evidence."""

    part: str
    what: str
    channels: tuple[str, ...]
    ordered: str
    seen: str
    answer: str
    verdict: TrialVerdict

    def facts(self) -> dict[str, Any]:
        """The result as JSON values."""
        texts = {
            name: getattr(self, name) for name in ("part", "what", "ordered", "seen", "answer")
        }
        return {**texts, "channels": list(self.channels), "verdict": self.verdict.value}
