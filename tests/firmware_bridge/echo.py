"""A board that only records the commands that it executes; for tests of the link."""

from __future__ import annotations

import asyncio
from random import Random

from firmware_bridge.sim.host_session import begin_session
from firmware_bridge.sim.line import MemoryTransport, Noise, memory_line
from firmware_bridge.sim.session import BoardSession
from firmware_bridge.wire import messages as wire
from firmware_bridge.wire.link import Link, SerialLine
from firmware_bridge.wire.messages import Message

KEY = b"the key of echoes"


class EchoBoard:
    """Records the value of every `Set` that it executes; answers a `Read` with its channel."""

    def __init__(self, transport: MemoryTransport, address: int = 0) -> None:
        self.done: list[int] = []
        self.session = BoardSession(address, self.execute, transport.write, KEY)
        self.drops_input = False
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None

    def execute(self, message: Message, sequence: int) -> Message:
        match message:
            case wire.Set():
                self.done.append(message.value)
                return wire.Ok()
            case wire.Read():
                return wire.Value(message.channel)
            case wire.Identify():
                return wire.Identity(
                    wire.PROTOCOL, 1, 1, b"echo", b"ECHO0000", 1, 0, 0, 0, bytes(8), bytes(8)
                )
            case _:
                return wire.Ok()

    def receive(self, data: bytes) -> None:
        if not self.drops_input:
            self.session.receive(data)
            self._tick()

    def emit(self, event: Message) -> None:
        self.session.emit(event)
        self._tick()

    def _tick(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        due = self.session.tick(self._loop.time())
        self._timer = None if due is None else self._loop.call_at(due, self._tick)


class Wired:
    """A host's link and an `EchoBoard` at the two ends of a line in memory."""

    def __init__(self, noise: Noise | None = None) -> None:
        self.host, self.there = memory_line(noise=noise)
        self.line = SerialLine(self.host)
        self.link: Link = self.line.link(0, "echo")
        self.board = EchoBoard(self.there)
        self.there.connect(self.board.receive, lambda _: None)
        self.events: list[Message] = []
        self.lost: list[str] = []
        self.link.on_event = self.events.append
        self.link.lost = lambda error: self.lost.append(str(error))

    async def identify(self) -> Message:
        return await begin(self.link, b"a nonce!")


async def begin(link: Link, nonce: bytes) -> Message:
    """Begin a session with an `EchoBoard`."""
    return await begin_session(link, nonce, KEY)


def noise(seed: int) -> Noise:
    """Return noise with bit errors in 1 of 1,000 bytes, and lost, repeated or cut-off pieces."""
    return Noise(Random(seed), bit=0.001, drop=0.005, repeat=0.01, cut=0.005)
