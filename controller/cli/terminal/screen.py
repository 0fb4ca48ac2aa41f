"""The console of standard output or standard error, with its width."""

from __future__ import annotations

import os
import sys
from typing import IO, TYPE_CHECKING, cast

if TYPE_CHECKING:
    from controller.cli.terminal.serial_console import SerialConsole

WIDE = 160
"""Columns without a terminal: wide enough that a row of a list stays one line, for `grep`."""


def screen(*, errors: bool = False) -> SerialConsole:
    """A console on standard output, or with `errors` on standard error."""
    from controller.cli.terminal.serial_console import SerialConsole

    stream = sys.stderr if errors else sys.stdout
    if stream.isatty():
        return SerialConsole(stderr=errors, file=cast(IO[str], _ClosableStream(stream)))
    return SerialConsole(stderr=errors, width=WIDE)


class _ClosableStream:
    """A terminal's stream that discards its output once the terminal is closed.

    A run whose terminal is closed still has to stop the table safely; an exception from an output
    would end the run before that.
    """

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except OSError:
            self._discard()
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError:
            self._discard()

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)

    def _discard(self) -> None:
        """Redirect the buffered output, and all later output, to the null device."""
        null_device = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null_device, self._stream.fileno())
        os.close(null_device)
