"""Tests a few pulses at the light curtain on the emulated chip; test_input_noise.py has many."""

from __future__ import annotations

from random import Random

import pytest

from firmware_bridge.sim.processors.processor import CYCLES_PER_US
from tests.firmware_bridge.firmware.firmware_build import build
from tests.firmware_bridge.firmware.test_input_noise import (
    APART_US,
    CURTAIN_BREAK_US,
    CURTAIN_NOISE_US,
    CURTAIN_PIN,
    pulse,
    table,
)
from tests.quick import slow_except

PULSES = 150


@pytest.fixture(scope="module", autouse=True)
def firmware() -> None:
    build()


PULSE_CASES = [(CURTAIN_NOISE_US, False), (CURTAIN_BREAK_US, True)]


@pytest.mark.parametrize(("micros", "trips"), slow_except(PULSE_CASES[1:], PULSE_CASES))
def test_the_curtain_trips_at_an_interruption_and_not_at_noise_and_the_board_goes_on(
    micros: float, trips: bool
) -> None:
    random = Random(CURTAIN_PIN)
    host = table()
    for _ in range(1 if trips else PULSES):
        at = host.cycle + random.randrange(APART_US * CYCLES_PER_US)
        pulse(host, CURTAIN_PIN, at, micros)
        host.run(2 * APART_US * CYCLES_PER_US)
        if trips:
            host.until(lambda: bool(host.events))
        assert bool(host.events) is trips
    host.close()
