"""Tests of the Pico's USB port: what a host sees of it, and which host has the link.

The two ways of the link are UART 0 and the USB port. `Host` of the benchmarks is a host on one of
them; bytes that a test sends on the other one are those of a stranger.
"""

from __future__ import annotations

from binascii import crc_hqx
from collections.abc import Iterator
from struct import Struct

import pytest

from benchmarks.firmware_host import EMERGENCY_PIN, ENUMERATED, IDENTITY, Host
from benchmarks.firmware_reflex import motor
from benchmarks.pico_reflex import GOAL_US
from controller.upkeep.installation import BOARD_VENDORS
from firmware_bridge.commissioning.pico_storage import STORAGE, storage_image
from firmware_bridge.commissioning.uf2 import FLASH
from firmware_bridge.sim.processors.processor import CYCLES_PER_US, PinLevel
from firmware_bridge.sim.processors.rp2040 import USB, Restart, Rp2040, Transfer
from firmware_bridge.wire.codec import Decoder, encode
from firmware_bridge.wire.messages import (
    PROTOCOL,
    Bootloader,
    Held,
    Identify,
    Identity,
    Set,
    TakeLease,
)
from tests.firmware_bridge.firmware.firmware_build import build
from tests.quick import EVIDENCE_ONLY

pytestmark = pytest.mark.slow

UART = 0
MILLISECOND = 1000 * CYCLES_PER_US
MOTOR, MOTOR_PIN = 0, 6
LEASE_MS = 100
LATE_MS = 2
"""Milliseconds after the end of a lease within which every output is safe."""
ERASE_FROM = 7648
"""Changes of a bank after which the board erases the next one (rp2040/storage.c)."""
GET_CONFIGURATION = (0x80, 6, 0, 2)
FLASH_ID = "E66058388335542A"
"""The number of the emulated chip's flash."""


@pytest.fixture(scope="module", autouse=True)
def firmware() -> None:
    build("rp2040", "rp2040js")


@pytest.fixture
def pico() -> Iterator[Rp2040]:
    with Rp2040(eeprom=IDENTITY) as processor:
        yield processor


def descriptors(pico: Rp2040) -> dict[tuple[int, int], bytes | None]:
    """Plug a host in; return the last descriptor of each kind and number that the chip has sent."""
    pico.usb(plug=True)
    pico.run(pico.cycle + ENUMERATED)
    return {
        (each.setup[3], each.setup[2]): each.data
        for each in pico.usb()
        if each.setup[:2] == bytes(GET_CONFIGURATION[:2])
    }


def asked(pico: Rp2040, *setup: int) -> Transfer:
    """Let the host send a setup packet, and the bytes after it; return how it has ended."""
    pico.usb(control=list(setup))
    pico.run(pico.cycle + 5 * MILLISECOND)
    (ended,) = pico.usb()
    return ended


def identities(pico: Rp2040, way: int, number: int = 1) -> list[Identity]:
    """Send an Identify on a way of the link; return the answers on that way within 20 ms."""
    pico.take()
    pico.send(way, encode(0, number, Identify(PROTOCOL, bytes(8))), pico.cycle)
    pico.run(pico.cycle + 20 * MILLISECOND)
    frames = Decoder().feed(pico.take().bytes_of(way))
    return [frame.message for frame in frames if isinstance(frame.message, Identity)]


def with_motor(pico: Rp2040, way: int, lease_ms: int = LEASE_MS) -> Host:
    """Return a host on a way of the link, whose board has a motor that runs."""
    host = Host(processor=pico, link=way)
    host.begin([motor(MOTOR, MOTOR_PIN)], lease_ms)
    host.ask(Set(MOTOR, 1000))
    assert host.levels[MOTOR_PIN] is PinLevel.HIGH
    return host


def runs_until(host: Host) -> int:
    """Let time pass without the host; return the cycle at which its motor is switched off."""
    host.changes.clear()
    host.run(2 * LEASE_MS * MILLISECOND)
    ((cycle, _, level),) = [each for each in host.changes if each.pin == MOTOR_PIN]
    assert level is PinLevel.LOW
    return cycle


# The device


