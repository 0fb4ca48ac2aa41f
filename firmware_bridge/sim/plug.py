"""The plug between a host's line and its simulated boards: it is pulled, and put back."""

from __future__ import annotations

from firmware_bridge.sim.line import MemoryTransport, memory_line
from firmware_bridge.wire.errors import BoardSilentError
from firmware_bridge.wire.transport import BAUD, Receive


class CablePlug:
    """One socket of the host. `hear` gets the bytes that come through; `say` sends some back.

    `baud` is the line's; infinite where those behind the plug take the wire's time themselves.
    """

    def __init__(self, baud: float = BAUD) -> None:
        self._baud = baud
        self.hear: Receive = _unheard
        self.pulled = False
        self._there: MemoryTransport | None = None

    def open(self) -> MemoryTransport:
        """The host opens its port: a line to whatever is plugged in. Raises BoardSilent."""
        if self.pulled:
            raise BoardSilentError("the line in memory is unplugged; put the plug back.")
        here, there = memory_line(baud=self._baud)
        there.connect(self.hear, _unheard)
        self._there = there
        return here

    def pull(self) -> None:
        """What is on the way is gone, and the host hears of it; the boards keep their power."""
        self.pulled = True
        if self._there is not None:
            self._there.unplug()

    def put_back(self) -> None:
        """The host may open its port again."""
        self.pulled = False

    def say(self, data: bytes) -> None:
        """Bytes to the host; without a line they go nowhere."""
        if self._there is not None:
            self._there.write(data)


def _unheard(_: object) -> None:
    """Where bytes go before anybody is connected."""
