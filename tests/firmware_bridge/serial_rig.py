"""One small virtual board on a line in memory, driven through `SerialBoard`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from random import Random

from config.schema import (
    AnalogChannel,
    AxisChannel,
    BoardConfig,
    DiceChannel,
    MotorChannel,
    OutputChannel,
    ReaderChannel,
    SensorChannel,
)
from firmware_bridge.board import Ended
from firmware_bridge.boards.serial_board import SerialBoard
from firmware_bridge.executor.virtual_board import VirtualBoard
from firmware_bridge.sim import clock
from firmware_bridge.sim.line import MemoryTransport, Noise, memory_line
from firmware_bridge.sim.session import BoardSession
from firmware_bridge.wire.link import SerialLine
from firmware_bridge.wire.messages import Message

KEY = b"the rig's key"

CONFIG = BoardConfig(
    kind="serial",
    address=2,
    channels={
        "lamp": OutputChannel(kind="output", pin=2, safe=0),
        "lid": MotorChannel(
            kind="motor", pin=3, reverse_pin=4, safe=0, max_on=60.0, forward_stop="lid_open"
        ),
        "lid_open": SensorChannel(kind="sensor", pin=5, active="low", debounce_ms=0),
        "s1": SensorChannel(kind="sensor", pin=6, active="high", debounce_ms=0),
        "home": SensorChannel(kind="sensor", pin=7, active="high", debounce_ms=0),
        "x": AxisChannel(
            kind="axis",
            pin=8,
            direction_pin=9,
            home_switch="home",
            low=-0.5,
            high=0.5,
            speed=1.0,
            acceleration=5.0,
        ),
        "dome": DiceChannel(kind="dice", pin=10, port=1, safe=0, shake=1.5),
        "reader": ReaderChannel(kind="reader", port=2),
        "current": AnalogChannel(kind="analog", pin=54),
    },
)


class OutputRecorder:
    """The wiring of the rig's board: records every output and simulates no mechanism."""

    def __init__(self) -> None:
        self.outputs: dict[str, int] = {}
        self.tags: int | None = None
        self.board: VirtualBoard | None = None

    def output(self, channel: str, value: int) -> None:
        self.outputs[channel] = value

    def axis_begins(self, axis: str, start: float, target: float, seconds: float) -> None:
        """Activate the home switch when an axis that moves to its low end arrives there."""
        if target <= -0.5 and self.board is not None:
            loop = asyncio.get_running_loop()
            loop.call_later(seconds, self.board.sensor, "home", True)

    def axis_ends(self, axis: str, position: float) -> None:
        pass

    def dice(self, channel: str, count: int) -> tuple[int, ...]:
        return tuple(range(1, count + 1))

    def tag(self, channel: str) -> int | None:
        return self.tags

    def analog(self, channel: str) -> int:
        return 1234


class SerialRig:
    """A virtual board, its wiring, its line, and the host's `SerialBoard`."""

    def __init__(self, noise: Noise | None = None, key: bytes = KEY) -> None:
        self.loop = asyncio.get_running_loop()
        self.recorder = OutputRecorder()
        self.virtual = VirtualBoard(CONFIG, self.recorder, self.loop, serial=b"DESK0001", key=key)
        self.recorder.board = self.virtual
        self.host, there = memory_line(noise=noise)
        self.line = SerialLine(self.host)
        self.drops_input = False
        self.asked: list[Message] = []
        self._timer: asyncio.TimerHandle | None = None
        self._attach(there)
        random = Random(1)
        self.board = SerialBoard("base", CONFIG, self.line, KEY, lambda: random.randbytes(8))

    def replug(self) -> None:
        """Connect a new line to the same board, which has kept its power."""
        self.host, there = memory_line()
        self._attach(there)
        self.line.attach(self.host)

    def _attach(self, there: MemoryTransport) -> None:
        self.session = BoardSession(CONFIG.address, self._execute, there.write, self.virtual.key)
        self.virtual.send = self._emit
        there.connect(self._receive, lambda _: None)

    def _execute(self, message: Message, sequence: int) -> Message:
        self.asked.append(message)
        return self.virtual.execute(message, sequence)

    def _receive(self, data: bytes) -> None:
        if not self.drops_input:
            self.session.receive(data)
            self._tick()

    def _emit(self, event: Message) -> None:
        self.session.emit(event)
        self._tick()

    def _tick(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        due = self.session.tick(self.loop.time())
        self._timer = None if due is None else self.loop.call_at(due, self._tick)


def run_scenario(
    scenario: Callable[[SerialRig], Awaitable[None]], noise: Noise | None = None
) -> None:
    """Run a scenario with a started board under a lease, in virtual time."""

    async def main() -> None:
        rig = SerialRig(noise)
        await rig.board.start()
        await rig.board.hold_lease()
        await scenario(rig)
        await rig.board.close()

    clock.run(main())


async def begun(rig: SerialRig, motion: Awaitable[Ended]) -> asyncio.Task[Ended]:
    """Begin a motion; return its task, which is still running."""
    task = asyncio.ensure_future(motion)
    await asyncio.sleep(0.01)
    assert not task.done()
    return task


def kinds(rig: SerialRig) -> list[type[Message]]:
    """Return the types of the messages that the board has executed, in order."""
    return [type(message) for message in rig.asked]
