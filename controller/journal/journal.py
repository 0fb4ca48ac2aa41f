"""The journal: what was intended and what came of it, in three copies on disk.

Records are added at once and written in batches (`writing`). Whoever is about to move something
adds the intent and waits for `on_disk`; then the intent survives a power cut in every copy. An
outcome is added when it is confirmed and written with the next record, or when the table begins to
wait (`settle`). A run that did all it was to do writes an end; a run that finds the last one
without an end may resume it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

from controller.journal.copies import Copies, MemoryCopy, paths_of
from controller.journal.history import Entry, Unfinished, ended_of, history_of, unfinished_of
from controller.journal.lines import (
    JournalError,
    JournalLockedError,
    JournalRecord,
    Kind,
    chain_of,
    line_of,
    number_of,
    record_of,
)
from controller.journal.notes import Note, encode
from controller.journal.reconcile import read_copy, truth_of
from controller.journal.stamp import KEY, Stamp, place_of, stamp_of
from controller.journal.storage import DirectStorage, Storage
from controller.journal.writing import JournalLine, Writing

FULL = 8_000_000
"""From this size on, in bytes, a journal that ended is put away and a new one begun."""


class Journal:
    """One journal; a context manager.

    `copies` is the directory of the third copy; `storage` carries out the writes, at once unless
    another one is given. Raises JournalError if the files cannot be used, JournalLocked if they
    contradict each other. Nothing is written before the first intent.
    """

    def __init__(
        self,
        path: Path | str | None,
        started: str,
        facts: Mapping[str, object],
        copies: Path | str | None = None,
        storage: Storage | None = None,
    ) -> None:
        self._storage = storage or DirectStorage()
        self._copies: Copies | MemoryCopy = MemoryCopy()
        if path is not None:
            directory = None if copies is None else Path(copies)
            self._copies = Copies(paths_of(Path(path), directory))
        self._facts: dict[str, object] = {"started": started, "facts": dict(facts)}
        try:
            lines = self._copies.lines()
            if path is not None:
                self._facts[KEY] = _stamp_for(Path(path), lines).facts()
            records = [record_of(line) for line in lines]
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
        self._writing = Writing(self._copies, self._storage, self._number)

    @classmethod
    def in_memory(
        cls, started: str, facts: Mapping[str, object], storage: Storage | None = None
    ) -> Journal:
        """A journal without files, which is lost when its run ends."""
        return cls(None, started, facts, storage=storage)

    @property
    def healed(self) -> tuple[str, ...]:
        """What was wrong with copies when they were opened and was put right, as sentences."""
        return self._copies.healed

    def resume(self) -> Unfinished | None:
        """Resume the unfinished run, if there is one; this run continues it from now on.

        To be called before the first intent: a run that begins without it is a new one, and the
        old one stays without an end.
        """
        if self._unfinished is not None and self._run is None:
            self._facts["resumes"] = self._unfinished.number
        return self._unfinished

    # Adding records

    def intend(
        self, activity: str, at: float, intent: Mapping[str, object], *, write: bool = True
    ) -> int:
        """Add an intent, and begin to write it unless `write` is False; returns its number.

        Raises JournalError if the storage reports a failure at once; then it was never added.
        """
        self._begin_run()
        return self._record("intent", activity, at, dict(intent), write=write)

    def begin(self) -> None:
        """Begin to write everything that was added. Raises JournalError as `intend` does."""
        if (failure := self._writing.begin()) is not None:
            raise failure

    def note(self, number: int, at: float, note: Note) -> None:
        """Add something that happened within an intent, and begin to write it. As `intend`."""
        self._record("note", "", at, encode(note), number)

    def confirm(self, number: int, at: float, outcome: object) -> None:
        """Add what came of an intent; it is written with the next record, or by `settle`."""
        self._add("outcome", "", at, outcome, number)

    def end(self) -> None:
        """Add that the run did all it was to do; a run that did nothing adds nothing."""
        if self._run is not None:
            self._record("end", "", self._at, None, self._run)
            self._run = None
            self._facts.pop("resumes", None)

    # Waiting for the disks

    async def on_disk(self) -> None:
        """Wait until everything that was added is on disk in every copy. Raises JournalError."""
        await self._writing.wait()

    async def settle(self) -> None:
        """As `on_disk`, but a failure is raised once only for the same records."""
        await self._writing.settle()

    def flush(self) -> None:
        """As `settle`, without the event loop: it stops everything else until the disks are done.

        For the end of a run and for programs that do nothing else.
        """
        self._writing.flush()

    async def check(self) -> tuple[str, ...]:
        """Compare the copies with what was written since the last check; heal what is damaged.

        Returns what was healed, as sentences. Raises JournalLocked if no copy is whole.
        """
        await self.settle()
        await self._writing.quiet()
        copies, healed = self._copies, list[str]()
        if isinstance(copies, MemoryCopy) or copies.is_as_written():
            return ()
        failed: list[Exception | None] = []
        self._writing.run(lambda: healed.extend(copies.heal(copies.chain)), failed.append)
        await self._writing.quiet()
        if failed[0] is not None:
            raise failed[0]
        return tuple(healed)

    # Reading

    def entries(self) -> list[Entry]:
        """Every step of this run, in the order of intent."""
        return list(
            history_of(record_of(line) for line in self._lines() if self._first <= number_of(line))
        )

    def history(self) -> tuple[Entry, ...]:
        """Every step of every run, those of the journal that was put away last included."""
        lines = self._lines()
        return history_of(map(record_of, [*self._archived(lines), *lines]))

    def unfinished(self) -> Unfinished | None:
        """What the runs before this one left without an end."""
        return self._unfinished

    def ended(self) -> dict[str, object] | None:
        """The facts of the run before this one, if there was one and it ended cleanly."""
        return self._ended

    def close(self) -> None:
        """Put everything on disk and let the files go. Idempotent."""
        try:
            self.flush()
        finally:
            self._storage.close()
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

    def _lines(self) -> list[bytes]:
        """Everything that was added so far, on disk or not, of this file."""
        on_disk = self._writing.on_disk
        written = (line for line in self._copies.lines() if number_of(line) <= on_disk)
        return [*written, *self._writing.lines]

    def _begin_run(self) -> None:
        """Add the run's own record before its first; it heads a new file if the old is full."""
        if self._run is not None:
            return
        self._run = self._number + 1
        copies = self._copies
        if isinstance(copies, Copies) and self._ended is not None and copies.size > FULL:
            started = str(self._facts["started"])[:19]
            name = "".join(sign for sign in started if sign.isalnum())
            if copies.put_away_as(name):
                self._facts["continues"] = {"after": self._chain, "name": name}
        self._add("run", "", 0.0, self._facts)
        if "continues" in self._facts:
            # Alone in its write: where that fails, the new file begins with no intent.
            self.begin()

    def _archived(self, lines: list[bytes]) -> tuple[bytes, ...]:
        """The lines of the journal that this one continues, if they are still beside it."""
        content = record_of(lines[0]).content if lines else None
        continues = content.get("continues") if isinstance(content, dict) else None
        if not continues or isinstance(self._copies, MemoryCopy):
            return ()
        there = [
            read_copy(path.with_name(f"{path.name}.{continues['name']}"))
            for path in self._copies.paths
        ]
        past = truth_of(there)
        if past and chain_of(past[-1]) != continues["after"]:
            raise JournalLockedError(
                f"The journal {there[0].path} does not end where record {number_of(lines[0])} goes"
                " on from it; put a good copy of it back."
            )
        return past

    def _record(
        self,
        kind: Kind,
        activity: str,
        at: float,
        content: object,
        of: int | None = None,
        *,
        write: bool = True,
    ) -> int:
        """Add a record and begin to write it; where that fails at once, it was never there."""
        before = self._number, self._chain
        number = self._add(kind, activity, at, content, of)
        if write and (failure := self._writing.begin()) is not None:
            if self._writing.remove(number):
                self._number, self._chain = before
            raise failure
        return number

    def _add(
        self, kind: Kind, activity: str, at: float, content: object, of: int | None = None
    ) -> int:
        number = self._number + 1
        batch = self._writing.batch_for(number)
        line = line_of(JournalRecord(number, kind, activity, at, content, of, batch), self._chain)
        self._writing.add(JournalLine(number, batch, line))
        self._number, self._chain, self._at = number, chain_of(line), at
        return number


def _stamp_for(path: Path, lines: Sequence[bytes]) -> Stamp:
    """The stamp for a run's record: the journal's own id, at the place where it is now."""
    known = stamp_of(lines)
    return Stamp.new(path) if known is None else Stamp(known.id, place_of(path))
