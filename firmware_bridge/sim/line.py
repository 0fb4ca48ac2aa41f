"""A serial line in memory: two ends, the transmission time of bytes, a plug, and optional noise.

Both directions carry bytes at the same time (full duplex), in order. No call blocks: each piece
arrives by one `call_at` of the running loop, which may be a virtual one.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from firmware_bridge.wire.errors import BoardSilentError
from firmware_bridge.wire.transport import BAUD, Lost, Receive

BITS_A_BYTE = 10
"""Bits per byte: start bit, eight data bits, stop bit."""
LATENCY = 0.0002
"""Latency of adapter and operating system in one direction, seconds."""
_OLD = 4
"""Number of recent pieces of which one may be repeated."""


@dataclass(frozen=True)
class Noise:
    """The noise of a line, as probabilities from 0 to 1.

    `bit`: for each byte, that one of its bits flips. For each piece: `drop` that it is lost,
    `repeat` that it or one of the last few is received again, `cut` that it ends early.
    """

    random: Random
    bit: float = 0.001
    drop: float = 0.0
    repeat: float = 0.0
    cut: float = 0.0


class MemoryTransport:
    """One end of a line; made in pairs by `memory_line`."""

    def __init__(self, baud: float, latency: float, noise: Noise | None) -> None:
        self.bytes_sent = 0
        self.resets_boards = False
        self._loop = asyncio.get_running_loop()
        self._byte = BITS_A_BYTE / baud
        self._latency = latency
        self._add_noise = NoiseFilter(noise).apply if noise else None
        self._free_at = 0.0
        self._peer = self
        self._receive: Receive = _discard
        self._lost: Lost = _discard
        self._open = True

    def connect(self, receive: Receive, lost: Lost) -> None:
        self._receive, self._lost = receive, lost

    def write(self, data: bytes) -> None:
        if not self._open:
            return
        self.bytes_sent += len(data)
        now = self._loop.time()
        self._free_at = max(now, self._free_at) + len(data) * self._byte
        if self._add_noise:
            data = self._add_noise(data)
        if data:
            self._loop.call_at(self._free_at + self._latency, self._peer.arrive, data)

    def arrive(self, data: bytes) -> None:
        """Receive bytes at this end."""
        if self._open:
            self._receive(data)

    def close(self) -> None:
        self._open = False

    def unplug(self) -> None:
        """Unplug the line: bytes in transit are lost, and both ends are notified."""
        for end in (self, self._peer):
            end.lose("the line in memory is unplugged; connect a new one.")

    def lose(self, why: str) -> None:
        """Report the loss of the line at this end; it receives no more bytes."""
        if self._open:
            self._open = False
            self._lost(why)

    def set_peer(self, peer: MemoryTransport) -> None:
        """Connect this end to the peer that receives its bytes."""
        self._peer = peer


def memory_line(
    *, baud: float = BAUD, latency: float = LATENCY, noise: Noise | None = None
) -> tuple[MemoryTransport, MemoryTransport]:
    """Create the two ends of a line, on the running loop; noise applies to both directions."""
    here, there = (MemoryTransport(baud, latency, noise) for _ in range(2))
    here.set_peer(there)
    there.set_peer(here)
    return here, there


class CablePlug:
    """A cable to the host. `on_receive` receives the host's bytes; `send` sends bytes to the host.

    A port that was `opened_before` keeps DTR asserted. After the cable was pulled, the next opening
    asserts DTR again, which resets the boards: `on_reset` is called. `baud` is the line's baud
    rate; infinite if the boards simulate the transmission time.
    """

    def __init__(self, baud: float = BAUD, *, opened_before: bool = True) -> None:
        self._baud = baud
        self.on_receive: Receive = _discard
        self.on_reset: Callable[[], None] = _do_nothing
        self.pulled = False
        self._asserts_dtr = opened_before
        self._there: MemoryTransport | None = None

    def open(self) -> MemoryTransport:
        """Open the host's port. Raises BoardSilentError while the plug is pulled."""
        if self.pulled:
            raise BoardSilentError("the simulated line is unplugged; plug it in again.")
        here, there = memory_line(baud=self._baud)
        there.connect(self.on_receive, _discard)
        self._there = there
        if not self._asserts_dtr:
            self._asserts_dtr = here.resets_boards = True
            self.on_reset()
        return here

    def pull(self) -> None:
        """Pull the plug: bytes in transit are lost, the host is notified, the boards keep power."""
        self.pulled = True
        self._asserts_dtr = False
        if self._there is not None:
            self._there.unplug()

    def put_back(self) -> None:
        """Put the plug back: the host can open its port again."""
        self.pulled = False

    def send(self, data: bytes) -> None:
        """Send bytes to the host; without a line they are discarded."""
        if self._there is not None:
            self._there.write(data)


class NoiseFilter:
    """Applies noise to the bytes of one direction."""

    def __init__(self, noise: Noise) -> None:
        self._noise = noise
        self._random = noise.random
        self._clean_bytes = self._next_gap()
        """The number of bytes before the next flipped bit."""
        self._past: deque[bytes] = deque(maxlen=_OLD)

    def apply(self, data: bytes) -> bytes:
        noise, random = self._noise, self._random
        sent = data
        if len(data) <= self._clean_bytes:
            self._clean_bytes -= len(data)
        else:
            data = self._flip(data)
        chance = random.random()
        if chance < noise.drop:
            data = b""
        elif chance < noise.drop + noise.cut:
            data = data[: random.randrange(len(data))]
        elif chance < noise.drop + noise.cut + noise.repeat:
            data += random.choice((data, *self._past))
        self._past.append(sent)
        return data

    def _flip(self, data: bytes) -> bytes:
        noisy = bytearray(data)
        at = self._clean_bytes
        while at < len(noisy):
            noisy[at] ^= 1 << self._random.randrange(8)
            at += 1 + self._next_gap()
        self._clean_bytes = at - len(noisy)
        return bytes(noisy)

    def _next_gap(self) -> int:
        """Draw the bytes until the next flip: geometric, so every byte has the same probability."""
        if not self._noise.bit:
            return 1 << 62
        return int(math.log(1.0 - self._random.random()) / math.log1p(-self._noise.bit))


def _do_nothing() -> None:
    """Leave the boards running: nothing resets them."""


def _discard(_: object) -> None:
    """Discard bytes until a receiver is connected."""
