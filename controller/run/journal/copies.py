"""The three copies of the journal on disk: every line is appended to each copy.

The first two copies are in the same directory; the third is in a second directory if one is given.
Opening the copies repairs them: a copy that differs from the verified lines is written to a new
file, synced, and renamed to the old name, so a power cut leaves the old file or the new one.

`Copies` returns file operations as jobs (`Append`, `Truncate`); a `Storage` executes the jobs.
`Locks` excludes every other run from the copies.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from config import durable_files, file_locks
from config.durable_files import replace_file, write_all
from controller.run.journal.lines import (
    GENESIS,
    JournalError,
    JournalInUseError,
    JournalLockedError,
    chain_of,
    follows,
    start_of,
)
from controller.run.journal.reconcile import (
    NEXT_STEP,
    defect_of,
    own_lines,
    read_copy,
    text_of,
    verified_lines,
)
from controller.run.journal.storage import Job, Results


def paths_of(path: Path, directory: Path | None = None) -> tuple[Path, ...]:
    """The paths of a journal's three copies: the third is in `directory` if one is given.

    Raises JournalError if a directory does not exist, or if `path` is not a regular file.
    """
    for folder, option in ((path.parent, "--journal"), (directory, "--journal-copy")):
        if folder is not None and not folder.is_dir():
            raise JournalError(
                f"The journal {path} cannot be used (there is no directory {folder}); create it or"
                f" mount its disk, or name another with {option}."
            )
    if path.exists() and not path.is_file():
        raise JournalError(
            f"The journal {path} cannot be used (it is not a regular file); name a writable file"
            " with --journal."
        )
    beside = directory or path.parent
    return path, path.with_name(f"{path.name}.2"), beside / f"{path.name}.3"


class Copies:
    """All copies of one journal, open and locked against a second run."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = tuple(paths)
        self.repairs: tuple[str, ...] = ()
        """One sentence for each damaged or missing copy that was rewritten when it was opened."""
        self.size = 0
        """Bytes of each copy that are on disk."""
        self.chain = GENESIS
        """The chain of the last line that is on disk in every copy."""
        self._files: list[int] = []
        self._may_exceed_size = False
        """Whether an append is in progress or failed, so that files may be longer than `size`."""
        self._archive: str | None = None
        self._checked = (0, GENESIS)
        self._locks = Locks(self.paths)
        try:
            self.repairs = self.repair()
        except BaseException:
            self.close()
            raise

    # Appending

    def append_jobs(self, lines: Sequence[bytes]) -> list[Job]:
        """The jobs that append lines to each copy and sync it; then call `finish_append`.

        Raises JournalError if the files are closed.
        """
        if self._archive is not None:
            name, self._archive = self._archive, None
            self._may_exceed_size = False
            return [lambda: self._archive_and_start(name, lines)]
        self._require_open()
        self._may_exceed_size = True
        text = text_of(lines)
        return [Append(*at, text) for at in zip(self.paths, self._files, strict=True)]

    def finish_append(self, lines: Sequence[bytes], results: Results) -> JournalError | None:
        """Take the results of `append_jobs`; returns the error to raise if a copy failed.

        After a failure no copy counts as written, and the `truncate_jobs` have to be executed
        before the next append.
        """
        error = _first(results)
        if isinstance(error, JournalError):
            return error
        if error is not None:
            place = getattr(error, "filename", None) or self.paths[0]
            return JournalError(
                f"The journal {place} cannot be written ({_reason(error)}); free space on its disk,"
                " or name another file with --journal."
            )
        # `lines` are counted here unless they began a new file: `_open` has counted those.
        if self._may_exceed_size:
            self.size += len(text_of(lines))
            self.chain = chain_of(lines[-1])
        self._may_exceed_size = False
        return None

    def truncate_jobs(self) -> list[Job]:
        """The jobs that cut off the bytes of a failed append; none if no append failed."""
        if not self._may_exceed_size or not self._files:
            return []
        return [Truncate(*at, self.size) for at in zip(self.paths, self._files, strict=True)]

    def finish_truncate(self, results: Results) -> JournalError | None:
        """Take the results of `truncate_jobs`; returns the error to raise if a copy failed."""
        self._may_exceed_size = _first(results) is not None
        return self.finish_append((), results) if self._may_exceed_size else None

    # Reading

    def lines(self) -> tuple[bytes, ...]:
        """All lines that are on disk, verified and merged from all copies."""
        return verified_lines([read_copy(path) for path in self.paths])

    def is_unchanged(self) -> bool:
        """Whether every copy holds the lines written since the last call that returned True.

        Lines that such a call has checked are not read again.
        """
        if not all(self._is_unchanged(path) for path in self.paths):
            return False
        self._checked = (self.size, self.chain)
        return True

    # Repairing and archiving

    def repair(self, written: str | None = None) -> tuple[str, ...]:
        """Rewrite every copy that differs from the verified lines.

        Returns one sentence for each copy that was damaged or missing. `written` is the chain that
        the lines must end with, if it is known. Raises JournalLockedError, and JournalError for a
        copy that cannot be written; after an error no lines can be appended until the journal is
        opened again.
        """
        self._close_files()
        copies = [read_copy(path) for path in self.paths]
        verified = own_lines(copies)
        if written is not None and written != (chain_of(verified[-1]) if verified else GENESIS):
            raise JournalLockedError(
                f"No copy of the journal {self.paths[0]} ends with the records that this run wrote."
                f" {NEXT_STEP}"
            )
        repairs: list[str] = []
        for copy in copies:
            if (defect := defect_of(copy, verified)) is not None:
                repairs.append(f"The journal's copy {copy.path} {defect}; it was rewritten.")
            if copy.data != text_of(verified):
                try:
                    replace_lines(copy.path, verified)
                except OSError as error:
                    raise unusable(copy.path, error) from error
        self._open(verified)
        return tuple(repairs)

    def archive_as(self, name: str) -> bool:
        """Archive all present lines under this name when the next lines are written.

        Returns False, and archives nothing, if there is already a file of that name.
        """
        if any(path.with_name(f"{path.name}.{name}").exists() for path in self.paths):
            return False
        self._archive = name
        return True

    def _archive_and_start(self, name: str, lines: Sequence[bytes]) -> None:
        """Move all present lines to an archive file beside each copy; begin with `lines`."""
        archived = self.lines()
        try:
            for path in self.paths:
                replace_lines(path.with_name(f"{path.name}.{name}"), archived)
            for path in self.paths:
                replace_lines(path, lines)
            self._open(lines)
        except OSError as error:
            # The copies can differ now; they are made equal when the journal is opened again.
            self._close_files()
            raise JournalError(
                f"The journal {self.paths[0]} cannot be archived ({error.strerror}); free space on"
                " its disk, or name another file with --journal."
            ) from error

    def close(self) -> None:
        """Close the files and release their locks. Idempotent."""
        self._close_files()
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
        self._close_files()
        try:
            for path in self.paths:
                self._files.append(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC))
        except OSError as error:
            raise unusable(path, error) from error
        self.size = len(text_of(lines))
        self.chain = chain_of(lines[-1]) if lines else GENESIS
        self._checked = (self.size, self.chain)
        self._may_exceed_size = False

    def _require_open(self) -> None:
        if not self._files:
            raise JournalError(
                f"The journal {self.paths[0]} was closed after an error. Correct the error that was"
                " reported, then run again."
            )

    def _is_unchanged(self, path: Path) -> bool:
        """Whether a copy holds the lines that were written since the last check."""
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

    def _close_files(self) -> None:
        while self._files:
            os.close(self._files.pop())


