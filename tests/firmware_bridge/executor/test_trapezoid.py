"""Compares trapezoids and ramps with their closed formulas."""

from __future__ import annotations

from math import sqrt

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from firmware_bridge.executor.trapezoid import Ramp, Trapezoid

metres = st.floats(-0.5, 0.5)
speeds = st.floats(0.01, 3.0)
accelerations = st.floats(0.1, 20.0)
shares = st.floats(0.0, 1.0)


@given(metres, metres, speeds, accelerations)
def test_the_duration_of_a_trapezoid_equals_the_formula(
    start: float, to: float, v: float, a: float
) -> None:
    distance = abs(to - start)
    formula = 2 * sqrt(distance / a) if distance < v * v / a else distance / v + v / a
    assert Trapezoid(start, to, v, a).seconds == pytest.approx(formula, abs=1e-9)


@given(metres, metres, speeds, accelerations, shares)
def test_a_trapezoid_stays_within_its_speed_and_its_ends(
    start: float, to: float, v: float, a: float, share: float
) -> None:
    move = Trapezoid(start, to, v, a)
    at = share * move.seconds
    assert min(start, to) - 1e-9 <= move.position(at) <= max(start, to) + 1e-9
    assert abs(move.velocity(at)) <= v + 1e-9
    assert move.position(0.0) == pytest.approx(start, abs=1e-12)
    assert move.position(move.seconds) == to


@given(metres, metres, speeds, accelerations, shares)
def test_velocity_is_the_slope_of_position(
    start: float, to: float, v: float, a: float, share: float
) -> None:
    move = Trapezoid(start, to, v, a)
    assume(move.seconds > 1e-3)
    step = move.seconds * 1e-5
    at = min(max(share * move.seconds, step), move.seconds - step)
    slope = (move.position(at + step) - move.position(at - step)) / (2 * step)
    assert move.velocity(at) == pytest.approx(slope, abs=a * step + 1e-6)


@given(metres, st.floats(-3.0, 3.0), accelerations, shares)
def test_a_ramp_decelerates_to_rest(start: float, v: float, a: float, share: float) -> None:
    ramp = Ramp(start, v, a)
    assert abs(ramp.target - start) == pytest.approx(v * v / (2 * a), abs=1e-9)
    assert abs(ramp.velocity(share * ramp.seconds)) == pytest.approx(abs(v) * (1 - share), abs=1e-9)
    assert ramp.velocity(ramp.seconds) == 0.0


def test_a_move_of_0_6_m_by_the_reference_gantry_takes_0_7_s() -> None:
    assert Trapezoid(0.0, 0.6, 1.2, 6.0).seconds == pytest.approx(0.7)
