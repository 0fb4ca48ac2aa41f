"""Writes lines of text to a file or a pipe, each one at once, and stops the table if that fails."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Literal, TextIO

from controller.cli.errors import BadInputError
from controller.cli.output.output_checks import exists
from controller.events import Event, json_lines


class LineOutput:
    """A stream of lines: events as JSON. If a line cannot be written, `stop` is called.

    `content` and `option` are named in the error: what is written, and the option for its file.
    """

    def __init__(self, content: str, option: str, stream: TextIO, stop: Callable[[], None]) -> None:
        self.failure: str | None = None
        """Why the rest could not be written. A pipe closed by its reader is not a failure."""
        self._content = content
        self._option = option
        self._stream = stream
        self._write_event = json_lines(stream)
        self._stop = stop
        self._open = True

    def begin(self) -> None:
        """Begin the output of a new run. Raises BadInputError for a file that has contents.

        A resumed run does not call this; its lines are appended to the file.
        """
        if self._stream is not sys.stdout and self._stream.seekable() and self._stream.tell():
            raise BadInputError(exists(self._option, self._stream.name))

    def on_event(self, event: Event) -> None:
        """Write an event, unless an earlier line could not be written."""
        self._try(lambda: self._write_event(event))

    def _try(self, write: Callable[[], None]) -> None:
        """Call `write`; after its first OSError, call `stop` and write nothing more."""
        if not self._open:
            return
        try:
            write()
        except OSError as error:
            self._open = False
            if not isinstance(error, BrokenPipeError):
                self.failure = (
                    f"{self._content} could not be written ({error.strerror}), and the table was"
                    f" stopped; free space on the disk, or name another file with {self._option}."
                )
            self._stop()


class RecordFile(LineOutput):
    """The record of a play. A resumed run repeats the record from its first hand.

    A repeated line stays in its place, so the file is never shorter than the interrupted run left
    it. Where the resumed run differs, the rest of the file is replaced by its lines, and the
    earlier contents are kept in a numbered file beside it. A pipe cannot be read again and gets
    every line.
    """

    def __init__(self, stream: TextIO, stop: Callable[[], None]) -> None:
        super().__init__("The record", "--record", stream, stop)
        self.earlier_contents: Path | None = None
        """The file with the earlier contents, if the resumed run differed from them."""
        self._repeating = stream.seekable() and stream.readable()
        if self._repeating:
            stream.seek(0)

    def begin(self) -> None:
        """Begin the record of a new run. Raises BadInputError for a file that has contents."""
        if self._repeating and self._stream.read(1):
            raise BadInputError(exists(self._option, self._stream.name))
        self._repeating = False

    def keep(self, line: str) -> None:
        """Write the next line, unless the file has it in this place already."""
        self._try(lambda: self._next(line + "\n"))

    def cut(self) -> None:
        """Remove the lines that the resumed run has not repeated: its play ended before them."""
        self._try(self._cut)

    def _next(self, line: str) -> None:
        if self._repeating:
            position = self._stream.tell()
            if self._stream.readline() == line:
                return
            self._stream.seek(position)
            self._cut(line)
        self._stream.write(line)
        self._stream.flush()

    def _cut(self, line: str = "") -> None:
        """Remove the rest of the file, and save the earlier contents in a numbered file.

        Nothing is saved if the rest is only the beginning of `line`, which a power cut left.
        """
        if not self._repeating:
            return
        self._repeating = False
        position = self._stream.tell()
        rest = self._stream.read()
        if rest and not line.startswith(rest):
            self._stream.seek(0)
            self.earlier_contents = _saved_beside(Path(self._stream.name), self._stream.read())
        self._stream.seek(position)
        self._stream.truncate(position)


def _saved_beside(file: Path, text: str) -> Path:
    """Write the text to the first unused numbered file beside another, such as `play.jsonl.1`."""
    for number in count(1):
        numbered = file.with_name(f"{file.name}.{number}")
        with suppress(FileExistsError), numbered.open("x", encoding="utf-8") as stream:
            stream.write(text)
            return numbered
    raise AssertionError("an unused number exists")


@contextmanager
def open_output(
    content: str, name: str | None, mode: Literal["w", "a", "a+"] = "w"
) -> Iterator[TextIO | None]:
    """Open an output file by name; `-` is standard output, and None gives None.

    With the mode "a" or "a+" a file keeps its contents; with "a+" they can be read. Raises
    BadInputError, which names the `content`, if the file cannot be opened.
    """
    if name is None:
        yield None
        return
    if name == "-":
        yield sys.stdout
        return
    try:
        stream = Path(name).open(mode, encoding="utf-8")  # noqa: SIM115
    except OSError as error:
        raise BadInputError(
            f"{content} cannot be written to '{name}' ({error.strerror}); name a writable file."
        ) from error
    try:
        yield stream
    finally:
        with suppress(OSError):  # each line was written at once; a failure was reported then
            stream.close()
