"""Boards for the link's benchmarks: one in memory, and others as processes on a pseudo-terminal."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import pty
import select
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from firmware_bridge.sim.session import BoardSession
from firmware_bridge.wire.codec import encode
from firmware_bridge.wire.messages import (
    PROTOCOL,
    Authenticate,
    EdgeSeen,
    Identify,
    Identity,
    Message,
    Ok,
    Set,
)
from firmware_bridge.wire.transport import BAUD, Transport

PIECE = 4096
KEY = b"key of benchmarks"
EVENT = EdgeSeen(3, 1, 0x01020304, 0x0A0B0C0D)
EVENTS_A_SECOND = BAUD / 10 / len(encode(0, 0, EVENT, bytes(16)))
"""The rate that fills the line, at ten bits a byte."""


class RecordingBoard:
    """A board in memory that records the value of every `Set` that it executes, in order."""

    def __init__(self, transport: Transport) -> None:
        self.done: list[int] = []
        self.session = BoardSession(0, self._execute, transport.write, KEY)
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        transport.connect(self._receive, lambda _: None)

    def emit(self, event: Message) -> None:
        self.session.emit(event)
        self._tick()

    def _execute(self, message: Message, sequence: int) -> Message:
        if isinstance(message, Set):
            self.done.append(message.value)
        return answer(message, sequence)

    def _receive(self, data: bytes) -> None:
        self.session.receive(data)
        self._tick()

    def _tick(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        due = self.session.tick(self._loop.time())
        self._timer = None if due is None else self._loop.call_at(due, self._tick)


def answer(message: Message, _: int) -> Message:
    """Return the shortest valid reply to a command."""
    if isinstance(message, Identify):
        return Identity(PROTOCOL, 1, 1, b"bnch", b"BENCH000", 1, 0, 0, 0, bytes(8), bytes(8))
    return Ok()


def echo(fd: int) -> None:
    """Send every byte that arrives on this file descriptor back."""
    while data := os.read(fd, PIECE):
        os.write(fd, data)


def board(fd: int) -> None:
    """Reply to every command on this file descriptor, as a board does."""
    session = BoardSession(0, answer, lambda data: _write(fd, data), KEY)
    while data := os.read(fd, PIECE):
        session.receive(data)


def reporter(fd: int) -> None:
    """Fill the line with events at regular times, after the host has begun a session."""
    begun: list[float] = []

    def execute(message: Message, sequence: int) -> Message:
        if isinstance(message, Authenticate):
            begun.append(time.monotonic())
        return answer(message, sequence)

    session = BoardSession(0, execute, lambda data: _write(fd, data), KEY)
    sent = 0
    while True:
        now = time.monotonic()
        due = begun[0] + sent / EVENTS_A_SECOND if begun else now + 1.0
        if select.select([fd], [], [], max(0.0, due - now))[0]:
            session.receive(os.read(fd, PIECE))
        elif begun:
            session.emit(EVENT)
            sent += 1
        session.tick(time.monotonic())


@contextmanager
def in_a_process(role: Callable[[int], None]) -> Iterator[str]:
    """Run a board in its own process, at the far end of a pseudo-terminal; yields its path."""
    far, near = pty.openpty()
    tty.setraw(near)
    process = multiprocessing.get_context("fork").Process(target=role, args=(far,), daemon=True)
    process.start()
    os.close(far)
    try:
        yield os.ttyname(near)
    finally:
        process.kill()
        process.join()
        os.close(near)


def _write(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]
