"""Tests that an emulated board notices a changed bit of its channel table in its memory."""

from __future__ import annotations

import subprocess

import pytest

from benchmarks.firmware_host import Host
from benchmarks.firmware_reflex import LONG_LEASE_MS, motor, sensor
from firmware_bridge.board import FaultCode
from firmware_bridge.sim.processors.processor import CYCLES_PER_US, ELF, PinLevel
from firmware_bridge.wire.codec import configuration_crc
from firmware_bridge.wire.codes import Flag
from firmware_bridge.wire.messages import (
    Clear,
    Commit,
    Configure,
    Faulted,
    SelfTest,
    Set,
    TakeLease,
)
from tests.firmware_bridge.firmware.firmware_build import build

pytestmark = [pytest.mark.slow]

MOTOR_PIN, SENSOR_PIN, CURTAIN_PIN = 23, 22, 21
CHECK_US = 250_000
"""The board checks one channel every 4 ms."""
BITS = [(0, 0), (0, 3), (1, 0), (2, 0), (3, 2), (8, 1)]
"""Bytes of the first channel's record, and bits: its kind, its flags (GUARDED), its pins."""


@pytest.fixture(scope="module", autouse=True)
def firmware() -> None:
    build()


def address_of(name: str) -> int:
    """Return the address of a variable of the firmware in the data memory."""
    command = ["avr-nm", str(ELF)]
    listing = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = [line.split() for line in listing.splitlines()]
    return next(int(line[0], 16) for line in found if line[-1] == name) & 0xFFFF


def records() -> list[Configure]:
    return [
        motor(0, MOTOR_PIN)._replace(flags=Flag.GUARDED),
        sensor(1, SENSOR_PIN),
        sensor(2, CURTAIN_PIN)._replace(flags=Flag.CURTAIN),
    ]


def damaged_board(byte: int, bit: int) -> Host:
    """Return a board whose motor runs, and whose table then has this bit inverted."""
    host = Host(may_refuse=True)
    host.drive(SENSOR_PIN, PinLevel.HIGH, 0)
    host.drive(CURTAIN_PIN, PinLevel.HIGH, 0)
    host.begin(records(), LONG_LEASE_MS)
    host.ask(Set(0, 1000))
    host.run(2 * CHECK_US * CYCLES_PER_US)
    assert not host.events
    at = address_of("channels") + byte
    host.processor.poke(at, host.processor.memory(at) ^ 1 << bit)
    return host


@pytest.mark.parametrize(("byte", "bit"), BITS)
def test_a_changed_bit_of_the_table_in_memory_stops_the_board(byte: int, bit: int) -> None:
    with damaged_board(byte, bit) as host:
        host.run(CHECK_US * CYCLES_PER_US)
        faults = [each.code for each in host.events if isinstance(each, Faulted)]
        # With a changed pin or safe value, an output at rest can read as active, too.
        assert faults[0] == FaultCode.CONFIGURATION
        assert set(faults[1:]) <= {FaultCode.UNEXPECTED_MOTION}
        assert host.levels[MOTOR_PIN] is PinLevel.LOW


def test_a_damaged_table_is_reported_until_it_is_committed_again() -> None:
    with damaged_board(1, 0) as host:
        host.run(CHECK_US * CYCLES_PER_US)
        host.ask(Clear())
        host.ask(Set(0, 1000))
        assert [type(each) for each in host.refused] == [Clear, Set]
        host.refused.clear()
        table = records()
        host.ask(*table, Commit(len(table), configuration_crc(table)), Clear())
        host.ask(TakeLease(LONG_LEASE_MS), Set(0, 1000), SelfTest())
        assert not host.refused
        host.run(CHECK_US * CYCLES_PER_US)
        assert host.levels[MOTOR_PIN] is PinLevel.HIGH
