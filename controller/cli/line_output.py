"""Lines of text for a file or a pipe, each written at once; where that fails, the table stops."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Literal, TextIO

from controller.cli.errors import BadInputError
from controller.events import Event, json_lines


class LineOutput:
    """One stream of lines. Where it can be written no more, `stop` is called.

    `what` it is and the `option` that named it go into the sentence.
    """

    def __init__(self, what: str, option: str, stream: TextIO, stop: Callable[[], None]) -> None:
        self.trouble: str | None = None
        """Why the rest could not be written; a reader who has seen enough is no trouble."""
        self._what = what
        self._option = option
        self._stream = stream
        self._write_event = json_lines(stream)
        self._stop = stop
        self._open = True

    def on_event(self, event: Event) -> None:
        """Write the next event, as long as that goes."""
        self._try(lambda: self._write_event(event))

    def _try(self, write: Callable[[], None]) -> None:
        if not self._open:
            return
        try:
            write()
        except OSError as error:
            self._open = False
            if not isinstance(error, BrokenPipeError):
                self.trouble = (
                    f"{self._what} cannot be written any more ({error.strerror}), so the table was"
                    f" stopped; free the disk, or name another file with {self._option}."
                )
            self._stop()


class RecordFile(LineOutput):
    """The record of a play, which a resumed run repeats from its first hand.

    A line that the file has already stays where it is, so that the file is never shorter than an
    interrupted run left it. Where a resumed run differs, the file gets that run's lines, and what
    it held before is kept beside it, in a numbered file. A pipe, which cannot be read again, gets
    every line.
    """

    def __init__(self, stream: TextIO, stop: Callable[[], None]) -> None:
        super().__init__("The record", "--record", stream, stop)
        self.kept_aside: Path | None = None
        """Where the earlier contents are, if a resumed run differed from them."""
        self._repeating = stream.seekable() and stream.readable()
        if self._repeating:
            stream.seek(0)

    def begin(self) -> None:
        """Begin the record of a new run. Raises BadInput for a file that holds something."""
        if self._repeating and self._stream.read(1):
            raise BadInputError(
                f"The record '{self._stream.name}' exists and is not overwritten; name another"
                " file with --record, or move that one away."
            )
        self._repeating = False

    def keep(self, line: str) -> None:
        """Write the next line, unless it stands there, as long as that goes."""
        self._try(lambda: self._next(line + "\n"))

    def cut(self) -> None:
        """Remove the lines that the resumed run has not repeated: they never came about."""
        self._try(self._cut)

    def _next(self, line: str) -> None:
        if self._repeating:
            here = self._stream.tell()
            if self._stream.readline() == line:
                return
            self._stream.seek(here)
            self._cut(line)
        self._stream.write(line)
        self._stream.flush()

    def _cut(self, line: str = "") -> None:
        """Remove the rest of the file. A part of this `line` is no loss; else the file is kept."""
        if not self._repeating:
            return
        self._repeating = False
        here = self._stream.tell()
        rest = self._stream.read()
        if rest and not line.startswith(rest):
            self._stream.seek(0)
            self.kept_aside = _kept_aside(Path(self._stream.name), self._stream.read())
        self._stream.seek(here)
        self._stream.truncate(here)


def _kept_aside(file: Path, text: str) -> Path:
    """Write this text to the first free numbered file beside another: `evening.jsonl.1`."""
    for number in count(1):
        aside = file.with_name(f"{file.name}.{number}")
        with suppress(FileExistsError), aside.open("x", encoding="utf-8") as stream:
            stream.write(text)
            return aside
    raise AssertionError("there is always a free number")


@contextmanager
def open_output(
    what: str, where: str | None, mode: Literal["w", "a+"] = "w"
) -> Iterator[TextIO | None]:
    """The stream of that name, - for standard output; None where none is wanted.

    With the mode "a+" a file keeps what it has, and can be read. Raises BadInput, with `what` was
    to be written, for a file that cannot be.
    """
    if where is None:
        yield None
        return
    if where == "-":
        yield sys.stdout
        return
    try:
        stream = Path(where).open(mode, encoding="utf-8")  # noqa: SIM115
    except OSError as error:
        raise BadInputError(
            f"{what} cannot be written to '{where}' ({error.strerror}); name a writable file."
        ) from error
    try:
        yield stream
    finally:
        with suppress(OSError):  # every line was written at once, and a failure told
            stream.close()
