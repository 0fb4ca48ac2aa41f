"""Tests random faults during random orders: every tile is always in exactly one holder."""

from __future__ import annotations

import asyncio
import re
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from config.loader import load_table
from firmware_bridge.sim.faults.injected_fault import Always, At, InjectedFault, Nth, Rate
from firmware_bridge.sim.faults.kinds import BY_OUTPUTS, KINDS
from firmware_bridge.wire.messages import Clear, Set, TakeLease
from tests.firmware_bridge.sim.rack import FACES, Rack, run_scenario
from tests.firmware_bridge.sim.test_any_order import TABLES, valid_order
from tests.quick import slow_except

SIZES = (None, None, 1.0, 3.0)


def random_faults(table: str, random: Random) -> list[InjectedFault]:
    """Return at most eight injected faults of random kinds, parts and times."""
    loaded = load_table(table)
    found = []
    for _ in range(random.randint(1, 8)):
        mechanical = [k for k in KINDS.values() if k.occasion is not BY_OUTPUTS]
        kind = random.choice(mechanical if random.random() < 0.9 else list(KINDS.values()))
        parts = list(kind.parts(loaded))
        if parts:
            when = random.choice((At(random.uniform(0, 60)), Nth(random.randint(1, 5)), Rate(0.3)))
            size = random.choice(SIZES) if kind.measure else None
            found.append(
                InjectedFault(
                    kind.name, random.choice(parts), random.choice((when, Always())), size
                )
            )
    return found


def random_run(table: str, seed: int, orders: int = 120) -> list[object]:
    """Execute random orders while random faults occur and are repaired; return the whole trace."""
    random = Random(seed)
    injected_faults = random_faults(table, random)
    trace: list[object] = []

    async def main(rack: Rack) -> None:
        plant = rack.plant
        assert plant.drum is not None
        box = plant.boxes[0]
        plant.drum.pour([box.take(tile) for tile in box.tiles[:32]])
        channels = [name for board in rack.table.boards.values() for name in board.channels]
        running = [name for name in channels if re.fullmatch("drum|head._(wheel|belt)", name)]
        for _ in range(orders):
            name = random.choice(list(rack.boards))
            rack.boards[name].execute(TakeLease(60_000), 0)
            trace.append(rack.boards[name].execute(valid_order(rack, name, random), 1))
            for motor in running if random.random() < 0.5 else ():
                rack.send(motor, lambda number: Set(number, 700))
            if random.random() < 0.4:
                await asyncio.sleep(random.choice((0.01, 0.3, 3.0)))
            if random.random() < 0.1:
                part = random.choice((*channels, "head 0", "tray 1", "drum", "gripper", "table"))
                trace.append(plant.repair("JAM", part))
            if random.random() < 0.2:
                rack.boards[name].execute(Clear(), 2)
            trace.append(plant.census())
            assert sum(plant.census().values()) == len(plant.tiles)
        while plant.injected_faults.active:
            assert plant.repair("COUNT", "table")
            plant.census()
        trace.append([str(each) for each in plant.injected_faults.occurred])
        trace.append(list(rack.events))

    run_scenario(main, table, seed=seed, faces=FACES[:32], injected_faults=injected_faults)
    return trace


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES)
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_injected_faults_neither_lose_nor_duplicate_a_tile_and_all_can_be_repaired(
    table: str, seed: int
) -> None:
    random_run(table, seed)


@pytest.mark.parametrize("table", slow_except(["single_port"], TABLES))
def test_the_same_faults_and_the_same_seed_give_the_same_run(table: str) -> None:
    assert random_run(table, 11, 300) == random_run(table, 11, 300)


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES)
def test_faults_that_never_occur_do_not_change_a_run(table: str) -> None:
    """Fault injection draws from random streams of its own, so it does not change other draws."""

    def run(*injected_faults: InjectedFault) -> list[object]:
        trace: list[object] = []

        async def main(rack: Rack) -> None:
            random = Random(3)
            assert rack.plant.drum is not None
            box = rack.plant.boxes[0]
            rack.plant.drum.pour([box.take(tile) for tile in box.tiles[:32]])
            for _ in range(150):
                name = random.choice(list(rack.boards))
                rack.boards[name].execute(TakeLease(60_000), 0)
                rack.boards[name].execute(valid_order(rack, name, random), 1)
                await asyncio.sleep(random.choice((0.01, 0.3, 3.0)))
            trace.extend((rack.events, {k: n for k, n in rack.plant.census().items() if n}))

        run_scenario(main, table, faces=FACES[:32], injected_faults=injected_faults)
        return trace

    never = [
        InjectedFault(kind.name, part, Nth(10**9))
        for kind in KINDS.values()
        for part in list(kind.parts(load_table(table)))[:2]
        if kind.name not in ("extra_tile", "foreign_tile", "added_tile")  # they fill the spare box
    ]
    assert run(*never) == run()
