"""Tests random commands: no board raises, no tile is lost, equal seeds give equal runs."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from config.loader import load_table, table_names
from firmware_bridge.sim import clock
from firmware_bridge.sim.plant.tiles import Tile
from firmware_bridge.wire.codec import COMMANDS, REPLIES, encode
from firmware_bridge.wire.codes import UntilKind
from firmware_bridge.wire.messages import (
    NONE,
    TABLE,
    Bootloader,
    Clear,
    Configure,
    Drive,
    Home,
    Identify,
    Message,
    Move,
    Pulse,
    Set,
    Stop,
    TakeLease,
    ThrowDice,
)
from tests.firmware_bridge.sim.rack import FACES, Rack, run_scenario
from tests.quick import slow_except

TABLES = [name for name in table_names() if load_table(name).modules.drum and name != "bench"]
RANGES = {"B": (0, 255), "b": (-128, 127), "H": (0, 65535), "h": (-32768, 32767),
          "I": (0, 2**32 - 1), "i": (-(2**31), 2**31 - 1), "Q": (0, 2**64 - 1)}  # fmt: skip


def any_message(row: Any) -> st.SearchStrategy[Message]:
    """Generate any message of a type; small numbers are more frequent in its fields."""
    fields = []
    digits = ""
    for code in row.layout.format.lstrip("<"):
        if code.isdigit():
            digits += code
        elif code == "s":
            fields.append(st.binary(min_size=int(digits), max_size=int(digits)))
            digits = ""
        else:
            low, high = RANGES[code]
            small = st.integers(max(low, -3), min(high, 90))
            fields.append(small | st.just(high) | st.integers(low, high))
    return st.tuples(*fields).map(lambda values: row.message(*values))


commands = st.one_of(*(any_message(row) for row in TABLE if row.message in COMMANDS))


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(commands, st.floats(0, 5)), max_size=40))
def test_a_board_answers_any_command_at_any_time_with_a_reply_that_fits(
    orders: list[tuple[Message, float]],
) -> None:
    async def main(rack: Rack) -> None:
        for number, (message, pause) in enumerate(orders):
            for board in rack.boards.values():
                reply = board.execute(message, number % 256)
                assert type(reply) in REPLIES
                encode(0, 0, reply)
            rack.plant.census()
            await asyncio.sleep(pause)
        for _, _, event in rack.events:
            encode(0, 0, event)

    run_scenario(main)


def valid_order(rack: Rack, board: str, random: Random) -> Message:
    """Return a random order with suitable channels, which the board accepts in most cases."""
    channels = rack.table.boards[board].channels
    motors = [rack.number(name) for name, c in channels.items() if c.kind == "motor"]
    others = [rack.number(name) for name, c in channels.items() if c.kind == "output"]
    sensors = [rack.number(name) for name, c in channels.items() if c.kind == "sensor"]
    axes = [rack.number(name) for name, c in channels.items() if c.kind == "axis"]
    dice = [rack.number(name) for name, c in channels.items() if c.kind == "dice"]
    motor, sensor = random.choice(motors), random.choice(sensors)
    until = random.choice(list(UntilKind))
    limit = random.randint(1, 20_000)
    orders: list[Message] = [
        Set(motor, random.choice((-700, 0, 700, 700))),
        Drive(
            motor, random.choice((-700, 700, 700)), until, sensor, random.randint(0, 4), limit, 0
        ),
        Drive(motor, 700, UntilKind.TIME, NONE, 0, limit, 0),
        Pulse(motor, 700, random.randint(1, 3000)),
        Stop(random.choice((motor, NONE))),
        Clear(),
        TakeLease(random.choice((0, 200, 60_000, 60_000, 60_000))),
    ]
    if others:
        orders.append(Set(random.choice(others), random.randint(0, 1)))
    if dice:
        orders.append(ThrowDice(dice[0], random.randint(1, 3)))
    if axes:
        orders.append(Home(random.choice(axes)))
        place = (random.choice(axes), random.randint(-450_000, 450_000))
        orders.append(Move(*place, NONE, 0, NONE, 0, random.randint(1, 1000)))
        low = (axes[-1], random.randint(0, 300_000))
        orders.append(Move(*low, NONE, 0, NONE, 0, 1000))
    return random.choice(orders)


def random_run(table: str, seed: int, orders: int = 150) -> list[object]:
    """Execute random orders and count all tiles after each; return the complete trace."""
    random = Random(seed)
    trace: list[object] = []

    async def main(rack: Rack) -> None:
        assert rack.plant.drum is not None
        box: list[Tile] = rack.plant.boxes[0].tiles
        rack.plant.drum.pour([rack.plant.boxes[0].take(tile) for tile in box[:32]])
        for board in rack.boards.values():
            board.execute(TakeLease(60_000), 0)
        for _ in range(orders):
            name = random.choice(list(rack.boards))
            order = valid_order(rack, name, random)
            trace.append((order, rack.boards[name].execute(order, 1)))
            if random.random() < 0.3:
                await asyncio.sleep(random.choice((0.01, 0.3, 3.0)))
            trace.append(rack.plant.census())
            if random.random() < 0.02:
                rack.plant.emergency_stop(random.random() < 0.3)
        trace.append(list(rack.events))
        trace.append([board.refusals for board in rack.boards.values()])

    run_scenario(main, table, seed=seed, faces=FACES[:32])
    return trace


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES)
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_random_orders_neither_lose_nor_duplicate_a_tile(table: str, seed: int) -> None:
    random_run(table, seed)


@pytest.mark.parametrize("table", slow_except(["robotic"], TABLES))
def test_the_same_seed_gives_the_same_trace(table: str) -> None:
    assert random_run(table, 7, 400) == random_run(table, 7, 400)


@pytest.mark.parametrize("table", TABLES)
def test_every_table_powers_on_without_a_fault_and_with_all_tiles_in_boxes(table: str) -> None:
    async def main() -> None:
        rack = Rack(table)
        rack.configure()
        await asyncio.sleep(5)
        assert all(board.faults == () for board in rack.boards.values())
        here = rack.plant.census()
        assert sum(here.values()) == 136 * rack.table.sets
        assert {place for place, tiles in here.items() if tiles} <= {"box 0", "box 1"}

    clock.run(main())


def test_a_board_without_a_channel_table_replies_to_every_command() -> None:
    async def main() -> None:
        rack = Rack("robotic")
        board = rack.boards["base"]
        for message in (Bootloader(1), Stop(NONE), Clear(), Identify(1, b"12345678")):
            assert type(board.execute(message, 0)) in REPLIES
        assert type(board.execute(Configure(*[0] * 20), 0)) in REPLIES

    clock.run(main())
