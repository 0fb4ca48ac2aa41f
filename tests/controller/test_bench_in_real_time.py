"""Tests the table `bench` on GPIO pins in real time, with edges from gpiozero's threads.

Every change of a pin comes from a second thread, as on a Raspberry Pi. The event loop is in debug
mode, in which it refuses calls from other threads. A run that fails while the computer did not run
the event loop for some time is repeated.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import pytest

from config.loader import game_parameters, load_game, load_table
from config.schema import Table
from controller.events import Event, EventLog
from controller.run.assembly import Hardware, daemon_for, faces_by_tag, on_pins, simulated_plant
from controller.run.chance.source import OperatingSystemChance
from controller.run.faults.failures import TableFault
from controller.run.journal import Journal
from controller.run.orders import Orders
from firmware_bridge.board import Board
from firmware_bridge.guide import Ask
from firmware_bridge.sim.mock_pins import MockPins
from firmware_bridge.sim.people.simulated_guide import SimulatedGuide
from firmware_bridge.sim.plant.machine import Plant
from rules.games import find_game

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]
TILES = 28
"""A set of dominoes."""
PRESSED = 0.3
"""Duration of the press of the emergency stop, seconds."""
AT_ONCE = 0.25
"""Longest reaction to the emergency stop, seconds: longer than one pass of the event loop, shorter
than every other delay in this test."""
LATE = 0.08
"""Seconds by which the event loop or the pins' thread is late, after which a run that fails is
repeated. A tile is in front of the counter for 0.2 s: if both edges come at once, it is not
counted, as on real pins."""
ATTEMPTS = 25
"""Runs at most. A run that fails while the event loop was not late is not repeated."""
SAFE = (("drum", 0), ("relay", 0), ("red", 1), ("green", 0))
"""The outputs during an emergency stop."""


def fast_bench() -> Table:
    """Return the table `bench` with fast parts, so that the test is short."""
    table = load_table("bench")
    assert table.modules.drum and table.modules.heads
    # As on a real head, a tile has passed the counter before the wheel grips the next one.
    faster = {"spacing": 0.25, "plenty": 4, "belt_speed": 0.25}
    quick = {
        "drum": table.modules.drum.model_copy(update={"mix": 0.2}),
        "heads": table.modules.heads.model_copy(update=faster),
    }
    return table.model_copy(update={"modules": table.modules.model_copy(update=quick)})


@dataclass
class ThreadedPins:
    """Mock pins that the plant drives from a separate thread, in order."""

    pins: MockPins
    pool: ThreadPoolExecutor
    threads: set[int] = field(default_factory=set)
    late: float = 0.0

    def sensor(self, channel: str, active: bool) -> None:
        self.pool.submit(self._drive, channel, active, time.monotonic())

    def _drive(self, channel: str, active: bool, ordered: float) -> None:
        self.threads.add(threading.get_ident())
        self.pins.sensor(channel, active)
        self.late = max(self.late, time.monotonic() - ordered)

    def order_failed(self, channel: str, why: str) -> None:
        self.pins.order_failed(channel, why)

    def current(self, motor: str, milliamps: int) -> None:
        self.pins.current(motor, milliamps)

    def settle(self) -> None:
        """Wait until every change so far has reached the pins."""
        self.pool.submit(bool).result()


class PromptHelper(SimulatedGuide):
    """People who answer every prompt after 0.05 s with its first answer."""

    def __init__(self, plant: Plant) -> None:
        super().__init__(plant)
        self.asked: list[Ask] = []

    async def help(self, ask: Ask) -> str:
        self.asked.append(ask)
        await asyncio.sleep(0.05)
        return ask.answers[0]


@dataclass
class Evening:
    """Events and pin changes of a run, with real times."""

    events: list[Event] = field(default_factory=list)
    pin_changes: list[tuple[float, str, int]] = field(default_factory=list)
    asked: list[Ask] = field(default_factory=list)
    counted: int = 0
    threads: set[int] = field(default_factory=set)
    pressed: float | None = None
    late: float = 0.0
    failure: TableFault | TimeoutError | None = None

    @property
    def is_good(self) -> bool:
        """Whether all tiles were lifted, and the emergency stop, if any, has acted at once."""
        if self.failure is not None or self.counted != TILES:
            return False
        if self.pressed is None:
            return not [event for event in self.events if event["event"] in ("paused", "fault")]
        reactions = [self.first(each, safe, self.pressed) - self.pressed for each, safe in SAFE]
        return max(reactions) < AT_ONCE and [ask.code for ask in self.asked] == ["EMERGENCY"]

    def first(self, channel: str, value: int, after: float) -> float:
        """Return the first time, in seconds, from `after` on, at which an output took a value."""
        return next(
            t for t, name, v in self.pin_changes if t >= after and (name, v) == (channel, value)
        )


@contextmanager
def another_thread(pins: MockPins) -> Iterator[ThreadedPins]:
    with ThreadPoolExecutor(max_workers=1) as pool:
        yield ThreadedPins(pins, pool)


def build(*, press_at_tile: int | None = None) -> Evening:
    """Mix a set and lift all tiles, until people are prompted to build the walls."""
    for _ in range(ATTEMPTS):
        evening = _built(press_at_tile)
        if evening.is_good or evening.late < LATE:
            break
    if evening.failure is not None:
        raise evening.failure
    return evening


def _built(press_at_tile: int | None) -> Evening:
    async def main() -> Evening:
        loop, evening = asyncio.get_running_loop(), Evening()
        table, config, game = fast_bench(), load_game("block"), find_game("block")
        plant = simulated_plant(table, config, game, 4, seed=7)
        people, events = PromptHelper(plant), EventLog(loop.time)
        plant.output_observers.append(
            lambda *seen: evening.pin_changes.append((loop.time(), *seen))
        )
        pins = MockPins(table.boards["pins"], plant)
        built = asyncio.Event()

        def hear(event: Event) -> None:
            evening.events.append(event)
            if event.get("top") == "raising":
                built.set()

        events.listen(hear)
        with another_thread(pins) as threaded, Journal.in_memory("", {}) as journal:
            plant.connect({"pins": threaded})
            plant.power_on()
            threaded.settle()
            board = on_pins(table, "pins", pins.factory)
            hardware = Hardware(
                {"pins": board}, people, faces_by_tag(game), (), lambda: None, OperatingSystemChance
            )
            orders = Orders(game, game_parameters(config))
            daemon = daemon_for(hardware, table, config, orders, journal, events)
            measuring = asyncio.create_task(_measure_lateness(evening))
            running = asyncio.create_task(daemon.run(1))
            waiting = asyncio.create_task(built.wait())
            try:
                async with asyncio.timeout(60):
                    if press_at_tile is not None:
                        await _tiles(board, press_at_tile)
                        evening.pressed = loop.time()
                        plant.emergency_stop(True)
                        loop.call_later(PRESSED, plant.emergency_stop, False)
                    await asyncio.wait((running, waiting), return_when=asyncio.FIRST_COMPLETED)
                    if running.done():
                        running.result()
            except (TableFault, TimeoutError) as failure:
                evening.failure = failure
            evening.counted = await board.count("counter")
            for task in (running, waiting, measuring):
                task.cancel()
                with suppress(asyncio.CancelledError, TableFault):
                    await task
            evening.threads = threaded.threads
            evening.late = max(evening.late, threaded.late)
        evening.asked = people.asked
        return evening

    return asyncio.run(main(), debug=True)


async def _measure_lateness(evening: Evening) -> None:
    """Note the longest time in which the event loop did not run, seconds."""
    loop = asyncio.get_running_loop()
    due = loop.time() + 0.02
    while True:
        await asyncio.sleep(due - loop.time())
        now = loop.time()
        evening.late = max(evening.late, now - due)
        due = now + 0.02


async def _tiles(board: Board, tiles: int) -> None:
    """Wait until this number of tiles has passed the counter of the head."""
    async for edge in board.watch("counter"):
        if edge.active and edge.count == tiles:
            return


@pytest.fixture(scope="module")
def undisturbed() -> Evening:
    return build()


def test_a_whole_set_is_lifted_with_edges_from_another_thread(undisturbed: Evening) -> None:
    assert undisturbed.counted == TILES
    assert undisturbed.threads and threading.get_ident() not in undisturbed.threads
    assert not [event for event in undisturbed.events if event["event"] in ("paused", "fault")]


def test_the_relay_is_closed_before_the_drum_turns(
    undisturbed: Evening,
) -> None:
    assert undisturbed.first("relay", 1, 0.0) + 0.05 <= undisturbed.first("drum", 1000, 0.0)


def test_the_green_lamp_is_lit_during_the_run_and_the_red_one_after_it(
    undisturbed: Evening,
) -> None:
    lamps = [
        (name, value) for _, name, value in undisturbed.pin_changes if name in ("red", "green")
    ]
    assert lamps[:2] == [("red", 0), ("green", 1)]
    assert dict(lamps) == {"red": 1, "green": 0}


def test_an_emergency_stop_between_two_tiles_acts_at_once_and_no_tile_is_lost() -> None:
    stopped = build(press_at_tile=9)
    pressed = stopped.pressed
    assert pressed is not None
    for channel, safe in SAFE:
        assert stopped.first(channel, safe, pressed) - pressed < AT_ONCE, channel
    assert [ask.code for ask in stopped.asked] == ["EMERGENCY"]
    assert stopped.counted == TILES
    emitted = [event["event"] for event in stopped.events]
    assert emitted.index("paused") < emitted.index("prompt_answered") < emitted.index("resumed")
