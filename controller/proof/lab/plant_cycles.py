"""Shuffle cycles of a simulated table: the real activity below, without the rounds on top.

A set is poured into the drum, mixed, lifted and stacked by the same stations and boards as in a
round, in virtual time. The order of the tiles is then read from the plant, and the tiles are put
back into their box. A tile's number is its turn in the drop order of its cycle.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial
from random import Random

from config.layout.staging import Staging
from config.loader import game_parameters, load_game, load_table
from config.schema import GameConfig, Table
from controller.events import EventLog
from controller.proof.lab import LaboratoryError
from controller.run.assembly import Hardware, simulated
from controller.run.journal import Journal
from controller.run.ledger import Ledger
from controller.run.orders import Orders
from controller.run.planning.setup_forecast import seats_of, staging_of
from controller.run.rounds.cycle_chances import CycleChances
from controller.run.rounds.sorted_build import planned_choices
from controller.run.rounds.under_cycle import UnderCycle
from controller.run.run_state import RunState
from controller.run.stations.rig import Stations
from firmware_bridge.boards.devices import Devices
from firmware_bridge.sim.clock import run
from firmware_bridge.sim.host_computer import SeededChance
from firmware_bridge.sim.plant.machine import Plant
from firmware_bridge.sim.plant.tiles import Tile
from rules.games import find_game

BATCH = 25
"""Cycles of one seed of a campaign; fixed, so that the report does not depend on the processes."""
Place = tuple[str, int]
"""The side and the row of a place; rows are counted from the top, and a hand lane has row 1."""


@dataclass(frozen=True)
class Batch:
    """Cycles of one simulated table: one order for each, and the side and row of each place."""

    orders: tuple[tuple[int, ...], ...]
    places: tuple[Place, ...]


def require_machine(table: Table, config: GameConfig) -> None:
    """Check that a table mixes and stacks the game's tiles by itself. Raises LaboratoryError."""
    staging = _staging(table, config)
    if not staging.layout.count:
        raise LaboratoryError(f"The game {config.game} has no tiles, so nothing is shuffled.")
    if table.modules.drum is None or table.modules.heads is None or staging.by_hand:
        raise LaboratoryError(
            f"The table {table.name} has no drum that fills trays, so the plant has no places to"
            " examine. Choose another --table, or examine --recorded cycles."
        )


def shuffle_batch(table: str, game: str, cycles: int, seed: int, number: int) -> Batch:
    """Shuffle one batch of `cycles` cycles in all: the batch of this number, from 0.

    The last batch is smaller if `cycles` is not a multiple of `BATCH`. Each batch is a table of its
    own, whose random numbers depend on `seed` and `number`.
    """
    count = min(BATCH, cycles - number * BATCH)
    drawn = Random(f"{seed}:shuffle:{number}").getrandbits(48)
    return run(_shuffled(load_table(table), load_game(game), count, drawn))


async def _shuffled(table: Table, config: GameConfig, cycles: int, seed: int) -> Batch:
    rules = find_game(config.game)
    orders = Orders(rules, game_parameters(config))
    staging = staging_of(table, orders)
    hardware = simulated(table, config, rules, seats_of(orders.setup(0)), seed)
    plant, chance = hardware.plant, Random(f"{seed}:drop")
    assert plant is not None
    found: list[tuple[int, ...]] = []
    try:
        for board in hardware.boards.values():
            await board.start()
        rig = Stations(table, config.tile, Devices(table, hardware.boards))
        for cycle in range(cycles):
            dropped = _pour(plant, chance)
            await _prepare(table, staging, rig, f"{seed}:{cycle}")
            turns = {tile: turn for turn, tile in enumerate(dropped)}
            places, tiles = _built(plant)
            found.append(tuple(turns[tile] for tile in tiles))
            plant.put_away()
    finally:
        await _close(hardware)
    return Batch(tuple(found), places)


def _pour(plant: Plant, chance: Random) -> list[Tile]:
    """Pour the first set into the drum, in a random drop order; returns its tiles in that order."""
    assert plant.drum is not None
    box = plant.boxes[0]
    tiles = [box.take(tile) for tile in list(box.tiles)]
    chance.shuffle(tiles)
    plant.drum.pour(tiles)
    return tiles


async def _prepare(table: Table, staging: Staging, rig: Stations, seed: str) -> None:
    """Mix and build the set that is in the drum, as after the lid has closed.

    `seed` determines the machine's share of the cycle.
    """
    clock = asyncio.get_running_loop().time
    with Journal.in_memory("now", {}) as journal:
        ledger = Ledger.of(table.sets, staging.layout.count)
        run_state = RunState(ledger, journal, EventLog(clock), clock)
        for trigger in ("connect", "home", "run", "gather"):
            run_state.machine.fire(trigger)
        run_state.ledger = run_state.ledger.gathered(0)
        choices = planned_choices(table, staging.layout.count)
        chances = CycleChances(run_state, partial(SeededChance, seed), table.name, choices)
        under = UnderCycle(table, rig, staging, run_state, chances)
        activity = asyncio.ensure_future(under.run())
        staged = asyncio.ensure_future(under.staged())
        try:
            await under.take(0)
            await asyncio.wait((activity, staged), return_when=asyncio.FIRST_COMPLETED)
            if activity.done():
                activity.result()
        finally:
            for task in (activity, staged):
                task.cancel()
            await asyncio.wait((activity, staged))


def _built(plant: Plant) -> tuple[tuple[Place, ...], list[Tile]]:
    """The side and row of each place, and the tile there: wall by wall, column by column."""
    places: list[Place] = []
    tiles: list[Tile] = []
    for side, tray in enumerate(plant.trays):
        for stack in tray.all_stacks:
            for row, tile in enumerate(reversed(stack), 1):
                places.append((f"side {side}", row))
                tiles.append(tile)
    for seat, lane in enumerate(plant.lanes):
        for tile in lane.holders[0].tiles:
            places.append((f"lane {seat}", 1))
            tiles.append(tile)
    return tuple(places), tiles


def _staging(table: Table, config: GameConfig) -> Staging:
    return staging_of(table, Orders(find_game(config.game), game_parameters(config)))


async def _close(hardware: Hardware) -> None:
    for board in hardware.boards.values():
        board.stop_all()
        await board.close()
    hardware.close()
