"""Tests the pulses of motors at part of their full drive, on the emulated chip with a full line."""

from __future__ import annotations

from itertools import pairwise

import pytest

from benchmarks.firmware_host import Host
from benchmarks.firmware_reflex import MOTORS, motor
from firmware_bridge.sim.processors.processor import CYCLES_PER_US, PinLevel
from firmware_bridge.wire.messages import Set
from tests.firmware_bridge.firmware.firmware_build import build

PULSE_US, GAP_US = 7000, 3000
"""Of a drive of 650 permille: to the nearest tenth of 10 ms."""
LATE_US = 200
LEASE_MS = 60_000


@pytest.fixture(scope="module", autouse=True)
def firmware() -> None:
    build()


@pytest.mark.parametrize("motors", [1, 11])
@pytest.mark.slow
def test_a_motor_at_part_drive_gets_even_pulses_while_the_line_is_full(motors: int) -> None:
    pins = MOTORS[:motors]
    with Host() as host:
        host.begin([motor(index, pin) for index, pin in enumerate(pins)], LEASE_MS)
        host.fill = True
        host.send(*(Set(index, 650) for index in range(motors)))
        host.until(lambda: all(host.levels[pin] is PinLevel.HIGH for pin in pins))
        host.run(25_000 * CYCLES_PER_US)
        host.changes.clear()
        host.run(200_000 * CYCLES_PER_US)
        for pin in pins:
            changes = [change for change in host.changes if change.pin == pin]
            assert len(changes) >= 38
            for before, after in pairwise(changes):
                lasted = (after.cycle - before.cycle) / CYCLES_PER_US
                due = PULSE_US if before.level is PinLevel.HIGH else GAP_US
                assert lasted == pytest.approx(due, abs=LATE_US)
