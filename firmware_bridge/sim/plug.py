"""Cable plug between a host's line and its simulated boards: can be pulled and put back."""

from __future__ import annotations

from firmware_bridge.sim.line import MemoryTransport, memory_line
from firmware_bridge.wire.errors import BoardSilentError
from firmware_bridge.wire.transport import BAUD, Receive


class CablePlug:
    """A socket of the host. `hear` receives the host's bytes; `say` sends bytes to the host.

    `baud` is the line's; infinite if the boards behind the plug simulate the transmission time.
    """

    def __init__(self, baud: float = BAUD) -> None:
        self._baud = baud
        self.hear: Receive = _discard
        self.pulled = False
        self._there: MemoryTransport | None = None

    def open(self) -> MemoryTransport:
        """Open the host's port. Raises BoardSilentError while the plug is pulled."""
        if self.pulled:
            raise BoardSilentError("the line in memory is unplugged; put the plug back.")
        here, there = memory_line(baud=self._baud)
        there.connect(self.hear, _discard)
        self._there = there
        return here

    def pull(self) -> None:
        """Pull the plug: bytes in transit are lost, the host is notified, the boards keep power."""
        self.pulled = True
        if self._there is not None:
            self._there.unplug()

    def put_back(self) -> None:
        """The host may open its port again."""
        self.pulled = False

    def send(self, data: bytes) -> None:
        """Send bytes to the host; without a line they are discarded."""
        if self._there is not None:
            self._there.write(data)


def _discard(_: object) -> None:
    """Discards bytes until a receiver is connected."""
