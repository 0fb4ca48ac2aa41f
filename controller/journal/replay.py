"""Journal entries of an interrupted run, replayed in order until none is left.

A run that resumes goes through the same activities again, from the beginning. A step that the
journal confirms is not done again: its outcome is taken from the journal. Where the entries of an
activity end, its work begins. The last entry may be an intent without an outcome: then the step is
in doubt, and the sensors decide.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Protocol

from controller.journal.history import Entry
from controller.journal.lines import JournalError
from controller.journal.notes import Note

REPLAYED = ("under", "top", "play")
"""The activities whose steps are replayed; other entries record faults, questions and answers."""


class Notebook(Protocol):
    """The notes of one piece of work: those of an earlier run, and those that it records itself.

    `doubtful` work was begun by a run that was interrupted in it; `notes` are what that run wrote.
    """

    doubtful: bool
    notes: tuple[Note, ...]

    def record(self, note: Note) -> None:
        """Add what has happened, and begin to write it."""

    async def on_disk(self) -> None:
        """Wait until everything that was recorded is on disk."""

    async def note(self, note: Note) -> None:
        """Record what has happened; it is on disk when this returns."""


class DiscardingNotebook:
    """A notebook that keeps nothing, for work that is not part of a run."""

    doubtful = False
    notes: tuple[Note, ...] = ()

    def record(self, note: Note) -> None:
        """Nothing is kept."""

    async def on_disk(self) -> None:
        """Nothing is kept."""

    async def note(self, note: Note) -> None:
        """Nothing is kept."""


class Replay:
    """The entries of an interrupted run by activity, each taken once and in order."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._left: dict[str, deque[Entry]] = {activity: deque() for activity in REPLAYED}
        for entry in entries:
            if entry.activity in self._left:
                self._left[entry.activity].append(entry)

    @property
    def over(self) -> bool:
        """Whether every entry has been taken."""
        return not any(self._left.values())

    def ahead(self, activity: str) -> Entry | None:
        """The next entry of an activity, None if there is none."""
        left = self._left.get(activity)
        return left[0] if left else None

    def take(self, activity: str, intent: Mapping[str, object]) -> Entry | None:
        """Take the next entry of an activity, None if there is none.

        Raises JournalError if it has another intent: then this run was given other options.
        """
        entry = self.ahead(activity)
        if entry is None:
            return None
        if entry.intent != intent:
            raise JournalError(
                f"Entry {entry.number} of the journal is {_text(entry.intent)}, and this run would"
                f" do {_text(intent)}; give the same options as that run, or give the round up with"
                " --abandon."
            )
        return self._left[activity].popleft()


def _text(intent: Mapping[str, object]) -> str:
    return " ".join(f"{key} {value}" for key, value in intent.items())
