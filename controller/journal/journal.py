"""What was intended and what came of it, on disk in three copies before anything moves.

Lines of JSON, each chained to the one before (`lines`): when `intend` or `note` returns,
what it was told survives a power cut, in every copy. An outcome is written when it is confirmed,
together with the next intent or note, or at once when the table begins to wait (`flush`). A run
that did all it was to do writes an end; one that finds a story without an end may go on with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from controller.journal.copies import Copies, Memory, paths_of
from controller.journal.history import Entry, Unfinished, ended_of, history_of, unfinished_of
from controller.journal.lines import (
    JournalError,
    JournalLocked,
    Kind,
    Record,
    chain_of,
    line_of,
    number_of,
    record_of,
)
from controller.journal.reconcile import read_copy, truth_of

FULL = 8_000_000
"""From this size on, in bytes, a journal that ended is put away and a new one begun."""


class Journal:
    """One journal; a context manager.

    `copies` is the directory of the third copy. Raises JournalError if the files cannot serve,
    JournalLocked if they do not tell one story. Nothing is written before the first intent: a run
    that did nothing is no part of any story.
    """

    def __init__(
        self,
        path: Path | str | None,
        started: str,
        facts: Mapping[str, object],
        copies: Path | str | None = None,
    ) -> None:
        self._copies: Copies | Memory = Memory()
        if path is not None:
            directory = None if copies is None else Path(copies)
            self._copies = Copies(paths_of(Path(path), directory))
        self._facts: dict[str, object] = {"started": started, "facts": dict(facts)}
        try:
            records = [record_of(line) for line in self._copies.lines()]
        except JournalError:
            self._copies.close()
            raise
        self._unfinished = unfinished_of(records)
        self._ended = ended_of(records)
        self._number = records[-1].number if records else 0
        self._chain = self._copies.chain
        self._first = self._number + 1
        self._run: int | None = None
        self._at = 0.0
        self._pending: list[bytes] = []
        self._refused = 0

    @classmethod
    def in_memory(cls, started: str, facts: Mapping[str, object]) -> Journal:
        """A journal that touches no disk and is gone with its run."""
        return cls(None, started, facts)

    @property
    def healed(self) -> tuple[str, ...]:
        """What was wrong with copies when they were opened and was put right, as sentences."""
        return self._copies.healed

    def resume(self) -> Unfinished | None:
        """Go on with the unfinished story, if there is one; it spans this run as well from now on.

        To be called before the first intent: a run that begins without it begins a new story, and
        the old one stays without an end.
        """
        if self._unfinished is not None and self._run is None:
            self._facts["resumes"] = self._unfinished.number
        return self._unfinished

    def intend(self, activity: str, at: float, intent: Mapping[str, object]) -> int:
        """Write an intent, with all that came before it, to every disk; returns its number."""
        self._begin()
        return self._durable("intent", activity, at, dict(intent))

    def note(self, number: int, at: float, what: object) -> None:
        """Write something that happened within an intent and must last, to every disk."""
        self._durable("note", "", at, what, number)

    def confirm(self, number: int, at: float, outcome: object) -> None:
        """Note what came of an intent; on disk with the next intent, note or flush."""
        self._add("outcome", "", at, outcome, number)

    def flush(self) -> None:
        """Put everything on disk now. Raises JournalError, once for the same records."""
        if not self._pending:
            return
        try:
            self._copies.append(self._pending)
        except JournalError:
            told, self._refused = self._refused, len(self._pending)
            if told < self._refused:
                raise
        else:
            self._pending.clear()
            self._refused = 0

    def end(self) -> None:
        """The run ended cleanly with nothing unfinished; one that did nothing says nothing."""
        if self._run is not None:
            self._durable("end", "", self._at, None, self._run)
            self._run = None
            self._facts.pop("resumes", None)

    def check(self) -> tuple[str, ...]:
        """Compare the copies with what was written since the last check; heal what is damaged.

        Returns what was healed, as sentences. Raises JournalLocked if none is whole.
        """
        self.flush()
        return self._copies.check()

    def entries(self) -> list[Entry]:
        """Every step of this run, in the order of intent."""
        lines = [*self._copies.lines(), *self._pending]
        return list(history_of(record_of(line) for line in lines if self._first <= number_of(line)))

    def history(self) -> tuple[Entry, ...]:
        """Every step of every run, those of the journal that was put away last included."""
        lines = [*self._copies.lines(), *self._pending]
        return history_of(map(record_of, [*self._archived(lines), *lines]))

    def unfinished(self) -> Unfinished | None:
        """What the runs before this one left without an end."""
        return self._unfinished

    def ended(self) -> dict[str, object] | None:
        """What the run before this one was played by, if there was one and it ended cleanly."""
        return self._ended

    def close(self) -> None:
        """Put everything on disk and let the files go. Idempotent."""
        try:
            self.flush()
        finally:
            self._copies.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _begin(self) -> None:
        """Write the run's own record before its first, heading a new file if the old is full."""
        if self._run is not None:
            return
        self._run = self._number + 1
        copies = self._copies
        if isinstance(copies, Copies) and self._ended is not None and copies.size > FULL:
            self._put_away(copies)
        else:
            self._add("run", "", 0.0, self._facts)

    def _put_away(self, copies: Copies) -> None:
        name = "".join(sign for sign in str(self._facts["started"])[:19] if sign.isalnum())
        if any(path.with_name(f"{path.name}.{name}").exists() for path in copies.paths):
            self._add("run", "", 0.0, self._facts)
            return
        self._facts["continues"] = {"after": self._chain, "name": name}
        self._add("run", "", 0.0, self._facts)
        self._refused = len(self._pending)
        copies.archive(name, self._pending)
        self._pending.clear()
        self._refused = 0

    def _archived(self, lines: list[bytes]) -> tuple[bytes, ...]:
        """The lines of the journal that this one continues, if they are still beside it."""
        content = record_of(lines[0]).content if lines else None
        continues = content.get("continues") if isinstance(content, dict) else None
        if not continues or isinstance(self._copies, Memory):
            return ()
        there = [
            read_copy(path.with_name(f"{path.name}.{continues['name']}"))
            for path in self._copies.paths
        ]
        past = truth_of(there)
        if past and chain_of(past[-1]) != continues["after"]:
            raise JournalLocked(
                f"The journal {there[0].path} does not end where record {number_of(lines[0])} goes"
                " on from it; put a good copy of it back."
            )
        return past

    def _durable(
        self, kind: Kind, activity: str, at: float, content: object, of: int | None = None
    ) -> int:
        """Add a record and put it on disk; where that fails, it was never there."""
        before = self._number, self._chain
        number = self._add(kind, activity, at, content, of)
        try:
            self.flush()
        except JournalError:
            self._pending.pop()
            self._refused = len(self._pending)
            self._number, self._chain = before
            raise
        return number

    def _add(
        self, kind: Kind, activity: str, at: float, content: object, of: int | None = None
    ) -> int:
        record = Record(self._number + 1, kind, activity, at, content, of)
        line = line_of(record, self._chain)
        self._pending.append(line)
        self._number, self._chain, self._at = record.number, chain_of(line), at
        return record.number
