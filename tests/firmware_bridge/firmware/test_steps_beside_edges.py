"""Tests axes at full speed while there are more sensor edges than any table causes."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from benchmarks.firmware_chatter import (
    CASES,
    MOST_SENSORS,
    SOONEST,
    WAY,
    Chatter,
    commit_beside,
    longest_pause_us,
    steps_beside,
)
from benchmarks.firmware_reflex import BESIDE_PINS, SPEED, busy_host, drive_all
from firmware_bridge.sim.processors.processor import FREQUENCY, PinLevel
from tests.firmware_bridge.firmware.firmware_build import build
from tests.quick import sampled, tries

pytestmark = [pytest.mark.slow, pytest.mark.evidence]

ROUNDS = tries(6, quick=6, evidence=120)
SEEDS = tries(1, quick=1, evidence=40)
LONGEST_COMMIT_MS = 250.0


@pytest.fixture(scope="module", autouse=True)
def firmware() -> None:
    build()


@pytest.mark.parametrize("axes", [1, 3])
def test_a_delayed_axis_never_steps_faster_to_catch_up(axes: int) -> None:
    host = busy_host(axes)
    random = Random(1)
    for _ in range(ROUNDS):
        drive_all(host, random)
    for pin, _, _ in BESIDE_PINS[:axes]:
        rises = [change.cycle for change in host.changes if change[1:] == (pin, PinLevel.HIGH)]
        assert len(rises) > 500
        shortest = min(after - before for before, after in pairwise(rises))
        assert shortest >= SOONEST * FREQUENCY / SPEED


@pytest.mark.parametrize("case", sampled(4, range(len(CASES))))
def test_inputs_that_change_all_the_time_delay_no_step(case: int) -> None:
    for seed in range(SEEDS):
        for steps in steps_beside(CASES[case], seed):
            assert steps.count == WAY
            assert steps.pause_us <= longest_pause_us(CASES[case])
            assert steps.least_gap_us >= SOONEST * 1e6 / SPEED


@pytest.mark.parametrize("debounce_ms", sampled(2, [0, 5]))
def test_a_table_is_committed_while_every_input_changes_all_the_time(debounce_ms: int) -> None:
    """Committing took longer than the watchdog waits, so the board was reset."""
    for seed in range(SEEDS):
        case = Chatter(MOST_SENSORS, debounce_ms, 20, 100)
        assert commit_beside(case, seed) <= LONGEST_COMMIT_MS