def test_a_host_finds_a_serial_port_with_the_number_of_the_boards_flash(pico: Rp2040) -> None:
    found = descriptors(pico)
    device, configuration = found[1, 0], found[2, 0]
    assert device is not None and configuration is not None
    assert device[:8] == bytes([18, 1, 0, 2, 2, 0, 0, 64])
    assert device[8:12] == bytes([0x8A, 0x2E, 0x0A, 0x00])
    assert int.from_bytes(device[8:10], "little") in BOARD_VENDORS, "`scan` asks it"
    texts = [(found[3, number] or b"")[2:].decode("utf-16-le") for number in device[14:17]]
    assert texts == ["Wallwright", "Wallwright board", FLASH_ID]
    assert int.from_bytes(configuration[2:4], "little") == len(configuration)
    at, kinds = 0, []
    while at < len(configuration):
        kinds.append(configuration[at + 1])
        at += configuration[at]
    assert at == len(configuration)
    assert (kinds.count(4), kinds.count(5)) == (configuration[4], 3)
    assert found[6, 0] is None, "a device of full speed has no descriptor for high speed"


def test_requests_that_the_device_does_not_have_are_refused_and_leave_it_usable(
    pico: Rp2040,
) -> None:
    descriptors(pico)
    coding = (0x80, 0x25, 0, 0, 0, 0, 8)
    assert asked(pico, 0x21, 0x20, 0, 0, 0, 0, 7, 0, *coding).data == b""
    assert asked(pico, 0xA1, 0x21, 0, 0, 0, 0, 7, 0).data == bytes(coding)
    for refused in (
        (0x21, 0x20, 0, 0, 0, 0, 8, 0, *coding, 0),
        (0x21, 0x20, 0, 0, 0, 0, 0, 2),
        (0x00, 9, 2, 0, 0, 0, 0, 0),
        (0xC0, 1, 0, 0, 0, 0, 64, 0),
        (0x80, 6, 4, 3, 9, 4, 255, 0),
        (0x01, 11, 1, 0, 0, 0, 0, 0),
    ):
        assert asked(pico, *refused).data is None, refused
    assert asked(pico, 0x80, 8, 0, 0, 0, 0, 1, 0).data == b"\x01"
    assert len(asked(pico, *GET_CONFIGURATION, 0, 0, 9, 0).data or b"") == 9
    assert len(identities(pico, USB)) == 1


# The link


def test_a_board_answers_on_its_usb_port_and_a_reset_detaches_it(pico: Rp2040) -> None:
    descriptors(pico)
    (first,) = identities(pico, USB)
    pico.reset(Restart.BUTTON)
    pico.run(pico.cycle + ENUMERATED)
    (second,) = identities(pico, USB, 2)
    assert (first.boots, second.boots) == (1, 2)