class MemoryCopy:
    """Replaces `Copies` for a journal without a file; the lines are lost when the run ends."""

    repairs: tuple[str, ...] = ()
    size = 0

    def __init__(self) -> None:
        self.chain = GENESIS
        self._lines: list[bytes] = []

    def append_jobs(self, lines: Sequence[bytes]) -> list[Job]:
        return []

    def finish_append(self, lines: Sequence[bytes], results: Results) -> None:
        self._lines += lines
        self.chain = chain_of(lines[-1])

    def truncate_jobs(self) -> list[Job]:
        return []

    def finish_truncate(self, results: Results) -> None:
        """Do nothing: an append to memory does not fail."""

    def lines(self) -> tuple[bytes, ...]:
        return tuple(self._lines)

    def is_unchanged(self) -> bool:
        return True

    def close(self) -> None:
        """Do nothing: there are no files."""


def _first(results: Results) -> Exception | None:
    return next((error for error in results if error is not None), None)


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def unusable(path: Path, error: OSError) -> JournalError:
    """The error for a copy that cannot be read or written."""
    return JournalError(
        f"The journal {path} cannot be used ({error.strerror}); name a writable file with"
        " --journal."
    )


@dataclass(frozen=True)
class Append:
    """Appends text to the open file of one copy and syncs it.

    Raises OSError with the file's name; a part of the text may then be in the file.
    """

    path: Path
    file: int
    text: bytes

    def __call__(self) -> None:
        write_and_sync(self.path, self.file, self.text)

    def unsynced(self) -> None:
        """Append the text without a sync: for a simulated disk, which loses what it has to lose."""
        write_all(self.file, self.text)


