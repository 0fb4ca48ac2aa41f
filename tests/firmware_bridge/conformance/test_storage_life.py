"""Tests that a board's storage lasts a million rounds, by the writes in simulated rounds.

The sensors of simulated rounds are recorded and given to the firmware, compiled for this computer.
Its motors do not run meanwhile, so it saves as often as it ever does: every 20 s at rest. After
every two rounds the supply falls, when each motor has had an order, which is saved too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

from config.board_profiles import board_profile
from config.schema import MotorChannel, SensorChannel
from controller.events import EventLog
from controller.run.assembly import Hardware
from controller.run.daemon import Daemon
from firmware_bridge.board import Elapsed
from firmware_bridge.boards.encoding import drive
from firmware_bridge.executor.virtual_board import KEY
from tests.controller.table_with_faults import evening
from tests.firmware_bridge.conformance.test_memory import BASE, PAGE, Host
from tests.firmware_bridge.firmware.virtual_chip import VirtualChip

MEGA = board_profile("mega2560")
ROUNDS_OF_LIFE = 1_000_000
PAGES, FULL = 2, 1000
ROUNDS = 2
"""Rounds of an evening."""
LONGEST_GAP = 25.0
"""Seconds after which a board at rest has saved everything, so that a longer gap writes nothing."""
STEP_US = 5_000
"""Shorter times are run tick by tick, longer ones in steps of this length."""
LEAST_GAP_US = 1_500
QUICK_EVENINGS, EVENINGS = 3, 36


class PinLevelChange(NamedTuple):
    """A sensor's pin takes a level, seconds after the change before."""

    after: float
    pin: int
    high: bool


def recorded() -> list[PinLevelChange]:
    """Play rounds of Wenzhou on `robotic`; return the changes of the base board's sensors."""
    seen: list[tuple[float, str, bool]] = []

    async def watch(_: Daemon, hardware: Hardware, events: EventLog) -> None:
        assert hardware.plant is not None
        boards, loop = hardware.plant._boards, asyncio.get_running_loop()
        report = boards._report

        def noted(channel: str, active: bool) -> None:
            seen.append((loop.time(), channel, active))
            report(channel, active)

        boards._report = noted  # type: ignore[method-assign]

    assert evening(rounds=ROUNDS, until_ready=False, meanwhile=watch).fault is None
    sensors = {
        name: (config.pin, config.active == "high")
        for name, config in BASE.channels.items()
        if isinstance(config, SensorChannel)
    }
    ours = [each for each in seen if each[1] in sensors]
    changes: list[PinLevelChange] = []
    for (before, *_), (at, channel, active) in pairwise([(0.0, "", False), *ours]):
        pin, high = sensors[channel]
        changes.append(PinLevelChange(min(at - before, LONGEST_GAP), pin, active is high))
    return changes


@pytest.fixture(scope="module")
def changes() -> list[PinLevelChange]:
    return recorded()


def play(chip: VirtualChip, changes: Sequence[PinLevelChange]) -> None:
    """Switch the board on, drive each motor, play an evening's rounds, and switch it off."""
    chip.supply(1000)
    chip.reset()
    host = Host(chip)
    host.begin()
    numbers = list(BASE.channels).index
    for name, channel in BASE.channels.items():
        if isinstance(channel, MotorChannel):
            host.ask(drive(numbers(name), FULL, Elapsed(), 0.001, numbers))
    for change in changes:
        micros = max(round(change.after * 1_000_000), LEAST_GAP_US)
        if micros > 2 * STEP_US:
            chip.rest(micros - micros % STEP_US)
        else:
            chip.advance(micros)
        chip.pin(change.pin, change.high)
    chip.advance(20_000)
    chip.power_off()


def board(library: Path) -> VirtualChip:
    chip = VirtualChip(library, b"LASTING1", KEY, 0)
    chip.shape(1, PAGE, PAGES, 1)
    return chip


@pytest.mark.slow
def test_a_round_writes_so_little_that_the_storage_lasts_a_million_rounds(
    library: Path, changes: list[PinLevelChange]
) -> None:
    chip = board(library)
    play(chip, changes)
    before = chip.operations
    for _ in range(QUICK_EVENINGS):
        play(chip, changes)
    written = (chip.operations - before) / (QUICK_EVENINGS * ROUNDS)
    chip.close()
    assert 0 < written <= PAGE * PAGES * MEGA.storage.cycles / ROUNDS_OF_LIFE


@pytest.mark.slow
def test_no_cell_of_the_storage_is_erased_more_often_than_it_lasts_in_a_million_rounds(
    library: Path, changes: list[PinLevelChange]
) -> None:
    chip = board(library)
    for _ in range(EVENINGS):
        play(chip, changes)
    rounds, erased = EVENINGS * ROUNDS, chip.wear
    chip.close()
    assert erased >= 3, "the log has gone round several times"
    assert rounds * MEGA.storage.cycles / (erased + 1) >= ROUNDS_OF_LIFE
