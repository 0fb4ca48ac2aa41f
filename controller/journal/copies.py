"""The journal's copies on disk: every line is appended to each, and each is waited for.

Two copies lie beside each other and a third, if a second directory is named, on another path.
Opening puts them right: whatever differs from what they tell between them is written anew beside
its place, waited for, and renamed into it, so a power cut leaves the old file or the new one.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from controller.journal.lines import (
    GENESIS,
    JournalError,
    JournalInUse,
    JournalLocked,
    chain_of,
    follows,
    start_of,
)
from controller.journal.reconcile import WHAT_TO_DO, defect_of, read_copy, truth_of


def paths_of(path: Path, directory: Path | None = None) -> tuple[Path, ...]:
    """Where a journal's three copies lie: two beside each other, the third where it is told.

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
        self._files: list[int] = []
        self._ragged = False
        self._checked = (0, GENESIS)
        self._lock = _locked(self.paths[0])
        try:
            self.healed = self._mend()
        except BaseException:
            self.close()
            raise

    def append(self, lines: Sequence[bytes]) -> None:
        """Write lines to every copy and wait for each disk; all of them or none.

        Raises JournalError; what was half written is taken back before anything else is written.
        """
        if not self._files:
            raise JournalError(
                f"The journal {self.paths[0]} takes nothing more until it is opened again; put"
                " right what was told of it, then run again."
            )
        text = b"".join(line + b"\n" for line in lines)
        try:
            if self._ragged:
                self._take_back()
            self._ragged = True
            for path, file in zip(self.paths, self._files, strict=True):
                _write(path, file, text)
        except OSError as error:
            with suppress(OSError):
                self._take_back()
            raise JournalError(
                f"The journal {error.filename or self.paths[0]} cannot be written"
                f" ({error.strerror}); free its disk, or name another file with --journal."
            ) from error
        self._ragged = False
        self.size += len(text)
        self.chain = chain_of(lines[-1])

    def lines(self) -> tuple[bytes, ...]:
        """All lines that are on disk, as the copies tell them between them."""
        return truth_of([read_copy(path) for path in self.paths])

    def check(self) -> tuple[str, ...]:
        """Read again what was written since the last check, in every copy; tells what it healed.

        What was checked before is not read again, unless something is wrong. Raises JournalLocked.
        """
        if not all(self._as_written(path) for path in self.paths):
            return self._mend(self.chain)
        self._checked = (self.size, self.chain)
        return ()

    def archive(self, name: str, lines: Sequence[bytes]) -> None:
        """Put everything so far under another name beside each copy, and begin anew with lines."""
        past = self.lines()
        try:
            for path in self.paths:
                _replace(path.with_name(f"{path.name}.{name}"), past)
            for path in self.paths:
                _replace(path, lines)
            self._open(lines)
        except OSError as error:
            self._let_go()  # some copies have begun anew and some not: opening puts that right
            raise JournalError(
                f"The journal {self.paths[0]} cannot be put away ({error.strerror}); free its"
                " disk, or name another file with --journal."
            ) from error

    def close(self) -> None:
        """Let the files go. Idempotent."""
        self._let_go()
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def __enter__(self) -> Copies:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _mend(self, written: str | None = None) -> tuple[str, ...]:
        """Write anew every copy that differs from the truth; tells which were not well.

        `written` is the chain that it must end with, where that is known.
        """
        self._let_go()
        copies = [read_copy(path) for path in self.paths]
        truth = truth_of(copies)
        if written is not None and written != (chain_of(truth[-1]) if truth else GENESIS):
            raise JournalLocked(
                f"No copy of the journal {self.paths[0]} ends any more with what this run wrote."
                f" {WHAT_TO_DO}"
            )
        told: list[str] = []
        for copy in copies:
            if (defect := defect_of(copy, truth)) is not None:
                told.append(f"The journal's copy {copy.path} {defect}; it was written anew.")
            if defect is not None or copy.data is None or copy.tail:
                try:
                    _replace(copy.path, truth)
                except OSError as error:
                    raise JournalError(
                        f"The journal {copy.path} cannot be used ({error.strerror}); name a"
                        " writable file with --journal."
                    ) from error
        self._open(truth)
        return tuple(told)

    def _open(self, lines: Sequence[bytes]) -> None:
        self._let_go()
        try:
            for path in self.paths:
                self._files.append(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC))
        except OSError as error:
            raise JournalError(
                f"The journal {path} cannot be used ({error.strerror}); name a writable file with"
                " --journal."
            ) from error
        self.size = sum(len(line) + 1 for line in lines)
        self.chain = chain_of(lines[-1]) if lines else GENESIS
        self._checked = (self.size, self.chain)
        self._ragged = False

    def _as_written(self, path: Path) -> bool:
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

    def _take_back(self) -> None:
        for file in self._files:
            os.ftruncate(file, self.size)
        self._ragged = False

    def _let_go(self) -> None:
        while self._files:
            os.close(self._files.pop())


class Memory:
    """What stands for copies where no file was named: gone when the run is."""

    healed: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.chain = GENESIS
        self._lines: list[bytes] = []

    def append(self, lines: Sequence[bytes]) -> None:
        self._lines += lines
        self.chain = chain_of(lines[-1])

    def lines(self) -> tuple[bytes, ...]:
        return tuple(self._lines)

    def check(self) -> tuple[str, ...]:
        return ()

    def close(self) -> None:
        """Nothing to let go."""


def _locked(path: Path) -> int:
    """Hold the journal against every other run until it is closed. Raises JournalError."""
    beside = path.with_name(f"{path.name}.lock")
    try:
        lock = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise JournalError(
            f"The journal {path} cannot be used ({error.strerror}); name a writable file with"
            " --journal."
        ) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(lock)
        raise JournalInUse(
            f"Another run has the journal {path} open; wait for its end, or name another file with"
            " --journal."
        ) from error
    return lock


def _write(path: Path, file: int, text: bytes) -> None:
    """All of it, on disk. Raises OSError with the file's name."""
    rest = memoryview(text)
    try:
        while rest:
            rest = rest[os.write(file, rest) :]
        os.fdatasync(file)
    except OSError as error:
        error.filename = str(path)
        raise


def _replace(path: Path, lines: Sequence[bytes]) -> None:
    """A file with these lines under this name, or what was there before. Raises OSError."""
    path = path.resolve()  # a link stays one
    beside = path.with_name(f"{path.name}.new")
    file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
    try:
        _write(path, file, b"".join(line + b"\n" for line in lines))
    finally:
        os.close(file)
    beside.replace(path)
    directory = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
