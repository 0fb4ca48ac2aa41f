"""Compares the bench table on mock pins with the same table on a serial board."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from random import Random

from config.loader import load_table
from firmware_bridge.board import Board, Edges, Elapsed, Ended, Reason
from firmware_bridge.boards.gpio_board import GpioBoard
from firmware_bridge.boards.serial_board import SerialBoard
from firmware_bridge.executor.virtual_board import KEY
from firmware_bridge.sim import clock
from firmware_bridge.sim.bench import Bench
from firmware_bridge.sim.line import memory_line
from firmware_bridge.sim.mock_pins import MockPins
from firmware_bridge.sim.plant.machine import Plant
from firmware_bridge.wire.link import SerialLine
from tests.firmware_bridge.sim.rack import FACES, TILE

Trace = tuple[list[Ended], list[tuple[float, str, int]]]


class TracedPlant(Plant):
    """A plant that records the values of drum and wheel with their times."""

    trace: list[tuple[float, str, int]]

    def output(self, channel: str, value: int) -> None:
        if channel in ("drum", "wheel"):
            self.trace.append((round(self.world.now, 3), channel, value))
        super().output(channel, value)


async def let_tiles_out(plant: TracedPlant, board: Board) -> Trace:
    """Mix a box of tiles, lift five and then two; return the ends of the drives and the trace."""
    plant.trace = []
    await board.start()
    assert plant.drum is not None
    plant.drum.pour([plant.boxes[0].take(tile) for tile in plant.tiles])
    await board.hold_lease()
    await board.set("relay", 1)
    await asyncio.sleep(0.1)
    ended = [await board.drive("drum", 650, Elapsed(), 8.0)]
    await board.set("drum", 400)
    ended += [await board.drive("wheel", 1000, Edges("counter", n), 60.0) for n in (5, 2)]
    await board.release_lease()
    assert await board.count("counter") == 7
    plant.census()
    await board.close()
    return [Ended(each.reason, each.count, round(each.seconds, 3)) for each in ended], plant.trace


def on_pins() -> Awaitable[Trace]:
    loop = asyncio.get_running_loop()
    plant = TracedPlant(load_table("bench"), TILE, FACES, 7, loop)
    config = plant.table.boards["pins"]
    pins = MockPins(config, plant)
    plant.connect({"pins": pins})
    plant.power_on()
    board = GpioBoard("pins", config, pins.factory, emergency=plant.table.modules.emergency)
    return let_tiles_out(plant, board)


def on_a_line() -> Awaitable[Trace]:
    loop = asyncio.get_running_loop()
    plant = TracedPlant(load_table("bench"), TILE, FACES, 7, loop)
    plant.trace = []
    here, there = memory_line()
    bench = Bench(plant, there.write)
    there.connect(bench.receive, lambda _: None)
    nonces = Random(1)
    config = plant.table.boards["pins"]
    board = SerialBoard("pins", config, SerialLine(here), KEY, lambda: nonces.randbytes(8))
    return let_tiles_out(plant, board)


def run_scenario(scenario: Callable[[], Awaitable[Trace]]) -> Trace:
    async def awaited() -> Trace:
        return await scenario()

    return clock.run(awaited())


def test_the_wheel_lets_out_exactly_the_ordered_tiles() -> None:
    ended, trace = run_scenario(on_pins)
    assert [(each.reason, each.count) for each in ended] == [
        (Reason.TIME, 0),
        (Reason.EDGES, 5),
        (Reason.EDGES, 2),
    ]
    assert trace[-1][1:] == ("drum", 0)


def test_pins_and_a_serial_board_differ_only_by_the_time_on_the_wire() -> None:
    (ended, trace), (ended_serial, trace_serial) = run_scenario(on_pins), run_scenario(on_a_line)
    assert ended == ended_serial
    assert [order[1:] for order in trace] == [order[1:] for order in trace_serial]


def test_two_runs_on_pins_with_the_same_seed_are_identical() -> None:
    assert run_scenario(on_pins) == run_scenario(on_pins)