def test_a_motor_stops_at_the_end_of_the_lease_when_the_usb_plug_is_pulled(pico: Rp2040) -> None:
    host = with_motor(pico, USB)
    host.ask(TakeLease(LEASE_MS))
    half = host._session.command(TakeLease(LEASE_MS))
    host.processor.send(USB, half[: len(half) // 2], host.cycle)
    host.run(MILLISECOND)
    pulled = host.cycle
    pico.usb(unplug=True)
    assert runs_until(host) - pulled <= (LEASE_MS + LATE_MS) * MILLISECOND
    pico.usb(plug=True)
    pico.run(pico.cycle + ENUMERATED)
    assert len(identities(pico, USB)) == 1, "the half of a frame does not damage the next one"
    assert not pico.take().resets


def test_a_host_that_does_not_read_its_usb_port_loses_the_lease_and_the_motor_stops(
    pico: Rp2040,
) -> None:
    host = with_motor(pico, USB)
    host.fill = True
    host.run(5 * MILLISECOND)
    pico.usb(reads=False)
    stalled = host.cycle
    assert runs_until(host) - stalled <= (LEASE_MS + LATE_MS) * MILLISECOND
    host.fill = False
    pico.usb(reads=True)
    host.until(lambda: any(isinstance(event, Held) for event in host.events))
    assert len(identities(pico, UART)) == 1


@pytest.mark.evidence
@pytest.mark.parametrize(
    ("way", "other"), [(UART, USB), pytest.param(USB, UART, marks=EVIDENCE_ONLY)]
)
def test_while_a_host_holds_the_lease_nobody_is_heard_on_the_other_way(
    pico: Rp2040, way: int, other: int
) -> None:
    if other == USB:
        descriptors(pico)
    with_motor(pico, way, lease_ms=150)
    assert identities(pico, other) == []
    pico.run(pico.cycle + 160 * MILLISECOND)
    pico.take()
    assert len(identities(pico, other, 2)) == 1, "the lease has ended"
    assert len(identities(pico, way, 3)) == 1


def test_a_stranger_with_an_open_usb_port_cannot_keep_a_host_from_its_session(
    pico: Rp2040,
) -> None:
    descriptors(pico)
    for number in range(20):
        pico.send(USB, encode(0, number, Identify(PROTOCOL, bytes([number] * 8))), pico.cycle)
    pico.usb(floods=True)
    pico.usb(reads=False)
    for number in range(6):  # answers that fill what USB has room for
        identities(pico, UART, number)
    begin = pico.cycle
    host = with_motor(pico, UART)
    assert host.cycle - begin < 150 * MILLISECOND
    held = host.cycle
    assert runs_until(host) - held <= (LEASE_MS + LATE_MS) * MILLISECOND
    assert not pico.state.lost, "the interrupt of the UART is never late"


def test_frames_that_come_on_both_ways_at_once_are_both_answered(pico: Rp2040) -> None:
    descriptors(pico)
    pico.take()
    begin = pico.cycle
    for way in (UART, USB):
        frame = encode(0, 10 + way, Identify(PROTOCOL, bytes([way] * 8)))
        pico.send(way, frame, begin, apart=40 * CYCLES_PER_US)
    pico.run(begin + 40 * MILLISECOND)
    out = pico.take()
    for way in (UART, USB):
        frames = Decoder().feed(out.bytes_of(way))
        numbers = {each.sequence for each in frames if isinstance(each.message, Identity)}
        assert numbers == {10 + UART, 10 + USB}, "each way gets the answers to both"


def test_a_run_of_noise_that_never_ends_does_not_block_the_other_way(pico: Rp2040) -> None:
    descriptors(pico)
    pico.send(UART, b"\x55" * 600, pico.cycle)
    pico.send(USB, b"\x55" * 600, pico.cycle)
    pico.run(pico.cycle + 40 * MILLISECOND)
    assert len(identities(pico, USB, 1)) <= 1
    assert len(identities(pico, USB, 2)) == 1
    assert len(identities(pico, UART, 3)) <= 1
    assert len(identities(pico, UART, 4)) == 1


def test_the_bootloader_is_entered_after_its_reply_and_the_port_is_detached(pico: Rp2040) -> None:
    host = with_motor(pico, USB)
    replies = len(host._in_flight)
    host.send(Bootloader(1))
    host.until(lambda: len(host._in_flight) == replies)
    host.run(20 * MILLISECOND)
    assert pico.state.in_bootloader
    assert host.levels[MOTOR_PIN] is PinLevel.RELEASED


# The flash


def worn_storage() -> bytes:
    """Return a storage whose bank has so many changes that the board erases the next one."""
    change = Struct("<HB").pack(0xFFF, 0x11)
    entry = change + bytes([crc_hqx(change, 0xFFFF) & 0x7F])
    return storage_image(IDENTITY) + entry * ERASE_FROM


def test_the_emergency_stop_acts_within_10_us_while_a_sector_is_erased_for_400_ms(
    pico: Rp2040,
) -> None:
    """400 ms are the longest time of the data sheet. The watchdog's time is 60 ms."""
    host = Host(processor=pico)
    pico.erases_take(400)
    pico.write_flash([(FLASH + STORAGE, worn_storage())])
    pico.take()
    host.run(40 * MILLISECOND)  # it reads the changes
    host.begin([motor(MOTOR, MOTOR_PIN)], 10 * LEASE_MS)
    host.ask(Set(MOTOR, 1000))
    assert pico.state.erases == 1, "the first erase is still under way"
    pressed = host.cycle + 10 * MILLISECOND
    assert pressed < pico.cycle + 100 * MILLISECOND
    host.drive(EMERGENCY_PIN, PinLevel.HIGH, pressed)
    assert runs_until(host) - pressed < GOAL_US * CYCLES_PER_US
    assert pico.state.erases == 1
    host.run(400 * MILLISECOND)
    assert pico.state.erases == 2, "the second one follows"


@pytest.mark.parametrize("milliseconds", [8, pytest.param(400, marks=EVIDENCE_ONLY)])
def test_a_new_storage_is_prepared_without_a_reset_even_after_one_by_the_watchdog(
    pico: Rp2040, milliseconds: int
) -> None:
    """Sixteen erases take 128 ms here, at most 6.4 s by the data sheet; the watchdog 60 ms."""
    pico.erases_take(milliseconds)
    pico.write_flash([(FLASH + STORAGE, bytes(16))])
    pico.run(pico.cycle + 5 * MILLISECOND)
    pico.reset(Restart.WATCHDOG)
    pico.run(pico.cycle + (17 * milliseconds + 60) * MILLISECOND)
    assert len(pico.take().resets) == 1, "that one"
    assert len(identities(pico, UART)) == 1
