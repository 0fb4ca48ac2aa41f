"""The end of a campaign by Ctrl-C: an event that every process of this computer sees."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.synchronize import Event

_STOP: list[Event] = []
"""The event that Ctrl-C sets; empty in a process that no campaign uses, as on a cluster."""


def is_stopped() -> bool:
    """Whether Ctrl-C was pressed. A long computation calls this function and then ends early.

    On a cluster it is always False: there a campaign cancels the computations that have not begun.
    """
    return bool(_STOP) and _STOP[0].is_set()


@contextmanager
def until_interrupted() -> Iterator[Event]:
    """Yield an event that the first Ctrl-C sets; a second Ctrl-C raises KeyboardInterrupt."""
    stop = multiprocessing.Event()

    def interrupt(number: int, frame: object) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        stop.set()

    before = signal.signal(signal.SIGINT, interrupt)
    keep_stop(stop)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)
        _STOP.clear()


def stop_event() -> Event | None:
    """The event of this process, None outside `until_interrupted`."""
    return _STOP[0] if _STOP else None


def keep_stop(stop: Event | None) -> None:
    """Store the stop event in this process."""
    _STOP[:] = [] if stop is None else [stop]