@dataclass(frozen=True)
class Truncate:
    """Cuts the open file of one copy to a length and syncs it, after a failed append.

    Raises OSError with the file's name.
    """

    path: Path
    file: int
    size: int

    def __call__(self) -> None:
        try:
            durable_files.truncate(self.file, self.size)
        except OSError as error:
            error.filename = str(self.path)
            raise


def write_and_sync(path: Path, file: int, text: bytes) -> None:
    """Write the whole text and sync the file. Raises OSError with the file's name."""
    try:
        durable_files.append(file, text)
    except OSError as error:
        error.filename = str(path)
        raise


def replace_lines(path: Path, lines: Iterable[bytes]) -> None:
    """Replace a file's contents. A power cut leaves the old file or the new one. Raises OSError."""
    # Without this, the rename would replace a symbolic link instead of its target.
    path = path.resolve()
    try:
        replace_file(path, b"".join(line + b"\n" for line in lines))
    except OSError as error:
        error.filename = str(path)
        raise


class Locks:
    """Locks on all copies of a journal, which exclude every other run until `release`.

    Each copy has its own lock file, so two journals whose third copies are the same file cannot be
    open at the same time. Raises JournalInUseError if another run holds a lock, and JournalError if
    a lock file cannot be created.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self._held: list[tuple[Path, int]] = []
        try:
            for path in paths:
                self._held.append(_locked(path))
        except JournalError:
            self.release()
            raise

    def release(self) -> None:
        """Remove the lock files and release the locks. Idempotent."""
        while self._held:
            beside, lock = self._held.pop()
            # Removed while it is locked: a run that opened this file earlier and locks it later
            # notices the removal (`is_still_at`) and creates a new lock file.
            beside.unlink(missing_ok=True)
            os.close(lock)


def _locked(path: Path) -> tuple[Path, int]:
    """The lock file of one copy, open and locked."""
    path = path.resolve()  # Two links to one file then have one lock.
    beside = path.with_name(f"{path.name}.lock")
    while True:
        try:
            lock = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise JournalError(
                f"The journal {path} cannot be used ({error.strerror}); name a writable file with"
                " --journal."
            ) from error
        try:
            file_locks.lock(lock)
        except OSError as error:
            os.close(lock)
            raise JournalInUseError(
                f"Another run has the journal {path} open; wait for its end, or name another file"
                " with --journal."
            ) from error
        if file_locks.is_still_at(beside, lock):
            return beside, lock
        # The previous run removed this lock file after it was opened here; a new one is created.
        os.close(lock)
