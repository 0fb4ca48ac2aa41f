"""Runs the circuits of docs/build/BENCH.md in ngspice, with the worst tolerances of their parts.

A board of 5 V reads a pin below 1.5 V (0.3 VCC) as low for certain, and above 3.0 V (0.6 VCC) as
high for certain. The circuits have never been built.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.quick import slow_except

CIRCUITS = Path(__file__).parent.parent / "docs" / "build" / "circuits"
LOW, HIGH = 0.3, 0.6
"""Shares of the supply voltage: below is certainly low, above is certainly high."""
EXTREMES = ((-10, 4.75), (-10, 5.25), (60, 4.75), (60, 5.25))
"""Temperatures in degrees Celsius, and supply voltages of the board."""
SAMPLE = 35e-6
"""Seconds between two samples of a sensor at most: 20 us, and 15 us for the steps of axes."""
US = 1e-6


def simulate(name: str, temperature: float = 27, **values: float) -> dict[str, float]:
    """Return the measurements of a circuit; `values` replace its parameters of these names."""
    deck = (CIRCUITS / f"{name}.cir").read_text("utf-8")
    for parameter, value in values.items():
        deck, count = re.subn(
            rf"^\.param {parameter}=.*$", f".param {parameter}={value:g}", deck, flags=re.MULTILINE
        )
        assert count == 1, parameter
    deck = deck.replace("\n.end\n", f"\n.options temp={temperature}\n.end\n")
    ran = subprocess.run(
        ["ngspice", "-b"], input=deck, capture_output=True, text=True, check=True, timeout=60
    )
    found = re.findall(r"^(\w+)\s+=\s+(\S+)", ran.stdout, re.MULTILINE)
    return {key: float(value) for key, value in found}


# The step stretcher


# The board's pin drives with 20 to 45 Ohm. A 74HC4538 holds 0.7 * RX * CX within 10 % from part to
# part; 20 % also covers the temperature and the small capacitor.
SHORTEST = {"rx": 12e3 * 0.99, "cx": 6.8e-9 * 0.94, "k": 0.7 * 0.8, "rpin": 20}
LONGEST = {"rx": 12e3 * 1.01, "cx": 6.8e-9 * 1.06, "k": 0.7 * 1.2, "rpin": 45}


@pytest.mark.parametrize("parts", [SHORTEST, LONGEST], ids=["shortest", "longest"])
def test_a_stretched_step_is_high_and_low_for_longer_than_the_board_samples(
    parts: dict[str, float],
) -> None:
    for temperature, vcc in EXTREMES:
        measured = simulate("step_stretcher", temperature, vcc=vcc, **parts)
        assert measured["high_us"] > SAMPLE
        assert measured["low_us"] > SAMPLE
        assert measured["delay_us"] < 1 * US
        assert measured["peak"] > HIGH * vcc
        assert measured["rest"] < LOW * vcc


def test_the_earlier_diode_stretcher_never_reaches_a_high_level() -> None:
    assert simulate("diode_stretcher")["peak"] < HIGH * 5
    assert simulate("diode_stretcher", rs=1)["peak"] > HIGH * 5


# The filter of the emergency stop and the light curtain

# Resistors of 1 %, a capacitor of 10 %; the pull-ups of the board from strongest to weakest.
FAST = {"rpull": 465, "rs": 673, "c": 135e-9, "rboard": 6.7e3}
SLOW = {"rpull": 475, "rs": 687, "c": 165e-9, "rboard": 50e3}
OPENED_US = 200
"""The board's pin is certainly high this long after the contact has opened."""


def test_an_opened_stop_is_seen_within_two_tenths_of_a_millisecond() -> None:
    for temperature, vcc in EXTREMES:
        measured = simulate("safety_input", temperature, opens=1, vcc=vcc, **SLOW)
        assert measured["open_us"] < OPENED_US * US
        assert measured["rest"] < LOW * vcc
        assert 0.009 < measured["loop_ma"] < 0.012


@pytest.mark.parametrize(
    ("volts", "micros"), slow_except([(24, 6)], [(5, 15), (24, 6), (-24, 100)])
)
def test_a_noise_pulse_in_the_loop_is_not_seen(volts: float, micros: float) -> None:
    for temperature, vcc in EXTREMES:
        measured = simulate(
            "safety_input", temperature, noise=volts, width=micros * US, vcc=vcc, **FAST
        )
        assert measured["peak"] < LOW * vcc


def test_a_noise_pulse_that_is_much_longer_is_seen() -> None:
    measured = simulate("safety_input", noise=5, width=300 * US)
    assert measured["peak"] > HIGH * 5


@pytest.mark.slow
def test_a_shift_of_the_ground_by_half_a_volt_does_not_trip() -> None:
    for temperature, vcc in EXTREMES:
        measured = simulate("safety_input", temperature, shift=0.5, vcc=vcc, **FAST)
        assert measured["rest"] < LOW * vcc
