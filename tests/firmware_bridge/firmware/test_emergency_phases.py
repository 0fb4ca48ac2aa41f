"""Presses the emergency stop and breaks the light curtain on the emulated Mega.

`make evidence` has 10,000 phases a kind, and every instruction of each order's critical time.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.emergency_phases import (
    AXIS,
    DIRECTION_PIN,
    EDGE,
    EDGE_PIN,
    HOME_PIN,
    KINDS,
    LEASE_MS,
    RECORDS,
    SAFE_WITHIN_US,
    STEP_PIN,
    phases,
)
from benchmarks.firmware_host import Host
from benchmarks.safety_sweep import INPUTS, NAMES, RESET
from firmware_bridge.sim.processors.processor import CYCLES_PER_US, PinLevel
from firmware_bridge.wire.codes import Flag
from firmware_bridge.wire.messages import NONE, Home, Move
from tests.firmware_bridge.firmware.firmware_build import build

pytestmark = [pytest.mark.slow]

PHASES = 20
"""Phases of each kind of command; `make evidence` tries 10,000."""
EVERY = 397
EVERY_OF_LONG = {
    "home": 3989,
    "move": 3989,
    "stepping": 3989,
    "commit": 20_011,
    RESET: 20_011,
    "hold": 97,
}
"""Instructions from one moment of a sweep to the next, about 40 us; of a reset, microseconds. They
are primes, so that the moments fall on other instructions of a loop each time. The race that these
tests were written for had a window of 108 us for each order."""
ALL = [
    (name, input_name, EVERY_OF_LONG.get(name, EVERY)) for name in NAMES for input_name in INPUTS
]
SWEEP = """
import json, sys
from benchmarks.safety_sweep import sweep_mega
swept = [sweep_mega(*each) for each in json.load(sys.stdin)]
print(json.dumps([{"trials": each.trials, "failures": each.failures} for each in swept]))
"""
"""Sweeps in a process that has imported little. It is copied at each of thousands of moments, and
the process of the tests is so large that its copies took twice as long as the emulated processor.
"""


@pytest.fixture(scope="module", autouse=True)
def firmware() -> None:
    build()


@pytest.mark.parametrize("name", KINDS)
def test_a_pressed_emergency_stop_leaves_no_output_on_at_any_phase_of_a_command(name: str) -> None:
    failures, slowest = phases(name, PHASES, seed=1)
    assert not failures
    assert slowest < SAFE_WITHIN_US


@pytest.fixture(scope="module")
def swept() -> dict[tuple[str, str], dict[str, Any]]:
    """Return the number of trials of each sweep, and the moments after which a part moved on."""
    done = subprocess.run(
        [sys.executable, "-c", SWEEP],
        cwd=Path(__file__).parents[3],
        input=json.dumps(ALL),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return {
        (name, input_name): found
        for (name, input_name, _), found in zip(ALL, json.loads(done.stdout), strict=True)
    }


@pytest.mark.parametrize(("name", "input_name"), [each[:2] for each in ALL])
def test_no_part_moves_on_whenever_the_beam_is_broken_or_the_stop_pressed_during_an_order(
    name: str, input_name: str, swept: dict[tuple[str, str], dict[str, Any]]
) -> None:
    assert not swept[name, input_name]["failures"]
    assert swept[name, input_name]["trials"] > 5


def test_an_axis_that_brakes_after_a_fault_keeps_its_direction() -> None:
    records = list(RECORDS)
    records[AXIS] = records[AXIS]._replace(flags=Flag.GUARDED)
    records[EDGE] = records[EDGE]._replace(flags=Flag.CURTAIN)
    host = Host()
    host.drive(HOME_PIN, PinLevel.LOW, 0)
    host.drive(EDGE_PIN, PinLevel.HIGH, 0)
    host.begin(records, LEASE_MS)
    host.ask(Home(AXIS))
    host.drive(HOME_PIN, PinLevel.HIGH, host.cycle)
    host.run(1000 * CYCLES_PER_US)
    host.ask(Move(AXIS, 60_000, NONE, 0, NONE, 0, 1000))
    host.run(20_000 * CYCLES_PER_US)
    broken = host.cycle
    host.drive(EDGE_PIN, PinLevel.LOW, broken)
    host.run(20_000 * CYCLES_PER_US)
    after = [change for change in host.changes if change.cycle > broken]
    assert [change for change in after if change.pin == STEP_PIN]
    assert not [change for change in after if change.pin == DIRECTION_PIN]
