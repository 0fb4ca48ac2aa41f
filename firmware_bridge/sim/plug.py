"""Cable plug between a host's line and its simulated boards: can be pulled and put back."""

from __future__ import annotations

from firmware_bridge.sim.line import MemoryTransport, memory_line
from firmware_bridge.wire.errors import BoardSilentError
from firmware_bridge.wire.transport import BAUD, Receive


class CablePlug:
    """A cable to the host. `on_receive` receives the host's bytes; `send` sends bytes to the host.

    `baud` is the line's baud rate; infinite if the boards simulate the transmission time.
    """

    def __init__(self, baud: float = BAUD) -> None:
        self._baud = baud
        self.on_receive: Receive = _discard
        self.pulled = False
        self._there: MemoryTransport | None = None

    def open(self) -> MemoryTransport:
        """Open the host's port. Raises BoardSilentError while the plug is pulled."""
        if self.pulled:
            raise BoardSilentError("the line in memory is unplugged; put the plug back.")
        here, there = memory_line(baud=self._baud)
        there.connect(self.on_receive, _discard)
        self._there = there
        return here

    def pull(self) -> None:
        """Pull the plug: bytes in transit are lost, the host is notified, the boards keep power."""
        self.pulled = True
        if self._there is not None:
            self._there.unplug()

    def put_back(self) -> None:
        """Put the plug back: the host can open its port again."""
        self.pulled = False

    def send(self, data: bytes) -> None:
        """Send bytes to the host; without a line they are discarded."""
        if self._there is not None:
            self._there.write(data)


def _discard(_: object) -> None:
    """Discard bytes until a receiver is connected."""
