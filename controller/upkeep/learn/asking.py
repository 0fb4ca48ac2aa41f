"""The interface to the person who watches the table while it is learned."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Protocol

MOVE = "move"
"""The word that a person types before a motion."""
CLEAR = "clear"
"""The word that a person types before a safety fault is cleared."""
NOTHING, UNSURE = "nothing", "unsure"
YES, NO = "yes", "no"


class QuestionKind(enum.Enum):
    """What a question is about; each kind has its own answers."""

    MOVED = "moved"
    """Which part of the table moved: a motor of the table, `nothing` or `unsure`."""
    AT_FAR_END = "at_far_end"
    """Whether the part is at its far end now (open, up): `yes`, `no` or `unsure`."""
    WORKS_FORWARD = "works_forward"
    """Whether the motor ran in its working direction: `yes`, `no` or `unsure`."""
    AGAIN = "again"
    """Whether the wires that are not known yet are tried again: `yes` or `no`."""


@dataclass(frozen=True)
class LearnQuestion:
    """A question to the person. `wire` and `role` are the channels that it is about, or ''."""

    kind: QuestionKind
    text: str
    answers: tuple[str, ...]
    wire: str = ""
    role: str = ""


class LearnPerson(Protocol):
    """The person at the table."""

    async def allow(self, please: str, word: str, wire: str = "") -> bool:
        """Announce a motion and wait for the typed word; False if the person skips it."""

    async def choose(self, question: LearnQuestion) -> str:
        """Ask a question; return one of its answers."""

    async def act(self, please: str, role: str) -> None:
        """Ask the person to actuate a sensor by hand; return without waiting for it."""

    def report(self, line: str) -> None:
        """Show what was found."""
