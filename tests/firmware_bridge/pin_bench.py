"""A GPIO board on mock pins, whose sensors tests drive from the event loop or another thread."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from config.schema import (
    BoardConfig,
    MotorChannel,
    OutputChannel,
    SensorChannel,
)
from firmware_bridge.boards.gpio_board import GpioBoard
from firmware_bridge.sim import clock
from firmware_bridge.sim.mock_pins import MockPins
from firmware_bridge.sim.plant.tiles import ImpossibleOrderError


def sensor(pin: int, active: str = "low", debounce_ms: float = 0) -> SensorChannel:
    return SensorChannel(kind="sensor", pin=pin, active=active, debounce_ms=debounce_ms)


BENCH = BoardConfig(
    kind="gpio",
    channels={
        "drum": MotorChannel(kind="motor", pin=17, safe=0, max_on=240.0),
        "wheel": MotorChannel(
            kind="motor", pin=27, reverse_pin=22, safe=0, max_on=90.0, hold_while="full"
        ),
        "lift": MotorChannel(
            kind="motor",
            pin=5,
            reverse_pin=6,
            safe=0,
            max_on=4.0,
            forward_stop="up",
            reverse_stop="down",
        ),
        "lamp": OutputChannel(kind="output", pin=12, safe=0),
        "brake": OutputChannel(kind="output", pin=13, safe=1, max_on=2.0),
        "counter": sensor(23),
        "full": sensor(24),
        "up": sensor(18, "high"),
        "down": sensor(19, "high"),
        "key": sensor(20, debounce_ms=20),
        "emergency": sensor(25, "high", debounce_ms=2),
    },
)


class OutputRecorder:
    """Records each value of the motors and lamps, with its time."""

    def __init__(self) -> None:
        self.trace: list[tuple[float, str, int]] = []
        self.jammed = False

    def output(self, channel: str, value: int) -> None:
        self.trace.append((round(asyncio.get_running_loop().time(), 6), channel, value))
        if self.jammed and value:
            raise ImpossibleOrderError(f"{channel} is jammed.")


class Bench:
    """A GPIO board on mock pins, with methods that drive its sensors."""

    def __init__(self, config: BoardConfig = BENCH) -> None:
        self.recorder = OutputRecorder()
        self.pins = MockPins(config, self.recorder)
        self.board = GpioBoard("pins", config, self.pins.factory, emergency=("emergency",))

    def pin(self, number: int) -> Any:
        return self.pins.factory.pin(number)

    def pass_tile(self) -> None:
        self.pins.sensor("counter", True)
        self.pins.sensor("counter", False)

    def pass_tiles_at(self, *times: float) -> None:
        for at in times:
            asyncio.get_running_loop().call_later(at, self.pass_tile)

    def set_sensor_at(self, at: float, channel: str, active: bool) -> None:
        asyncio.get_running_loop().call_later(at, self.pins.sensor, channel, active)


@asynccontextmanager
async def started() -> AsyncIterator[Bench]:
    """Start a board on mock pins; debug mode makes the loop refuse calls from other threads."""
    asyncio.get_running_loop().set_debug(True)
    bench = Bench()
    await bench.board.start()
    try:
        yield bench
    finally:
        await bench.board.close()


@asynccontextmanager
async def leased() -> AsyncIterator[Bench]:
    async with started() as bench:
        await bench.board.hold_lease()
        yield bench


def run_scenario(scenario: Callable[[], Awaitable[None]]) -> Callable[[], None]:
    """Return a test function that runs the scenario on the virtual clock."""

    def run() -> None:
        clock.run(scenario())

    run.__name__ = scenario.__name__
    return run


@contextmanager
def second_thread() -> Iterator[Callable[[Callable[[], None]], None]]:
    """Yield a function that runs its argument in a second thread and waits until it returns."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        yield lambda act: pool.submit(act).result()
