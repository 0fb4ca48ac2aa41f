"""Lines of text for a file or a pipe, each written at once; where that fails, the table stops."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal, TextIO

from controller.cli.errors import BadInput
from controller.events import Event, json_lines


class Lines:
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

    def hear(self, event: Event) -> None:
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


class Record(Lines):
    """The record of a play, which a resumed run tells again from its first hand.

    A line that the file has already stays where it is: whatever becomes of a run that goes on, its
    file is never shorter than the last one left it. Where the two differ, the run that goes on is
    believed. What cannot be read again, such as a pipe, gets every line.
    """

    def __init__(self, stream: TextIO, stop: Callable[[], None]) -> None:
        super().__init__("The record", "--record", stream, stop)
        self._retelling = stream.seekable() and stream.readable()
        if self._retelling:
            stream.seek(0)

    def keep(self, line: str) -> None:
        """Write the next line, unless it stands there, as long as that goes."""
        self._try(lambda: self._next(line + "\n"))

    def cut(self) -> None:
        """Leave off what has not been told by now: it is of another story, or never came about."""
        self._try(self._cut)

    def _next(self, line: str) -> None:
        if self._retelling:
            here = self._stream.tell()
            if self._stream.readline() == line:
                return
            self._stream.seek(here)
            self._cut()
        self._stream.write(line)
        self._stream.flush()

    def _cut(self) -> None:
        if self._retelling:
            self._retelling = False
            self._stream.truncate(self._stream.tell())


@contextmanager
def opened(what: str, where: str | None, mode: Literal["w", "a+"] = "w") -> Iterator[TextIO | None]:
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
        raise BadInput(
            f"{what} cannot be written to '{where}' ({error.strerror}); name a writable file."
        ) from error
    try:
        yield stream
    finally:
        with suppress(OSError):  # every line was written at once, and a failure told
            stream.close()
