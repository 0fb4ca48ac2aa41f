"""Tests how long a motor keeps its power when several sensors change at the same instant."""

from __future__ import annotations

from random import Random

import pytest

from benchmarks.firmware_reflex import busy_host, drive_all, promised_us
from firmware_bridge.sim.processors.processor import CYCLES_PER_US
from tests.firmware_bridge.firmware.firmware_build import build
from tests.quick import EVIDENCE_ONLY

pytestmark = [pytest.mark.slow]

ROUNDS = 5
"""Eleven edges each, at other phases of the board's work."""


@pytest.fixture(scope="module", autouse=True)
def firmware() -> None:
    build()


@pytest.mark.parametrize("together", [1, pytest.param(2, marks=EVIDENCE_ONLY), 4, 11])
@pytest.mark.parametrize("axes", [pytest.param(0, marks=EVIDENCE_ONLY), 3])
def test_a_motor_loses_its_power_in_50_us_and_5_us_more_for_each_further_edge(
    axes: int, together: int
) -> None:
    host = busy_host(axes)
    random = Random(together)
    for _ in range(ROUNDS):
        worst = max(drive_all(host, random, together))
        assert worst / CYCLES_PER_US <= promised_us(together)
        host.changes.clear()


@pytest.mark.parametrize("together", [1, 4, 11])
def test_a_debounced_sensor_stops_its_motor_soon_after_its_debounce_time(together: int) -> None:
    host = busy_host(axes=0, debounce_ms=1)
    random = Random(together)
    for _ in range(ROUNDS):
        taken = drive_all(host, random, together, debounce_ms=1)
        assert min(taken) / CYCLES_PER_US >= 1000
        assert max(taken) / CYCLES_PER_US <= promised_us(together, debounce_ms=1)
        host.changes.clear()
