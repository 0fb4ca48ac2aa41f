"""A board on a line in memory, whose replies a test replaces and whose breaches it counts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from firmware_bridge.board import (
    ProtocolBreach,
)
from firmware_bridge.wire.messages import Message
from tests.firmware_bridge.serial_rig import CONFIG, SerialRig

NUMBER = {name: number for number, name in enumerate(CONFIG.channels)}
Do = Callable[[SerialRig], Awaitable[object]]


def falsify(rig: SerialRig, kind: type[Message], reply: Message) -> None:
    """Let the board answer every command of this kind with this reply."""
    execute = rig._execute

    def falsified(message: Message, sequence: int) -> Message:
        truth = execute(message, sequence)
        return reply if isinstance(message, kind) else truth

    rig.session._execute = falsified


def now_us(rig: SerialRig) -> int:
    return round(rig.loop.time() * 1e6) & 0xFFFFFFFF


def breaches(rig: SerialRig) -> dict[ProtocolBreach, int]:
    return dict(rig.board.breaches)


async def drained(faults: object) -> list[object]:
    """Return every fault that an iterator has now."""
    queue = faults._queue  # type: ignore[attr-defined]
    return [queue.get_nowait() for _ in range(queue.qsize())]
