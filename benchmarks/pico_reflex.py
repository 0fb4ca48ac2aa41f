"""Measures reaction times of the firmware on the emulated RP2040 of a Raspberry Pi Pico."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from functools import partial

from benchmarks import Row
from benchmarks.firmware_reflex import ReflexPins, drives, emergencies, step_errors
from firmware_bridge.sim.processors.processor import CYCLES_PER_US, EEPROM_SIZE, FIRMWARE
from firmware_bridge.sim.processors.rp2040 import Rp2040

PHASES = 2_000
PHASES_DEBOUNCED = 200
GOAL_US = 10.0
DEBOUNCED_GOAL_US = 50.0
STEP_GOAL_US = 2.0
_AXES = ((13, 14, 15), (16, 17, 18), (19, 26, 27))
PICO = ReflexPins(
    motors=(6, 7, 10, 11, 12),
    sensors=(2, 3, 4, 5, 22),
    axes=_AXES,
    beside=_AXES,
    processor=partial(Rp2040, eeprom=b"\xff" * EEPROM_SIZE),
)


def main() -> Iterator[Row]:
    """Build the firmware and measure the claims one after the other."""
    command = ["make", "-s", "-C", str(FIRMWARE), "rp2040", "rp2040js"]
    subprocess.run(command, check=True, timeout=300)  # noqa: S603 - nothing in it varies
    for axes in (0, 3):
        edges = drives(PHASES, axes, pins=PICO)
        yield _reflex(f"last sensor edge to motor pin off, {axes} axes at 8 kHz", edges)
        edges = drives(PHASES_DEBOUNCED, axes, len(PICO.sensors), 1, PICO)
        late = (max(edges) + 1) / CYCLES_PER_US - 1000
        yield Row(
            "RP2040: end of a debounce time of 1 ms to motor pin off, five sensors at once,"
            f" {axes} axes at 8 kHz, link full, worst of {len(edges):,} phases",
            f"{late:.1f} us",
            f"{DEBOUNCED_GOAL_US:.0f} us",
            late <= DEBOUNCED_GOAL_US,
        )
    yield _reflex("emergency pin to all outputs safe", emergencies(PHASES // 4, PICO))
    late = max(map(abs, step_errors(3, PICO)))
    yield Row(
        "RP2040: step error of each of three axes at 8 kHz, link full",
        f"{late:.2f} us",
        f"{STEP_GOAL_US:.0f} us",
        late <= STEP_GOAL_US,
    )


def _reflex(claim: str, cycles: list[int]) -> Row:
    worst = (max(cycles) + 1) / CYCLES_PER_US
    return Row(
        f"RP2040: {claim}, link full, worst of {len(cycles):,} phases",
        f"{worst:.1f} us",
        f"{GOAL_US:.0f} us",
        worst <= GOAL_US,
    )
