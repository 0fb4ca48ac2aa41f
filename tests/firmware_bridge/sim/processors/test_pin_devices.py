"""Tests devices on pins, which turn pulses into motor motions and steps into axis motions."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush

import pytest

from config.schema import AxisChannel
from firmware_bridge.sim.processors.pin_devices import (
    AxisPins,
    MotorPins,
    OutputPin,
    SerialModule,
    Strip,
)
from firmware_bridge.sim.processors.processor import PinLevel

MS = 16_000
HIGH, LOW, RELEASED = PinLevel.HIGH, PinLevel.LOW, PinLevel.RELEASED


class Bench:
    """Runs scheduled actions in order, and records every call to the plant with its millisecond."""

    def __init__(self) -> None:
        self.reported: list[tuple[float, str, object]] = []
        self._scheduled: list[tuple[int, int, Callable[[], None]]] = []
        self._count = 0
        self._cycle = 0

    def schedule(self, cycle: int, channel: str, action: Callable[[], None]) -> None:
        self._count += 1
        heappush(self._scheduled, (cycle, self._count, action))

    def settle(self, cycle: int) -> None:
        """Do nothing, because this test has no other axis to settle."""

    def refuse(self, channel: str, why: str) -> None:
        self._record("refused", why)

    def run(self, until: float) -> None:
        """Run all scheduled actions up to this time, in milliseconds."""
        while self._scheduled and self._scheduled[0][0] <= until * MS:
            self._cycle, _, action = heappop(self._scheduled)
            action()

    def output(self, channel: str, value: int) -> None:
        self._record(channel, value)

    def axis_begins(self, axis: str, start: float, target: float, seconds: float) -> None:
        self._record("begins", (round(start, 6), target))

    def axis_ends(self, axis: str, position: float) -> None:
        self._record("ends", round(position, 6))

    def dice(self, channel: str, count: int) -> tuple[int, ...]:
        return (1, 6, 3)[:count]

    def tag(self, channel: str) -> int | None:
        return 0xE004_0100_0000_002A

    def analog(self, channel: str) -> int:
        return 0

    def _record(self, call: str, value: object) -> None:
        self.reported.append((self._cycle / MS, call, value))


@pytest.fixture
def bench() -> Bench:
    return Bench()


def _motor(bench: Bench) -> MotorPins:
    return MotorPins("lid", 2, 3, 0, bench, bench.schedule, bench.settle)


def test_a_motor_at_full_drive_stops_when_its_pin_falls(bench: Bench) -> None:
    motor = _motor(bench)
    motor.changed(5 * MS, 2, HIGH)
    motor.changed(50 * MS, 2, LOW)
    bench.run(100)
    assert bench.reported == [(5, "lid", 1000), (50, "lid", 0)]


def test_pulses_are_one_motion_that_ends_when_the_next_pulse_is_missing(bench: Bench) -> None:
    motor = _motor(bench)
    motor.changed(3 * MS, 2, HIGH)
    motor.changed(7 * MS, 2, LOW)
    for period in (10, 20, 30):
        motor.changed(period * MS, 2, HIGH)
        motor.changed((period + 7) * MS, 2, LOW)
    bench.run(100)
    assert bench.reported == [(3, "lid", 1000), (41, "lid", 0)]


def test_a_shorter_pulse_ends_the_motion(bench: Bench) -> None:
    motor = _motor(bench)
    for period in (0, 10, 20):
        motor.changed(period * MS, 2, HIGH)
        motor.changed((period + 7) * MS, 2, LOW)
    motor.changed(30 * MS, 2, HIGH)
    motor.changed(32 * MS, 2, LOW)
    bench.run(100)
    assert bench.reported == [(0, "lid", 1000), (32, "lid", 0)]


def test_a_reversed_motor_turns_in_the_other_direction_without_delay(bench: Bench) -> None:
    motor = _motor(bench)
    motor.changed(0, 2, HIGH)
    motor.changed(40 * MS, 2, LOW)
    motor.changed(40 * MS, 3, HIGH)
    bench.run(60)
    assert [value for _, _, value in bench.reported] == [1000, 0, -1000]


def test_an_output_whose_pin_is_released_has_its_safe_value(bench: Bench) -> None:
    lamp = OutputPin("ready", 38, 1, bench, bench.schedule, bench.settle)
    lamp.changed(MS, 38, HIGH)
    lamp.changed(2 * MS, 38, LOW)
    lamp.changed(3 * MS, 38, RELEASED)
    bench.run(5)
    assert bench.reported == [(2, "ready", 0), (3, "ready", 1)]


def test_a_strip_sets_its_lamps_after_the_last_bit(bench: Bench) -> None:
    strip = Strip("lamps", 14, 0, bench, bench.schedule)
    cycle = 0
    for lit in (True, False, True):
        for _ in range(24):
            strip.changed(cycle, 14, HIGH)
            strip.changed(cycle + (13 if lit else 6), 14, LOW)
            cycle += 20
    bench.run(2)
    assert [value for _, _, value in bench.reported] == [0b101]


def _axis(bench: Bench) -> AxisPins:
    channel = AxisChannel(
        kind="axis",
        pin=22,
        direction_pin=23,
        home_switch="home",
        low=-0.003,
        high=0.45,
        speed=1.2,
        acceleration=6.0,
    )
    return AxisPins("x", channel, bench, bench.schedule, bench.settle, bench.refuse)


def _step(axis: AxisPins, *at: float) -> None:
    for each in at:
        axis.changed(round(each * MS), 22, HIGH)
        axis.changed(round(each * MS) + 32, 22, LOW)


def test_an_axis_stops_when_no_step_has_come_for_12_ms(bench: Bench) -> None:
    axis = _axis(bench)
    axis.changed(0, 23, HIGH)
    _step(axis, 1, 4, 6, 9, 16)
    bench.run(100)
    assert bench.reported == [(1, "begins", (0.0, 0.45)), (28, "ends", 0.00075)]


def test_a_reversed_axis_reports_a_stop_in_between(bench: Bench) -> None:
    axis = _axis(bench)
    axis.changed(0, 23, HIGH)
    _step(axis, 1, 2)
    axis.changed(3 * MS, 23, LOW)
    _step(axis, 4)
    bench.run(100)
    assert [(call, value) for _, call, value in bench.reported] == [
        ("begins", (0.0, 0.45)),
        ("ends", 0.0003),
        ("begins", (0.0003, -0.003)),
        ("ends", 0.00015),
    ]


def test_an_axis_at_rest_reports_its_stop_before_another_motion_begins(bench: Bench) -> None:
    axis = _axis(bench)
    axis.changed(0, 23, HIGH)
    _step(axis, 1, 2)
    axis.settle(3 * MS)
    assert axis.position == pytest.approx(0.0003)
    bench.run(3)
    assert len(bench.reported) == 1
    axis.settle(4 * MS)
    bench.run(4)
    assert bench.reported[-1] == (4, "ends", 0.0003)


def test_steps_beyond_the_home_switch_have_no_effect(bench: Bench) -> None:
    axis = _axis(bench)
    axis.changed(0, 23, LOW)
    _step(axis, *range(1, 26))
    assert axis.position == -0.003
    bench.run(200)
    assert bench.reported == [(1, "begins", (0.0, -0.003)), (20, "ends", -0.003)]


def test_an_axis_that_is_driven_beyond_its_rail_is_an_impossible_order(bench: Bench) -> None:
    axis = _axis(bench)
    axis.changed(0, 23, HIGH)
    _step(axis, *range(1, 3004))
    bench.run(4000)
    assert any(call == "refused" for _, call, _ in bench.reported)


def test_a_reader_answers_each_line(bench: Bench) -> None:
    answers: list[tuple[int, bytes]] = []
    module = SerialModule(
        "dice", 1, bench, bench.schedule, lambda port, line: answers.append((port, line))
    )
    for at, byte in enumerate(b"D2\nT\nhello\n"):
        module.receive(at * MS, byte)
    bench.run(100)
    assert answers == [(1, b"1 6\n"), (1, b"E00401000000002A\n"), (1, b"")]
