"""The board's end of a line: a virtual board, its session, and the timer of its events."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from firmware_bridge.executor.virtual_board import VirtualBoard
from firmware_bridge.sim.session import BoardSession, Execute
from firmware_bridge.wire.codec import Decoder, Frame
from firmware_bridge.wire.messages import Message, Started

Send = Callable[[bytes], None]


class BoardEnd:
    """One board's session, and the one timer that repeats its events.

    `send` gets whole frames. `execute` takes the place of the board's own.
    """

    def __init__(
        self,
        board: VirtualBoard,
        address: int,
        send: Send,
        decoder: Decoder,
        execute: Execute | None = None,
    ) -> None:
        self.address = address
        self._board = board
        self._loop = board.loop
        self._session = BoardSession(address, execute or board.execute, send, board.key, decoder)
        self._decoder = decoder
        self._timer: asyncio.TimerHandle | None = None
        self._open = True
        board.send = self.emit
        board.line = self._line

    @property
    def is_between_frames(self) -> bool:
        """Whether the board has received the end of every frame that has begun."""
        return self._decoder.is_between_frames

    def receive(self, data: bytes) -> None:
        """Process bytes of the line."""
        if self._open:
            self._session.receive(data)
            self._tick()

    def take(self, frames: list[Frame]) -> None:
        """Process frames to this board that another decoder has read from the line."""
        if self._open and (frames or self._session.has_unreceived):
            self._session.take(frames)
            self._tick()

    def announce(self, started: Started) -> None:
        """Send the notice that the board has started."""
        self._session.announce(started)

    def emit(self, event: Message) -> None:
        """Send an event of the board."""
        self._session.emit(event)
        self._tick()

    def insert(self, address: int, sequence: int, message: Message) -> None:
        """Send a frame beside the order of the session (`BoardSession.insert`)."""
        self._session.insert(address, sequence, message)

    def close(self) -> None:
        """End the session: the board has no power, or is in its bootloader."""
        self._open = False
        self._board.send = _discard
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _tick(self) -> None:
        """Repeat due events and set the next timer; an early timer has no other effect."""
        due = self._session.tick(self._loop.time())
        if due is None or (self._timer is not None and self._timer.when() <= due):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(due, self._repeat)

    def _repeat(self) -> None:
        self._timer = None
        self._tick()

    def _line(self) -> tuple[int, int]:
        return self._session.damaged, self._session.repeated


def _discard(event: Message) -> None:
    """Discard the events of a board without power."""
