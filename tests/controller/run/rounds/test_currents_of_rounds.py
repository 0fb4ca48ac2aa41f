"""Tests that no round of a shipped table trips the limits of the motors' current.

The plant draws no current for motors that move freely. Here each motor draws the current of a gear
motor of 15 W at 24 V, and several times as much while it starts.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from config.loader import load_table
from config.schema import MotorChannel, Table
from controller.events import Event
from controller.run.faults.failures import TableFault
from firmware_bridge.sim.plant.machine import Plant
from tests.controller.played_round import Round, play
from tests.quick import slow_except

RUNNING_MA, STARTING_MA, STARTING = 625, 3000, 0.1
"""Milliamperes of a motor of 15 W at 24 V, of its start, and the seconds of the start (ours)."""
PICO = Path(__file__).parents[4] / "examples" / "pico"
PLAYED = [
    ("robotic", "wenzhou"),
    ("single_port", "wenzhou"),
    ("auto_deal", "wenzhou"),
    ("classic", "wenzhou"),
    (PICO / "pai_gow_pico.yaml", "pai_gow"),
    (PICO / "robotic_pico.yaml", "wenzhou"),
    ("pai_gow", "pai_gow"),
]


class MotorLoads:
    """Draws each motor's current from its board while its output is on."""

    def __init__(self, table: Table, plant: Plant) -> None:
        self._motors = {
            name
            for board in table.boards.values()
            for name, channel in board.channels.items()
            if isinstance(channel, MotorChannel)
        }
        self._plant = plant
        self._values: dict[str, int] = {}
        self._running: dict[str, asyncio.TimerHandle] = {}
        self.most = 0
        """The largest number of motors that ran at the same time."""
        plant.output_observers.append(self._changed)

    def _changed(self, motor: str, value: int) -> None:
        if motor not in self._motors or self._values.get(motor, 0) == value:
            return
        self._values[motor] = value
        self.most = max(self.most, sum(map(bool, self._values.values())))
        if motor in self._running:
            self._running.pop(motor).cancel()
        loop, draw = asyncio.get_running_loop(), self._plant.world.draw
        loop.call_soon(draw, motor, STARTING_MA if value else 0)
        if value:
            self._running[motor] = loop.call_later(STARTING, draw, motor, RUNNING_MA)


def paused(table: Table, game: str) -> tuple[list[Event], int]:
    """The pauses of a round in which the motors draw current; how many ran at the same time."""
    loads: list[MotorLoads] = []

    def attach(played: Round, _: Event) -> None:
        if not loads:
            assert played.hardware.plant is not None
            loads.append(MotorLoads(table, played.hardware.plant))

    return play(table, game, on=attach).events_named("paused"), loads[0].most


@pytest.mark.parametrize(("name", "game"), slow_except(PLAYED[-1:], PLAYED))
def test_a_round_with_motors_of_15_w_trips_no_limit(name: str | Path, game: str) -> None:
    pauses, most = paused(load_table(str(name)), game)
    assert not pauses
    assert most >= 4


@pytest.mark.slow
def test_the_same_round_trips_a_limit_that_its_motors_exceed() -> None:
    table = load_table("pai_gow")
    base = table.boards["base"].model_copy(update={"current_limit": 2.0})
    low = table.model_copy(update={"boards": {"base": base}})
    with pytest.raises(TableFault, match="OVER_CURRENT"):
        paused(low, "pai_gow")
