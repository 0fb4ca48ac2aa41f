"""A serial line of two pseudo-terminals whose bytes a thread carries from one to the other."""

from __future__ import annotations

import os
import pty
import select
import threading
import tty
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass


@dataclass(frozen=True)
class SerialLine:
    """The names of both ends of a line, and the descriptor that sends bytes to the machine."""

    machine: str
    terminal: str
    to_machine: int


@contextmanager
def serial_line() -> Iterator[SerialLine]:
    """A line that is open until the end of the block."""
    ends = [pty.openpty() for _ in range(2)]
    for _, near in ends:
        tty.setraw(near)
    (one, one_near), (two, two_near) = ends
    ended = threading.Event()
    carrier = threading.Thread(target=_carry, args=(one, two, ended))
    carrier.start()
    try:
        yield SerialLine(os.ttyname(one_near), os.ttyname(two_near), one)
    finally:
        ended.set()
        carrier.join()  # soon, and before its descriptors are closed and given to others
        for descriptor in (one, one_near, two, two_near):
            os.close(descriptor)


def _carry(one: int, two: int, ended: threading.Event) -> None:
    while not ended.is_set():
        ready, _, _ = select.select((one, two), (), (), 0.02)
        for source in ready:
            with suppress(OSError):
                os.write(two if source == one else one, os.read(source, 4096))
