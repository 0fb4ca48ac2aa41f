"""Tests the reaction times of the firmware on the emulated RP2040.

Another host floods the chip's USB port meanwhile, or the session itself is on USB. `python -m
benchmarks pico_reflex` measures more phases, without a host on USB.
"""

from __future__ import annotations

import pytest

from benchmarks.firmware_host import flooded_pico
from benchmarks.firmware_reflex import ReflexPins, drives, emergencies, step_errors
from benchmarks.pico_reflex import GOAL_US, PICO, STEP_GOAL_US
from benchmarks.safety_sweep import sweep_pico
from firmware_bridge.sim.processors.processor import CYCLES_PER_US
from firmware_bridge.sim.processors.rp2040 import USB
from tests.firmware_bridge.firmware.firmware_build import build
from tests.quick import EVIDENCE_ONLY, tries

pytestmark = [pytest.mark.slow, pytest.mark.evidence]


LINKS = pytest.mark.parametrize(
    "pins",
    [
        pytest.param(PICO._replace(processor=flooded_pico), id="beside USB"),
        pytest.param(PICO._replace(link=USB), id="on USB", marks=EVIDENCE_ONLY),
    ],
)


@pytest.fixture(scope="module", autouse=True)
def firmware() -> None:
    build("rp2040", "rp2040js")


@LINKS
def test_a_motor_of_a_pico_is_off_10_us_after_its_sensor_s_edge_beside_three_axes(
    pins: ReflexPins,
) -> None:
    assert max(drives(tries(2, quick=2, evidence=200), 3, pins=pins)) < GOAL_US * CYCLES_PER_US


@LINKS
def test_every_output_of_a_pico_is_safe_10_us_after_the_emergency_stop(pins: ReflexPins) -> None:
    assert max(emergencies(tries(5, quick=5, evidence=100), pins)) < GOAL_US * CYCLES_PER_US


@pytest.mark.parametrize(
    ("name", "input_name", "every"),
    [("set", "curtain", 5), ("move", "curtain", 61), ("commit", "stop", 131)],
)
def test_no_part_of_a_pico_moves_on_whenever_the_beam_is_broken_or_the_stop_is_pressed(
    name: str, input_name: str, every: int
) -> None:
    swept = sweep_pico(name, input_name, tries(every, quick=every, evidence=1))
    assert not swept.failures
    assert swept.trials > 10


@LINKS
def test_three_axes_of_a_pico_step_within_2_us_of_their_trapezoids(pins: ReflexPins) -> None:
    assert max(map(abs, step_errors(3, pins))) <= STEP_GOAL_US
