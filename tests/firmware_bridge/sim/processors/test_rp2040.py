"""Tests of the Pico's image and of its emulated processor."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from firmware_bridge.board import FaultCode
from firmware_bridge.commissioning.pico_flashing import provisioning_file
from firmware_bridge.commissioning.provisioning import eeprom, image
from firmware_bridge.commissioning.uf2 import parts
from firmware_bridge.executor.virtual_board import KEY
from firmware_bridge.sim.host_session import HostSession
from firmware_bridge.sim.processors.processor import EEPROM_SIZE, PinLevel
from firmware_bridge.sim.processors.rp2040 import IMAGE, Restart, Rp2040
from firmware_bridge.wire.challenge import verified
from firmware_bridge.wire.codec import Decoder, encode
from firmware_bridge.wire.codes import Chip, Refusal
from firmware_bridge.wire.messages import (
    NONE,
    PROTOCOL,
    Bootloader,
    Faulted,
    Identify,
    Identity,
    Message,
    Ok,
    Refused,
)
from tests.firmware_bridge.firmware.firmware_build import build

BOOT2 = 252
MILLISECOND = 16_000
EMERGENCY = 20


@pytest.fixture(scope="module", autouse=True)
def firmware() -> None:
    build("rp2040", "rp2040js")


@pytest.fixture
def pico() -> Iterator[Rp2040]:
    content = eeprom("SIM00000", KEY, 0).ljust(EEPROM_SIZE, b"\xff")
    with Rp2040(eeprom=content) as processor:
        processor.drive([(0, EMERGENCY, PinLevel.LOW), (0, EMERGENCY + 1, PinLevel.LOW)])
        yield processor


def rom_crc(data: bytes) -> int:
    """Compute the CRC-32 of the boot ROM bit by bit, as the datasheet defines it."""
    bits = "".join(f"{byte:08b}" for byte in data)
    crc = 0xFFFFFFFF
    for bit in bits:
        inverts = (crc >> 31) ^ int(bit)
        crc = (crc << 1) & 0xFFFFFFFF
        if inverts:
            crc ^= 0x04C11DB7
    return crc


@pytest.mark.slow
def test_the_rom_accepts_the_second_stage_of_the_boot() -> None:
    data = IMAGE.read_bytes()
    assert int.from_bytes(data[BOOT2 : BOOT2 + 4], "little") == rom_crc(data[:BOOT2])


def identity(pico: Rp2040) -> Identity:
    """Ask the board for its identity; it must answer within 20 ms."""
    pico.send(0, encode(0, 1, Identify(PROTOCOL, b"\0" * 8)), pico.cycle)
    pico.run(pico.cycle + 20 * MILLISECOND)
    *_, answer = Decoder().feed(pico.take().bytes_of(0))
    assert isinstance(answer.message, Identity)
    return answer.message


@pytest.mark.slow
def test_a_pico_answers_30_ms_after_power_on_and_reports_why_it_started(pico: Rp2040) -> None:
    pico.run(30 * MILLISECOND)
    first = identity(pico)
    assert (first.serial, first.boots, first.reset_cause) == (b"SIM00000", 1, 0)
    assert first.chip == Chip.RP2040
    pico.reset(Restart.BUTTON)
    pico.run(pico.cycle + 30 * MILLISECOND)
    second = identity(pico)
    assert (second.serial, second.boots, second.reset_cause) == (b"SIM00000", 2, 1)


@pytest.mark.slow
def test_a_damaged_second_stage_leaves_the_chip_in_its_bootloader() -> None:
    damaged = bytearray(IMAGE.read_bytes())
    damaged[0] ^= 1
    file = IMAGE.with_name("damaged.bin")
    file.write_bytes(damaged)
    with Rp2040(file) as pico:
        pico.run(MILLISECOND)
        assert pico.state.in_bootloader
    file.unlink()


@pytest.mark.slow
def test_a_pico_enters_its_bootloader_only_for_the_host_that_has_proven_the_key(
    pico: Rp2040,
) -> None:
    def answers(data: bytes) -> list[Message]:
        pico.send(0, data, pico.cycle)
        pico.run(pico.cycle + 40 * MILLISECOND)
        return [frame.message for frame in Decoder().feed(pico.take().bytes_of(0))]

    session = HostSession(0, KEY)
    pico.run(30 * MILLISECOND)
    assert answers(encode(0, 0, Bootloader(1)))[1:] == [], "before a session; Started is first"
    (found,) = answers(session.identify(b"12345678"))
    assert isinstance(found, Identity)
    assert answers(session.authenticate(found)) == [Ok()]
    assert answers(encode(0, session.sequence, Bootloader(1), bytes(16), session.counter)) == []
    assert answers(session.command(Bootloader(0))) == [Refused(Refusal.OUT_OF_RANGE, NONE)]
    assert not pico.state.in_bootloader
    assert answers(session.command(Bootloader(1))) == [Ok()]
    assert pico.state.in_bootloader


@pytest.mark.slow
def test_a_pico_answers_with_the_identity_that_its_bootloader_has_written(pico: Rp2040) -> None:
    pico.run(30 * MILLISECOND)
    assert identity(pico).serial == b"SIM00000"
    key = bytes(range(32))
    file = provisioning_file(image("PICO0001", key, 0))
    pico.write_flash(parts(file))
    pico.take()
    pico.run(pico.cycle + 30 * MILLISECOND)
    provisioned = identity(pico)
    assert (provisioned.serial, provisioned.boots) == (b"PICO0001", 1)
    assert verified(key, 0, bytes(8), provisioned) is not None
    assert verified(KEY, 0, bytes(8), provisioned) is None


@pytest.mark.slow
def test_a_run_without_an_output_is_long_and_ends_at_the_first_one(pico: Rp2040) -> None:
    pico.run(30 * MILLISECOND)
    pico.take()
    begin = pico.cycle
    pico.run(begin + 10 * MILLISECOND, least=begin + MILLISECOND)
    assert pico.cycle >= begin + 10 * MILLISECOND
    assert not pico.take().sent
    begin = pico.cycle
    pico.send(0, encode(0, 1, Identify(PROTOCOL + 1, b"\0" * 8)), begin)
    pico.run(begin + 10 * MILLISECOND, least=begin + 100)
    assert begin + 100 < pico.cycle < begin + 2 * MILLISECOND
    assert len(pico.take().sent) == 1


def begin_session(pico: Rp2040) -> None:
    """Let the board start, and begin a session, in which it reports its faults."""
    pico.run(30 * MILLISECOND)
    session = HostSession(0, KEY)
    pico.send(0, session.identify(b"what is?"), pico.cycle)
    pico.run(pico.cycle + 40 * MILLISECOND)
    *_, answer = Decoder().feed(pico.take().bytes_of(0))
    assert isinstance(answer.message, Identity)
    pico.send(0, session.authenticate(answer.message), pico.cycle)


def faults(pico: Rp2040) -> set[int]:
    """The faults that the board reports in the next 40 ms."""
    pico.run(pico.cycle + 40 * MILLISECOND)
    messages = [frame.message for frame in Decoder().feed(pico.take().bytes_of(0))]
    return {message.code for message in messages if isinstance(message, Faulted)}


@pytest.mark.slow
def test_a_pico_runs_with_the_vsys_of_an_ordinary_usb_port_and_stops_below_it(pico: Rp2040) -> None:
    """4.40 V at USB are 4.0 V behind the Pico's diode; its measurement may read 5 % less."""
    begin_session(pico)
    assert faults(pico) == set()
    for measured_mv in (4750, 4000, 3800):
        pico.supply(measured_mv, pico.cycle)
        assert faults(pico) == set(), measured_mv
    pico.supply(3650, pico.cycle)
    assert faults(pico) == {FaultCode.LOW_SUPPLY}


@pytest.mark.slow
def test_a_pico_w_which_connects_no_divider_to_pin_29_measures_no_supply(pico: Rp2040) -> None:
    pico.supply(0, 0)
    begin_session(pico)
    assert faults(pico) == set()
    pico.supply(3650, pico.cycle)
    assert faults(pico) == set(), "the level of a pin that the wireless chip has"
    pico.supply(0, pico.cycle)
    pico.reset(Restart.BUTTON)
    pico.run(pico.cycle + 30 * MILLISECOND)
    assert identity(pico).boots == 2, "the board writes to its storage"
