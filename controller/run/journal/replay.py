"""Journal entries of an interrupted run, replayed in order until none is left.

A run that resumes another one repeats the same activities from the beginning. A step that the
journal confirms is not executed again: its outcome is taken from the journal. After the last entry
of an activity, its steps are executed. If the last entry is an intent without an outcome, the
journal does not show how far the step came, and the sensors decide.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from controller.run.journal.history import Entry
from controller.run.journal.lines import JournalError
from controller.run.journal.notes import Note

REPLAYED = ("under", "top", "play", "programme", "chance")
"""Activities whose steps are replayed; other entries record faults, prompts and answers."""
SEQUENTIAL = ("top", "play", "programme")
"""Activities of one task: their steps follow one another, so a resumed run takes their entries in
the order of their numbers. An entry that is left behind is an error; it would be taken later for
another step, for example old dice for a new throw."""


class Notebook(Protocol):
    """The notes of one intent: those of an interrupted run, and those that this run records.

    `doubtful` is set if an earlier run began the intent and was interrupted before its outcome;
    `notes` are the notes which that run recorded.
    """

    doubtful: bool
    notes: tuple[Note, ...]

    def record(self, note: Note) -> None:
        """Add a note and begin to write it."""

    async def on_disk(self) -> None:
        """Wait until all recorded notes are on disk."""

    async def note(self, note: Note) -> None:
        """Record a note and wait until it is on disk."""


class DiscardingNotebook:
    """A notebook that discards notes, for work that is not part of a run."""

    doubtful = False
    notes: tuple[Note, ...] = ()

    def record(self, note: Note) -> None:
        """Discard the note."""

    async def on_disk(self) -> None:
        """Return at once: there is nothing to write."""

    async def note(self, note: Note) -> None:
        """Discard the note."""


class Replay:
    """The entries of an interrupted run by activity; each is taken once, in order."""

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
        """The next entry of an activity, without taking it; None if there is none."""
        left = self._left.get(activity)
        return left[0] if left else None

    def has_ahead(self, activity: str, do: str) -> bool:
        """Whether any entry of an activity that is not taken yet has this `do`."""
        return any(entry.intent.get("do") == do for entry in self._left[activity])

    def next_of(self, *activities: str) -> str | None:
        """The one of these activities whose next entry is the oldest; None if no entry is left."""
        left = [activity for activity in activities if self._left[activity]]
        return min(left, key=lambda activity: self._left[activity][0].number, default=None)

    def take(self, activity: str, intent: Mapping[str, object]) -> Entry | None:
        """Take the next entry of an activity, None if there is none.

        Raises ReplayError if the entry has another intent, or if an older entry of the activities
        in `SEQUENTIAL` was not taken: this run then has other options than the interrupted one.
        """
        due = self.next_of(*SEQUENTIAL) if activity in SEQUENTIAL else activity
        entry = None if due is None else self.ahead(due)
        if entry is None:
            return None
        if due != activity or entry.intent != intent:
            raise ReplayError(entry, _text(intent))
        return self._left[activity].popleft()


class ReplayError(JournalError):
    """The steps of a resumed run differ from those that its journal contains."""

    def __init__(self, entry: Entry, step: str) -> None:
        super().__init__(
            f"Entry {entry.number} of the journal is {_text(entry.intent)}, but the next step of"
            f" this run is {step}. The round cannot be resumed; the next run asks people to put"
            " every tile away."
        )


def differences(then: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """The keys whose values differ, with the values `then`; keys of objects in parentheses."""
    found: list[str] = []
    for key in {**now, **then}:
        before, after = then.get(key), now.get(key)
        if before == after:
            continue
        if isinstance(before, dict) and isinstance(after, dict):
            found.append(f"{key} ({differences(before, after)})")
        else:
            found.append(f"{key} {before}")
    return ", ".join(found)


def _text(intent: Mapping[str, object]) -> str:
    return " ".join(f"{key} {value}" for key, value in intent.items())
