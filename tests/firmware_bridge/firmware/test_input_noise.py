"""Applies noise to the emergency input and the light curtain of the emulated board.

A pulse shorter than the filter never stops the table, whatever its phase, if it is `ALONE_US` away
from the next one; a longer one always does.
"""

from __future__ import annotations

from random import Random

import pytest

from benchmarks.firmware_host import CURTAIN_PIN, EMERGENCY_PIN, Host
from benchmarks.firmware_reflex import motor, sensor
from firmware_bridge.board import FaultCode
from firmware_bridge.sim.processors.processor import CYCLES_PER_US, PinLevel
from firmware_bridge.wire.codes import Flag
from firmware_bridge.wire.messages import Clear, Faulted, Set, TakeLease
from tests.firmware_bridge.firmware.firmware_build import build

pytestmark = [pytest.mark.slow]

MOTOR_PIN = 23
LEASE_MS = 60_000
EMERGENCY_NOISE_US, EMERGENCY_PRESS_US = 9, 20
CURTAIN_NOISE_US, CURTAIN_BREAK_US = 29, 200
"""Pulses up to the first length are never seen, from the second length on always."""
EMERGENCY_OFF_US, CURTAIN_OFF_US = 20, 250
"""Time from the edge until the motor is off. The curtain's is longer than its shortest pulse: of
8,500 pulses the longest time was 206 us on an idle line, and 215 us on a full one."""
APART_US = 200
ALONE_US = 800
"""Time between the ranges of two noise pulses. On a full line the light curtain can take two pulses
200 to 600 us apart for one: 2 of 7,112 tripped, and none of 7,200 that were 1 ms apart."""
PULSES = 300
CODES = {EMERGENCY_PIN: FaultCode.EMERGENCY_STOP, CURTAIN_PIN: FaultCode.LIGHT_CURTAIN}


@pytest.fixture(scope="module", autouse=True)
def firmware() -> None:
    build()


def running_motor(host: Host) -> None:
    host.ask(TakeLease(LEASE_MS), Set(0, 1000))
    host.changes.clear()
    host.events.clear()


def table() -> Host:
    """Return a board whose guarded motor runs, with both safety inputs in its table."""
    host = Host()
    host.begin(
        [
            motor(0, MOTOR_PIN)._replace(flags=Flag.GUARDED),
            sensor(1, EMERGENCY_PIN)._replace(active_high=1, flags=Flag.EMERGENCY),
            sensor(2, CURTAIN_PIN)._replace(active_high=1, flags=Flag.CURTAIN),
        ],
        LEASE_MS,
    )
    running_motor(host)
    return host


def pulse(host: Host, pin: int, at: int, micros: float) -> None:
    host.drive(pin, PinLevel.HIGH, at)
    host.drive(pin, PinLevel.LOW, at + round(micros * CYCLES_PER_US))


@pytest.mark.parametrize(
    ("pin", "longest"), [(EMERGENCY_PIN, EMERGENCY_NOISE_US), (CURTAIN_PIN, CURTAIN_NOISE_US)]
)
@pytest.mark.parametrize("full_line", [False, True], ids=["idle line", "full line"])
def test_noise_shorter_than_the_filter_stops_nothing(
    pin: int, longest: float, full_line: bool
) -> None:
    random = Random(pin)
    host = table()
    host.fill = full_line
    for _ in range(PULSES):
        at = host.cycle + random.randrange(APART_US * CYCLES_PER_US)
        pulse(host, pin, at, random.uniform(0.1, longest))
        host.run((APART_US + ALONE_US) * CYCLES_PER_US)
    assert not host.events
    assert not [change for change in host.changes if change.pin == MOTOR_PIN]


@pytest.mark.parametrize("micros", [0.5, 2, 5, 9])
def test_a_burst_of_noise_on_the_emergency_input_stops_nothing(micros: float) -> None:
    host = table()
    for number in range(500):
        at = host.cycle + round((number + 1) * 2 * micros * CYCLES_PER_US)
        pulse(host, EMERGENCY_PIN, at, micros)
    host.run(20_000 * CYCLES_PER_US)
    assert not host.events
    assert not [change for change in host.changes if change.pin == MOTOR_PIN]


@pytest.mark.parametrize(
    ("pin", "shortest", "off_us", "full_line"),
    [
        (EMERGENCY_PIN, EMERGENCY_PRESS_US, EMERGENCY_OFF_US, False),
        (CURTAIN_PIN, CURTAIN_BREAK_US, CURTAIN_OFF_US, False),
        (CURTAIN_PIN, CURTAIN_BREAK_US, CURTAIN_OFF_US, True),
    ],
)
def test_a_pulse_longer_than_the_filter_always_stops_the_motor(
    pin: int, shortest: float, off_us: float, full_line: bool
) -> None:
    random = Random(pin)
    host = table()
    for _ in range(100):
        host.fill = full_line
        at = host.cycle + random.randrange(APART_US * CYCLES_PER_US)
        pulse(host, pin, at, shortest)
        host.run(2 * APART_US * CYCLES_PER_US)
        host.until(lambda: bool(host.events))
        fault = host.events.popleft()
        assert isinstance(fault, Faulted)
        assert fault.code == CODES[pin]
        off = next(change.cycle for change in host.changes if change.pin == MOTOR_PIN)
        assert off - at < off_us * CYCLES_PER_US
        host.fill = False
        host.ask(Clear())
        running_motor(host)
