"""What the journal tells of a story that was broken off, until it falls silent.

A run that goes on with such a story goes through the same activities again, from the beginning.
What the journal confirms is not done again, only believed; where an activity's entries end, its
work begins. The last entry may be an intent without an outcome: what came of it is in doubt, and
its sensors are asked.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Protocol

from controller.journal.history import Entry
from controller.journal.lines import JournalError
from controller.journal.notes import Note

RETOLD = ("under", "top", "play")
"""The activities whose steps are gone through again; other entries tell what befell them."""


class Notebook(Protocol):
    """What a piece of work may know of itself, and what it writes down on the way.

    `doubtful` work was begun by a run that was broken off in it; `notes` are what that run wrote.
    """

    doubtful: bool
    notes: tuple[Note, ...]

    def record(self, note: Note) -> None:
        """Add what has happened, and begin to write it."""

    async def on_disk(self) -> None:
        """Wait until everything that was recorded is on disk."""

    async def note(self, note: Note) -> None:
        """Record what has happened; it is on disk when this returns."""


class Unread:
    """The notebook of work that nobody will ever ask about."""

    doubtful = False
    notes: tuple[Note, ...] = ()

    def record(self, note: Note) -> None:
        """Nothing is kept."""

    async def on_disk(self) -> None:
        """Nothing is kept."""

    async def note(self, note: Note) -> None:
        """Nothing is kept."""


class Past:
    """The entries of a story by activity, each taken once and in order."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._left: dict[str, deque[Entry]] = {activity: deque() for activity in RETOLD}
        for entry in entries:
            if entry.activity in self._left:
                self._left[entry.activity].append(entry)

    @property
    def over(self) -> bool:
        """Whether everything has been told: the present has begun."""
        return not any(self._left.values())

    def ahead(self, activity: str) -> Entry | None:
        """What an activity did next, if the journal tells of it."""
        left = self._left.get(activity)
        return left[0] if left else None

    def take(self, activity: str, intent: Mapping[str, object]) -> Entry | None:
        """What the journal tells of this intent, None where it is silent.

        Raises JournalError where the story tells of something else: other orders were given.
        """
        entry = self.ahead(activity)
        if entry is None:
            return None
        if entry.intent != intent:
            raise JournalError(
                f"The journal's entry {entry.number} tells of {_said(entry.intent)} where this run"
                f" would have {_said(intent)}; give the same options as then, or --abandon the"
                " round."
            )
        return self._left[activity].popleft()


def _said(intent: Mapping[str, object]) -> str:
    return " ".join(f"{key} {value}" for key, value in intent.items())
