"""A device between the host's link and a board, which can change, keep, repeat and make frames."""

from __future__ import annotations

from collections.abc import Callable

from firmware_bridge.sim.line import MemoryTransport
from firmware_bridge.wire.codec import Decoder, Frame, framed, plain
from firmware_bridge.wire.link import SerialLine

Change = Callable[[Frame], Frame | None]


class Intruder:
    """Cuts a line in memory. Frames pass through `from_board` and `from_host`, None drops them.

    Without the key it can repair the check of a frame, but not its tag.
    """

    def __init__(self, line: SerialLine, host: MemoryTransport) -> None:
        self.from_board: Change = _unchanged
        self.from_host: Change = _unchanged
        self.board_frames: list[Frame] = []
        """All frames of the board, as it has sent them."""
        self.host_frames: list[Frame] = []
        self._line = line
        self._board = host._peer
        self._to_board = self._board._receive
        self._decoders = Decoder(), Decoder()
        host.connect(self._from_board, line._lose)
        self._board.connect(self._from_host, lambda _: None)

    def to_host(self, frame: Frame) -> None:
        """Send a frame to the host, with a right check and the tag that it has."""
        self._line._receive(_bytes_of(frame))

    def to_board(self, frame: Frame) -> None:
        """Send a frame to the board, with a right check and the tag that it has."""
        self._to_board(_bytes_of(frame))

    def _from_board(self, data: bytes) -> None:
        for frame in self._decoders[0].feed(data):
            self.board_frames.append(frame)
            if (passed := self.from_board(frame)) is not None:
                self.to_host(passed)

    def _from_host(self, data: bytes) -> None:
        for frame in self._decoders[1].feed(data):
            self.host_frames.append(frame)
            if (passed := self.from_host(frame)) is not None:
                self.to_board(passed)


def _unchanged(frame: Frame) -> Frame:
    return frame


def _bytes_of(frame: Frame) -> bytes:
    return framed(plain(*frame[:3]) + frame.tag)
