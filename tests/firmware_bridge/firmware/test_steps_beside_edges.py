"""Tests the times of steps: at full speed beside more edges than any table causes, and slowly."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from benchmarks.firmware_chatter import (
    CASES,
    LATEST_US,
    MOST_SENSORS,
    PICO_CASES,
    PICO_CHATTERING,
    SOONEST,
    WAY,
    WORST,
    Chatter,
    commit_beside,
    steps_beside,
)
from benchmarks.firmware_host import EMERGENCY_PIN, Host
from benchmarks.firmware_reflex import (
    AXIS_PINS,
    BESIDE_PINS,
    LONG_LEASE_MS,
    SPEED,
    axes_at,
    begin_moves,
    busy_host,
    drive_all,
)
from benchmarks.pico_reflex import PICO
from firmware_bridge.board import FaultCode, Reason
from firmware_bridge.executor.trapezoid import Trapezoid
from firmware_bridge.sim.processors.processor import CYCLES_PER_US, FREQUENCY, PinLevel
from firmware_bridge.wire.messages import NONE, Clear, Faulted, MotionEnded, Move, TakeLease
from tests.firmware_bridge.firmware.firmware_build import build
from tests.quick import EVIDENCE_ONLY, sampled, tries

pytestmark = [pytest.mark.slow, pytest.mark.evidence]

ROUNDS = tries(6, quick=6, evidence=120)
SEEDS = tries(1, quick=1, evidence=40)
WORST_SEEDS = tries(1, quick=1, evidence=100)
PICO_SEEDS = tries(1, quick=1, evidence=2)
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
    """With a debounce time, steps were up to 3.7 ms late: an axis took its segments too late.

    Later the main loop stood still for 25 ms, because each tick called a function again that it had
    interrupted: the first case latched LATE_STEP with seed 0.
    """
    for seed in range(WORST_SEEDS if CASES[case] == WORST else SEEDS):
        for steps in steps_beside(CASES[case], seed):
            assert steps.count == WAY
            assert steps.pause_us <= LATEST_US
            assert steps.least_gap_us >= SOONEST * 1e6 / SPEED


@EVIDENCE_ONLY
@pytest.mark.parametrize("case", range(len(PICO_CASES)))
def test_inputs_that_change_all_the_time_delay_no_step_of_a_pico(case: int) -> None:
    for seed in range(PICO_SEEDS):
        for steps in steps_beside(
            PICO_CASES[case], seed, PICO_CHATTERING, PICO.processor, PICO.axes
        ):
            assert steps.count == WAY
            assert steps.pause_us <= LATEST_US
            assert steps.least_gap_us >= SOONEST * 1e6 / SPEED


def one_axis(host: Host, steps_a_second: int, way: int) -> None:
    """Begin a session with an axis of 1 mm a step, at its home switch."""
    records = axes_at(0, AXIS_PINS[:1], way, 1_000_000)
    records[0] = records[0]._replace(speed_um_s=steps_a_second * 1000, acceleration_um_s2=1_000_000)
    host.begin(records, LONG_LEASE_MS)


@pytest.mark.parametrize("steps_a_second", [7, 20, 40, 100, 1000])
def test_a_slow_axis_steps_at_its_planned_times(steps_a_second: int) -> None:
    """Of steps more than 16 ms apart, pairs followed each other within 0.1 ms."""
    way = 10
    with Host(AXIS_PINS[0][2]) as host:
        one_axis(host, steps_a_second, way)
        begin_moves(host, 0, 1, way * 1000)
        host.until(lambda: any(isinstance(event, MotionEnded) for event in host.events))
        rises = [
            change.cycle
            for change in host.changes
            if change[1:] == (AXIS_PINS[0][0], PinLevel.HIGH)
        ]
    plan = Trapezoid(0.0, float(way), float(steps_a_second), 1000.0)
    times = [_time_at(plan, step + 0.5) for step in range(way)]
    assert len(rises) == way
    for rise, time in zip(rises, times, strict=True):
        since = (rise - rises[0]) / FREQUENCY
        assert since == pytest.approx(time - times[0], abs=1.5e-3)


def _time_at(plan: Trapezoid, position: float) -> float:
    """The time at which a motion reaches a position."""
    low, high = 0.0, plan.seconds
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if plan.position(middle) < position else (low, middle)
    return high


def test_a_late_step_stops_the_board_and_the_axis_has_to_be_homed_again() -> None:
    """Noise on the emergency input, below its filter's time, keeps the processor from stepping."""
    way = 4000
    with Host(AXIS_PINS[0][2], may_refuse=True) as host:
        records = axes_at(0, AXIS_PINS[:1], way, 50_000)
        host.begin(records, LONG_LEASE_MS)
        begin_moves(host, 0, 1, way * 50)
        host.run(300_000 * CYCLES_PER_US)
        begin = host.cycle + 1000
        host.processor.drive(
            (begin + at * CYCLES_PER_US, EMERGENCY_PIN, PinLevel(at % 10 == 0))
            for at in sorted({*range(0, 2000, 10), *range(8, 2000, 10)})
        )
        host.until(lambda: any(isinstance(event, MotionEnded) for event in host.events))
        (fault,) = (event for event in host.events if isinstance(event, Faulted))
        (ended,) = (event for event in host.events if isinstance(event, MotionEnded))
        assert (fault.code, fault.channel) == (FaultCode.LATE_STEP, 0)
        assert ended.reason == Reason.FAULT
        host.ask(Clear(), TakeLease(LONG_LEASE_MS))
        assert not host.refused
        host.ask(Move(0, 0, NONE, 0, NONE, 0, 1000))
        assert [type(command) for command in host.refused] == [Move]


@pytest.mark.parametrize("debounce_ms", sampled(2, [0, 5]))
def test_a_table_is_committed_while_every_input_changes_all_the_time(debounce_ms: int) -> None:
    """Committing took longer than the watchdog waits, so the board was reset."""
    for seed in range(SEEDS):
        case = Chatter(MOST_SENSORS, debounce_ms, 20, 100)
        assert commit_beside(case, seed) <= LONGEST_COMMIT_MS
