"""Where pages for people are shown: a terminal as wide as it is, or a file as wide as it takes."""

from __future__ import annotations

import os
import sys
from typing import IO, TYPE_CHECKING, cast

if TYPE_CHECKING:
    from rich.console import Console

WIDE = 160
"""Columns where no terminal sets a limit, so that a line of a list stays a line for `grep`."""


def screen(*, errors: bool = False) -> Console:
    """Standard output, or standard error where standard output carries something else."""
    from rich.console import Console

    stream = sys.stderr if errors else sys.stdout
    if stream.isatty():
        return Console(stderr=errors, file=cast(IO[str], _UntilHungUp(stream)))
    return Console(stderr=errors, width=WIDE)


class _UntilHungUp:
    """A terminal's stream. What is written after the terminal is gone goes nowhere.

    A run whose terminal was closed must still stop the table safely: an error in the middle of a
    page would end it there.
    """

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except OSError:
            self._hang_up()
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError:
            self._hang_up()

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)

    def _hang_up(self) -> None:
        """Send what is still buffered, and all that follows, nowhere."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)
