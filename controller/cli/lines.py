"""Lines of text for a file or a pipe, each written at once; where that fails, the table stops."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

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

    def keep(self, line: str) -> None:
        """Write the next line, as long as that goes."""

        def write() -> None:
            self._stream.write(line + "\n")
            self._stream.flush()

        self._try(write)

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


@contextmanager
def opened(what: str, where: str | None) -> Iterator[TextIO | None]:
    """The stream of that name, - for standard output; None where none is wanted.

    Raises BadInput, with `what` was to be written, for a file that cannot be.
    """
    if where is None:
        yield None
        return
    if where == "-":
        yield sys.stdout
        return
    try:
        stream = Path(where).open("w", encoding="utf-8")  # noqa: SIM115
    except OSError as error:
        raise BadInput(
            f"{what} cannot be written to '{where}' ({error.strerror}); name a writable file."
        ) from error
    try:
        yield stream
    finally:
        with suppress(OSError):  # every line was written at once, and a failure told
            stream.close()
