"""Stop signals: they end a run early and determine its exit code."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""The signals of Ctrl-C, of `kill`, and of a terminal that is closed."""
INTERRUPTED = 130
"""The exit code after Ctrl-C: `_SIGNALLED` plus SIGINT."""
_SIGNALLED = 128
"""A shell's exit code for a program ended by a signal is this number plus the signal's number."""


class StopSignals:
    """Calls `stop` at each stop signal, and keeps the first one for the exit code.

    With `reload`, SIGHUP calls that instead, as services expect it. A signal that was ignored when
    the process started stays ignored, as SIGHUP under `nohup`.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        stop: Callable[[], None],
        reload: Callable[[], None] | None = None,
    ) -> None:
        self._stop = stop
        self._number: int | None = None
        for number in STOPPING:
            if signal.getsignal(number) is signal.SIG_IGN:
                continue
            if number == signal.SIGHUP and reload is not None:
                loop.add_signal_handler(number, reload)
            else:
                loop.add_signal_handler(number, self._received, number)

    @property
    def exit_code(self) -> int | None:
        """128 plus the number of the first signal; None if none was received."""
        return None if self._number is None else _SIGNALLED + self._number

    def _received(self, number: int) -> None:
        if self._number is None:
            self._number = number
        self._stop()
