"""The end of a campaign by Ctrl-C: a flag that every process of this computer sees."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import c_bool
from multiprocessing.sharedctypes import RawValue


class StopFlag:
    """A flag in memory that this process shares with those that it starts.

    An event of `multiprocessing` has a lock. A signal that arrives while the process looks at the
    event would block on the lock that the process itself holds. This flag has no lock.
    """

    def __init__(self) -> None:
        self._value = RawValue(c_bool, False)

    def set(self) -> None:
        """Set the flag; a signal handler can do it at any time."""
        self._value.value = True

    def is_set(self) -> bool:
        """Whether the flag was set, by this process or another one."""
        return bool(self._value.value)


_STOP: list[StopFlag] = []
"""The flag that Ctrl-C sets; empty in a process that no campaign uses, as on a cluster."""


def is_stopped() -> bool:
    """Whether Ctrl-C was pressed. A long computation calls this function and then ends early.

    On a cluster it is always False: there a campaign cancels the computations that have not begun.
    """
    return bool(_STOP) and _STOP[0].is_set()


@contextmanager
def until_interrupted() -> Iterator[StopFlag]:
    """Yield a flag that the first Ctrl-C sets; a second Ctrl-C raises KeyboardInterrupt."""
    stop = StopFlag()

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


def stop_flag() -> StopFlag | None:
    """The flag of this process, None outside `until_interrupted`."""
    return _STOP[0] if _STOP else None


def keep_stop(stop: StopFlag | None) -> None:
    """Store the flag in this process."""
    _STOP[:] = [] if stop is None else [stop]
