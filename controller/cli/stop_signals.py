"""Signals that end a run before its time, and the exit code that says which one it was."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Ctrl-C, the order to end, and the end of the terminal."""
_SIGNALLED = 128
"""A shell's exit code for a program that a signal ended is this and the signal's number."""


class StopSignals:
    """Calls `stop` at the first of the signals; from then on they are counted, not obeyed again.

    A signal that this process was started to ignore, as `nohup` does with SIGHUP, stays ignored.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, stop: Callable[[], None]) -> None:
        self._stop = stop
        self._number: int | None = None
        for number in STOPPING:
            if signal.getsignal(number) is not signal.SIG_IGN:
                loop.add_signal_handler(number, self._received, number)

    @property
    def exit_code(self) -> int | None:
        """128 and the number of the signal that came first; None if none came."""
        return None if self._number is None else _SIGNALLED + self._number

    def _received(self, number: int) -> None:
        if self._number is None:
            self._number = number
        self._stop()
