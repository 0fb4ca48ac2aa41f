"""The journal's copies on disk: every line is appended to each.

Two copies lie beside each other and a third, if a second directory is named, on another path.
Opening heals them: a copy that differs from the lines that verify is written anew beside its
place, synced, and renamed into it, so a power cut leaves the old file or the new one.

`Copies` says what is to be done to the files as jobs; a `Storage` carries the jobs out.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from controller.journal.files import Append, Locks, TakeBack, replace_file
from controller.journal.lines import (
    GENESIS,
    JournalError,
    JournalLockedError,
    chain_of,
    follows,
    start_of,
)
from controller.journal.reconcile import WHAT_TO_DO, defect_of, read_copy, text_of, truth_of
from controller.journal.stamp import require_own
from controller.journal.storage import Job, Results


def paths_of(path: Path, directory: Path | None = None) -> tuple[Path, ...]:
    """The paths of a journal's three copies: two beside each other, the third in `directory`.

    Raises JournalError for places where no file can lie.
    """
    for folder, option in ((path.parent, "--journal"), (directory, "--journal-copy")):
        if folder is not None and not folder.is_dir():
            raise JournalError(
                f"The journal {path} cannot be used (there is no directory {folder}); make it or"
                f" mount its disk, or name another with {option}."
            )
    if path.exists() and not path.is_file():
        raise JournalError(
            f"The journal {path} cannot be used (it is no file); name a writable file with"
            " --journal."
        )
    beside = directory or path.parent
    return path, path.with_name(f"{path.name}.2"), beside / f"{path.name}.3"


class Copies:
    """All copies of one journal, held open and locked against a second run."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = tuple(paths)
        self.healed: tuple[str, ...] = ()
        """What was wrong with copies at opening and was put right, as sentences."""
        self.size = 0
        """How many bytes of each copy are on disk."""
        self.chain = GENESIS
        """The chain of the last line that is on disk in every copy."""
        self._files: list[int] = []
        self._is_ragged = False
        """Whether an append is under way or has failed, so that files may be longer than `size`."""
        self._archive: str | None = None
        self._checked = (0, GENESIS)
        self._locks = Locks(self.paths)
        try:
            self.healed = self.heal()
        except BaseException:
            self.close()
            raise

    # Appending

    def appends(self, lines: Sequence[bytes]) -> list[Job]:
        """The jobs that append lines to each copy and sync it; then call `appended`.

        Raises JournalError where the files are not open any more.
        """
        if self._archive is not None:
            name, self._archive = self._archive, None
            self._is_ragged = False
            return [lambda: self._put_away(name, lines)]
        self._require_open()
        self._is_ragged = True
        text = text_of(lines)
        return [Append(*at, text) for at in zip(self.paths, self._files, strict=True)]

    def appended(self, lines: Sequence[bytes], results: Results) -> JournalError | None:
        """Take what came of `appends`: the error to raise if a copy could not be written.

        Then no copy counts as written, and `take_back` has to be done before the next append.
        """
        error = _first(results)
        if isinstance(error, JournalError):
            return error
        if error is not None:
            place = getattr(error, "filename", None) or self.paths[0]
            return JournalError(
                f"The journal {place} cannot be written ({_reason(error)}); free its disk, or name"
                " another file with --journal."
            )
        if self._is_ragged:  # else they were written as the first lines of a new file
            self.size += len(text_of(lines))
            self.chain = chain_of(lines[-1])
        self._is_ragged = False
        return None

    def take_back(self) -> list[Job]:
        """The jobs that cut off what an append left that failed; none if there is nothing."""
        if not self._is_ragged or not self._files:
            return []
        return [TakeBack(*at, self.size) for at in zip(self.paths, self._files, strict=True)]

    def taken_back(self, results: Results) -> JournalError | None:
        """Take what came of `take_back`: the error to raise if a copy could not be cut."""
        self._is_ragged = _first(results) is not None
        return self.appended((), results) if self._is_ragged else None

    # Reading

    def lines(self) -> tuple[bytes, ...]:
        """All lines that are on disk, put together from all copies."""
        return truth_of([read_copy(path) for path in self.paths])

    def is_as_written(self) -> bool:
        """Whether every copy holds what was written since the last call that returned True.

        What was checked before is not read again.
        """
        if not all(self._is_as_written(path) for path in self.paths):
            return False
        self._checked = (self.size, self.chain)
        return True

    # Writing anew

    def heal(self, written: str | None = None) -> tuple[str, ...]:
        """Write anew every copy that differs from the lines that verify; report which were damaged.

        `written` is the chain that the lines must end with, where that is known. Raises
        JournalLocked, and JournalError for a copy that cannot be written; then nothing more can be
        appended until the journal is opened again.
        """
        self._let_go()
        copies = [read_copy(path) for path in self.paths]
        require_own(copies)
        truth = truth_of(copies)
        if written is not None and written != (chain_of(truth[-1]) if truth else GENESIS):
            raise JournalLockedError(
                f"No copy of the journal {self.paths[0]} ends any more with what this run wrote."
                f" {WHAT_TO_DO}"
            )
        healed: list[str] = []
        for copy in copies:
            if (defect := defect_of(copy, truth)) is not None:
                healed.append(f"The journal's copy {copy.path} {defect}; it was rewritten.")
            if copy.data != text_of(truth):
                try:
                    replace_file(copy.path, truth)
                except OSError as error:
                    raise _unusable(copy.path, error) from error
        self._open(truth)
        return tuple(healed)

    def put_away_as(self, name: str) -> bool:
        """Before the next lines are written, put everything so far away under another name.

        Returns whether that can be done: not where there is a file of that name.
        """
        if any(path.with_name(f"{path.name}.{name}").exists() for path in self.paths):
            return False
        self._archive = name
        return True

    def _put_away(self, name: str, lines: Sequence[bytes]) -> None:
        """Put everything so far under another name beside each copy, and begin anew with lines."""
        past = self.lines()
        try:
            for path in self.paths:
                replace_file(path.with_name(f"{path.name}.{name}"), past)
            for path in self.paths:
                replace_file(path, lines)
            self._open(lines)
        except OSError as error:
            self._let_go()  # some copies have begun anew and some not: opening puts that right
            raise JournalError(
                f"The journal {self.paths[0]} cannot be put away ({error.strerror}); free its"
                " disk, or name another file with --journal."
            ) from error

    def close(self) -> None:
        """Let the files and their locks go. Idempotent."""
        self._let_go()
        self._locks.release()

    def __enter__(self) -> Copies:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _open(self, lines: Sequence[bytes]) -> None:
        self._let_go()
        try:
            for path in self.paths:
                self._files.append(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC))
        except OSError as error:
            raise _unusable(path, error) from error
        self.size = len(text_of(lines))
        self.chain = chain_of(lines[-1]) if lines else GENESIS
        self._checked = (self.size, self.chain)
        self._is_ragged = False

    def _require_open(self) -> None:
        if not self._files:
            raise JournalError(
                f"The journal {self.paths[0]} takes nothing more until it is opened again; put"
                " right what was reported of it, then run again."
            )

    def _is_as_written(self, path: Path) -> bool:
        """Whether a copy goes on from the last check as it was written."""
        begin, chain = self._checked
        try:
            with path.open("rb") as file:
                file.seek(begin)
                *lines, tail = file.read().split(b"\n")
        except OSError:
            return False
        if lines and not begin:
            chain = start_of(lines[0]) or GENESIS
        for line in lines:
            if not follows(line, chain):
                return False
            chain = chain_of(line)
        return not tail and chain == self.chain and path.stat().st_size == self.size

    def _let_go(self) -> None:
        while self._files:
            os.close(self._files.pop())


class MemoryCopy:
    """Stands for the copies of a journal that no file was named for; lost when the run ends."""

    healed: tuple[str, ...] = ()
    size = 0

    def __init__(self) -> None:
        self.chain = GENESIS
        self._lines: list[bytes] = []

    def appends(self, lines: Sequence[bytes]) -> list[Job]:
        return []

    def appended(self, lines: Sequence[bytes], results: Results) -> None:
        self._lines += lines
        self.chain = chain_of(lines[-1])

    def take_back(self) -> list[Job]:
        return []

    def taken_back(self, results: Results) -> None:
        """Nothing is ever half written."""

    def lines(self) -> tuple[bytes, ...]:
        return tuple(self._lines)

    def is_as_written(self) -> bool:
        return True

    def close(self) -> None:
        """Nothing to let go."""


def _first(results: Results) -> Exception | None:
    return next((error for error in results if error is not None), None)


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _unusable(path: Path, error: OSError) -> JournalError:
    return JournalError(
        f"The journal {path} cannot be used ({error.strerror}); name a writable file with"
        " --journal."
    )
