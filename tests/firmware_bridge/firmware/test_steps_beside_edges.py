"""Tests axes at full speed while there are more sensor edges than any table causes."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from benchmarks.firmware_reflex import BESIDE_PINS, SPEED, busy_host, drive_all
from firmware_bridge.sim.processors.processor import FREQUENCY, PinLevel
from tests.firmware_bridge.firmware.firmware_build import build
from tests.quick import tries

pytestmark = [pytest.mark.slow, pytest.mark.evidence]

ROUNDS = tries(12, quick=12, evidence=120)


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
        assert len(rises) > 1000
        shortest = min(after - before for before, after in pairwise(rises))
        assert shortest >= FREQUENCY / SPEED / 2
