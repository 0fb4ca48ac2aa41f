"""The journal of a run: every intent and its outcome, in three copies on disk.

Records are added at once and written in batches (`writing`). Before a component moves something it
adds the intent and waits for `on_disk`; the intent then survives a power cut in every copy. An
outcome is added when it is confirmed. It is written with the next record, or when the table begins
to wait (`settle`). A completed run writes an end record. If the last run wrote no end record, the
next run can resume it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from controller.run.journal.copies import Copies, MemoryCopy, paths_of, unusable
from controller.run.journal.history import (
    Entry,
    PageReader,
    Unfinished,
    built_sets_of,
    cycles_of,
    ended_of,
    history_of,
    serials_of,
    storage_used_of,
    unfinished_of,
)
from controller.run.journal.lines import (
    JournalError,
    JournalLockedError,
    JournalRecord,
    Kind,
    chain_of,
    line_of,
    number_of,
    record_of,
)
from controller.run.journal.notes import Note, encode
from controller.run.journal.reconcile import (
    KEY,
    Stamp,
    place_of,
    read_copy,
    stamp_of,
    verified_lines,
)
from controller.run.journal.storage import DirectStorage, Storage
from controller.run.journal.writing import JournalLine, Writing

ARCHIVE_SIZE = 8_000_000
"""Size in bytes from which a completed journal is archived and a new file is started."""


class Journal:
    """One journal; a context manager that closes it.

    `copies` is the directory of the third copy. `storage` executes the file operations; the default
    executes each one immediately. `audit_anchor` is the size and the root of the audit log, kept
    with the run. Raises JournalError if the files cannot be used, and JournalLockedError if they
    contradict each other. No file is written before the first intent.
    """

    def __init__(
        self,
        path: Path | str | None,
        started: str,
        facts: Mapping[str, object],
        copies: Path | str | None = None,
        storage: Storage | None = None,
        *,
        audit_anchor: Mapping[str, object] | None = None,
    ) -> None:
        self.path = None if path is None else Path(path)
        """The file; None if the journal is kept in memory."""
        self._storage = storage or DirectStorage()
        self._copies: Copies | MemoryCopy = MemoryCopy()
        self._pages: PageReader | None = None
        if path is not None:
            directory = None if copies is None else Path(copies)
            self._copies = Copies(paths_of(Path(path), directory))
            self._pages = PageReader(self._copies.paths[0])
        self._facts: dict[str, object] = {"started": started, "facts": dict(facts)}
        if audit_anchor is not None:
            self._facts["audit"] = dict(audit_anchor)
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
        self._serials = serials_of(records)
        self._cycles = cycles_of(records)
        self._built_sets = built_sets_of(records)
        self._storage_used = storage_used_of(records)
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
        """Create a journal without files; its records are lost when the run ends."""
        return cls(None, started, facts, storage=storage)

    @property
    def repairs(self) -> tuple[str, ...]:
        """One sentence for each damaged or missing copy that was rewritten when it was opened."""
        return self._copies.repairs

    @property
    def is_empty(self) -> bool:
        """Whether the file had no record when it was opened."""
        return self._first == 1

    @property
    def serials(self) -> Mapping[str, str]:
        """The serial number of each board: in the last run, until this run has recorded its own."""
        return self._serials

    @property
    def cycles(self) -> int:
        """The highest number of a cycle of random choices in earlier runs; 0 without any."""
        return self._cycles

    @property
    def built_sets(self) -> tuple[Mapping[str, Any], ...]:
        """The outcome of each set that earlier runs in this file have built, oldest first."""
        return self._built_sets

    @property
    def storage_used(self) -> Mapping[str, int]:
        """The last reported share of each board's storage, permille, by board."""
        return self._storage_used

    def record_serial(self, board: str, serial: str) -> None:
        """Add the serial number of a board to the run record. Call it before the first intent.

        If a prompt was needed to open the boards, that prompt was the first intent. Then the record
        has the numbers of the last run for the boards that were opened later.
        """
        self._serials[board] = serial

    def resume(self) -> Unfinished | None:
        """Record this run as the continuation of the unfinished run, if there is one.

        Call it before the first intent. Without this call the run counts as a new one, and the
        unfinished run stays without an end record.
        """
        if self._unfinished is not None and self._run is None:
            self._facts["resumes"] = self._unfinished.number
        return self._unfinished

    # Adding records

    def intend(
        self, activity: str, at: float, intent: Mapping[str, object], *, write: bool = True
    ) -> int:
        """Add an intent, and begin to write it unless `write` is False; returns its number.

        Raises JournalError if the storage reports a failure at once; the intent is then removed.
        """
        self._begin_run()
        return self._record("intent", activity, at, dict(intent), write=write)

    def begin(self) -> None:
        """Begin to write all added records. Raises JournalError as `intend` does."""
        if (failure := self._writing.begin()) is not None:
            raise failure

    def note(self, number: int, at: float, note: Note) -> None:
        """Add a note to an intent and begin to write it. Raises JournalError as `intend` does."""
        self._record("note", "", at, encode(note), number)

    def confirm(self, number: int, at: float, outcome: object) -> None:
        """Add the outcome of an intent; it is written with the next record, or by `settle`."""
        self._add("outcome", "", at, outcome, number)

    def record_storage(self, at: float, used: Mapping[str, int]) -> None:
        """Add the used share of each board's storage, permille, by board, at the end of a run.

        It is written as an outcome is. A run without records, and an empty `used`, add nothing.
        """
        self._storage_used |= used
        if self._run is not None and used:
            self._add("storage", "", at, dict(used))

    def end(self) -> None:
        """Add the end record of a completed run; a run without records adds none."""
        if self._run is not None:
            self._record("end", "", self._at, None, self._run)
            self._run = None
            self._facts.pop("resumes", None)

    # Waiting for the disks

    async def on_disk(self) -> None:
        """Wait until every added record is on disk in every copy. Raises JournalError."""
        await self._writing.wait()

    async def settle(self) -> None:
        """Wait as `on_disk` does, but raise a failure only once for the same records."""
        await self._writing.settle()

    def flush(self) -> None:
        """Wait as `settle` does, but block the event loop until the disks have finished.

        Use it at the end of a run, and in programs without an event loop.
        """
        self._writing.flush()

    async def check(self) -> tuple[str, ...]:
        """Compare the copies with the records written since the last check; repair damaged copies.

        Returns one sentence for each repaired copy. Raises JournalLockedError if the records can no
        longer be read from the copies, and JournalError if a copy cannot be written.
        """
        await self.settle()
        await self._writing.wait_until_idle()
        copies, repairs = self._copies, list[str]()
        if isinstance(copies, MemoryCopy) or copies.is_unchanged():
            return ()
        failed: list[Exception | None] = []
        self._writing.run(lambda: repairs.extend(copies.repair(copies.chain)), failed.append)
        await self._writing.wait_until_idle()
        if isinstance(failed[0], OSError):
            raise unusable(copies.paths[0], failed[0]) from failed[0]
        if failed[0] is not None:
            raise failed[0]
        return tuple(repairs)

    # Reading

    def entries(self) -> list[Entry]:
        """Every step of this run, in the order of intent."""
        return list(
            history_of(record_of(line) for line in self._lines() if self._first <= number_of(line))
        )

    def history(self) -> tuple[Entry, ...]:
        """Every step of every run, including those in the last archived file."""
        lines = self._lines()
        return history_of(map(record_of, [*self._archived(lines), *lines]))

    def whole(self) -> Callable[[], list[str]]:
        """A function that returns every line of this file, as `page` does; for any thread."""
        on_disk, waiting = self._writing.on_disk, self._writing.lines
        copies = self._copies
        memory = copies.lines() if isinstance(copies, MemoryCopy) else ()
        reader = None if isinstance(copies, MemoryCopy) else PageReader(copies.paths[0])

        def read() -> list[str]:
            found = list(memory) if reader is None else reader.page(0, -1, on_disk)
            return [line.decode() for line in (*found, *waiting)]

        return read

    def page(self, after: int, limit: int) -> Callable[[], list[str]]:
        """A function that returns at most `limit` lines with record numbers above `after`.

        The lines include those that are not on disk yet. The function reads a file and may run in
        a thread, where it raises OSError; without files it takes little time.
        """
        on_disk, waiting = self._writing.on_disk, self._writing.lines
        pages, memory = self._pages, self._copies.lines() if self._pages is None else ()

        def read() -> list[str]:
            if pages is not None:
                found = pages.page(after, limit, on_disk)
            else:
                start = max(0, after + 1 - number_of(memory[0])) if memory else 0
                found = list(memory[start : start + limit])
            found += [line for line in waiting if number_of(line) > after]
            return [line.decode() for line in found[:limit]]

        return read

    def unfinished(self) -> Unfinished | None:
        """The previous run with those that it resumed, if it wrote no end record; else None."""
        return self._unfinished

    def ended(self) -> dict[str, object] | None:
        """The facts of the previous run if it wrote its end record; else None."""
        return self._ended

    def close(self) -> None:
        """Write all added records and close the files. Idempotent."""
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
        """All lines of this file that were added so far, whether they are on disk or not."""
        on_disk = self._writing.on_disk
        written = (line for line in self._copies.lines() if number_of(line) <= on_disk)
        return [*written, *self._writing.lines]

    def _begin_run(self) -> None:
        """Add the run record before the first other record.

        A run record starts a new file if the old file has reached `ARCHIVE_SIZE`.
        """
        if self._run is not None:
            return
        self._run = self._number + 1
        if self._serials:
            self._facts["serials"] = dict(self._serials)
        if self._cycles:
            self._facts["cycles"] = self._cycles
        copies = self._copies
        if isinstance(copies, Copies) and self._ended is not None and copies.size > ARCHIVE_SIZE:
            started = str(self._facts["started"])[:19]
            name = "".join(sign for sign in started if sign.isalnum())
            if copies.archive_as(name):
                self._facts["continues"] = {"after": self._chain, "name": name}
        self._add("run", "", 0.0, self._facts)
        if "continues" in self._facts:
            # A write of its own: if it fails, the new file does not begin with an intent.
            self.begin()

    def _archived(self, lines: list[bytes]) -> tuple[bytes, ...]:
        """The lines of the archived file that this file continues, if it is still there."""
        content = record_of(lines[0]).content if lines else None
        continues = content.get("continues") if isinstance(content, dict) else None
        if not continues or isinstance(self._copies, MemoryCopy):
            return ()
        copies = [
            read_copy(path.with_name(f"{path.name}.{continues['name']}"))
            for path in self._copies.paths
        ]
        archived = verified_lines(copies)
        if archived and chain_of(archived[-1]) != continues["after"]:
            raise JournalLockedError(
                f"The archived journal {copies[0].path} does not end with the record before record"
                f" {number_of(lines[0])}; restore an intact copy of it."
            )
        return archived

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
        """Add a record and begin to write it; remove it if the write fails at once."""
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
    """The stamp for a run record: the journal's id, and the place where the journal is now."""
    stamp = stamp_of(lines)
    return Stamp.new(path) if stamp is None else Stamp(stamp.id, place_of(path))
