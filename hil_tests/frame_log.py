"""Raw log of a line: every piece of bytes with its time and direction, as lines of JSON.

    {"t": 1.204113, "from": "host", "bytes": "01 03 12 17 01 ...", "frames": ["Count(channel=0)"]}

`t` is in seconds since the connection, by the event loop's clock.
"""

from __future__ import annotations

import asyncio
import json
from typing import IO

from firmware_bridge.wire.codec import Decoder
from firmware_bridge.wire.transport import Lost, Receive, Transport


class LoggedTransport:
    """A transport that writes everything it carries to a file."""

    def __init__(self, transport: Transport, file: IO[str]) -> None:
        self._transport = transport
        self._file = file
        self._loop = asyncio.get_running_loop()
        self._began = self._loop.time()
        self._decoders = {"host": Decoder(), "board": Decoder()}
        self.resets_boards = transport.resets_boards

    def connect(self, receive: Receive, lost: Lost) -> None:
        def received(data: bytes) -> None:
            self._log("board", data)
            receive(data)

        self._transport.connect(received, lost)

    def write(self, data: bytes) -> None:
        self._log("host", data)
        self._transport.write(data)

    def close(self) -> None:
        self._transport.close()

    def _log(self, sender: str, data: bytes) -> None:
        frames = [
            f"{frame.sequence}: {frame.message}" for frame in self._decoders[sender].feed(data)
        ]
        at = round(self._loop.time() - self._began, 6)
        line = {"t": at, "from": sender, "bytes": data.hex(" "), "frames": frames}
        self._file.write(json.dumps(line) + "\n")
