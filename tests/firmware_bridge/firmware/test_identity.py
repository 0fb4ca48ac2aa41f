"""Tests that a board has its provisioned identity and reports the hash of its sources."""

from __future__ import annotations

from pathlib import Path
from struct import calcsize

import pytest

from firmware_bridge.boards.encoding import text
from firmware_bridge.commissioning.flashing import FIRMWARE, built_hash, tree_hash
from firmware_bridge.commissioning.provisioning import image, intel_hex
from firmware_bridge.sim.host_session import HostSession
from firmware_bridge.sim.processors.processor import EEPROM_SIZE, FREQUENCY, Processor
from firmware_bridge.wire.challenge import verified
from firmware_bridge.wire.codec import COMMANDS, Decoder, Frame, codes, encode, plain
from firmware_bridge.wire.messages import (
    PROTOCOL,
    Authenticate,
    Bootloader,
    Identify,
    Identity,
    Ok,
    Started,
)
from tests.firmware_bridge.firmware.firmware_build import build
from tests.firmware_bridge.firmware.virtual_chip import VirtualChip

NONCE = b"whoareU?"
ERASED = b"\xff"
IDENTIFY = encode(3, 0, Identify(PROTOCOL, NONCE))


def identity_in(received: bytes) -> Identity:
    """Return the identity in the frame after the notice of a board's start."""
    (started, identity, *_) = [frame.message for frame in Decoder().feed(received)]
    assert isinstance(started, Started)
    assert isinstance(identity, Identity)
    return identity


@pytest.mark.parametrize("size", [16, 32])
def test_the_portable_firmware_has_its_provisioned_identity(library: Path, size: int) -> None:
    key = bytes(range(1, size + 1))
    chip = VirtualChip(library, b"WALL0042", key, 3)
    chip.reset()
    chip.receive(IDENTIFY)
    chip.advance(100_000)
    identity = identity_in(chip.sent())
    assert text(identity.serial) == "WALL0042"
    assert verified(key, 3, NONCE, identity)
    assert not verified(bytes(size), 3, NONCE, identity)
    assert identity.build == tree_hash()


def test_no_answer_of_a_board_contains_a_part_of_its_key(library: Path) -> None:
    """Every command, with the smallest and largest numbers in its fields, in a session."""
    key = bytes(range(200, 232))
    chip = VirtualChip(library, b"WALL0042", key, 3)
    chip.reset()
    session, decoder, answers = HostSession(3, key), Decoder(), 0

    def send(data: bytes) -> list[Frame]:
        nonlocal answers
        chip.receive(data)
        chip.advance(100_000)
        frames = decoder.feed(chip.sent())
        answers += len(frames)
        for frame in frames:
            sent = plain(*frame[:3])
            assert not any(key[at : at + 4] in sent for at in range(len(key) - 3)), frame
        return frames

    *_, identity = send(session.identify(b"12345678"))
    assert isinstance(identity.message, Identity)
    assert [frame.message for frame in send(session.authenticate(identity.message))] == [Ok()]
    kinds = sorted(COMMANDS - {Identify, Authenticate, Bootloader}, key=lambda kind: kind.__name__)
    for kind in kinds:
        limits = ([_limit(code, most) for code in codes(kind)] for most in (False, True))
        for fields in limits:
            assert send(session.command(kind(*fields))), f"{kind.__name__} is answered"
    assert answers >= 2 * len(kinds)


def _limit(code: str, most: bool) -> int | bytes:
    """The smallest or the largest value of a field with this code of `struct`."""
    size = calcsize("<" + code)
    if code.endswith("s"):
        return bytes(size)
    return ((1 << 8 * size - code.islower()) - 1) if most else 0


@pytest.fixture(scope="module")
def elf() -> Path:
    build()
    return FIRMWARE / "build" / "wallwright.elf"


def identify(elf: Path, eeprom: bytes, address: int) -> Identity:
    with Processor(elf, eeprom=eeprom.ljust(EEPROM_SIZE, ERASED)) as chip:
        chip.run(FREQUENCY // 10)
        chip.send(0, encode(address, 0, Identify(PROTOCOL, NONCE)), chip.cycle)
        chip.run(chip.cycle + FREQUENCY // 5)
        return identity_in(chip.take().bytes_of(0))


@pytest.mark.slow
def test_the_flashed_firmware_has_its_provisioned_identity(elf: Path) -> None:
    key = bytes(range(100, 132))
    identity = identify(elf, image("WALL0042", key, 3), 3)
    assert text(identity.serial) == "WALL0042"
    assert verified(key, 3, NONCE, identity)


@pytest.mark.slow
def test_the_flashed_firmware_reports_the_hash_of_its_sources(elf: Path) -> None:
    identity = identify(elf, image("WALL0042", bytes(16), 3), 3)
    assert identity.build == built_hash(elf) == tree_hash()


@pytest.mark.slow
def test_a_board_that_was_never_provisioned_reports_it(elf: Path) -> None:
    identity = identify(elf, ERASED, 0)
    assert text(identity.serial) == "UNSET000"
    assert verified(bytes(16), 0, NONCE, identity)


@pytest.mark.slow
def test_a_board_with_damaged_identity_data_reports_it(elf: Path) -> None:
    damaged = bytearray(image("WALL0042", bytes(16), 0))
    damaged[20] ^= 1
    assert text(identify(elf, bytes(damaged), 0).serial) == "DAMAGED0"


def test_the_image_for_the_programmer_has_sound_records() -> None:
    data = image("WALL0042", bytes(range(32)), 7)
    lines = intel_hex({0: data}).split()
    assert lines[-1] == ":00000001FF"
    records = [bytes.fromhex(line[1:]) for line in lines]
    assert all(sum(record) % 256 == 0 for record in records)
    assert b"".join(record[4:-1] for record in records) == data
    assert [int.from_bytes(record[1:3], "big") for record in records[:-1]] == [0, 16, 32]


@pytest.mark.slow
def test_a_stranger_who_asks_without_pause_does_not_keep_a_host_from_its_answer(elf: Path) -> None:
    """Every 30 ms, 2.4 % of the line's time: more often than a derivation of keys takes, 47 ms."""
    key = bytes(range(100, 132))
    asked, answered = 0, 0
    with Processor(elf, eeprom=image("WALL0042", key, 3).ljust(EEPROM_SIZE, ERASED)) as chip:
        chip.run(FREQUENCY)
        decoder, questions = Decoder(), 0
        for nonce in (b"first  1", b"second 2", b"third  3", b"fourth 4"):
            proven = False
            for attempt in range(40):
                if attempt % 3 == 0 and not proven:  # a host repeats its question after 0.1 s
                    chip.send(0, encode(3, 7, Identify(PROTOCOL, nonce)), chip.cycle)
                    asked += 1
                questions += 1
                stranger = Identify(PROTOCOL, questions.to_bytes(8, "little"))
                chip.send(0, encode(3, 9, stranger), chip.cycle + FREQUENCY // 100)
                chip.run(chip.cycle + 3 * FREQUENCY // 100)
                for frame in decoder.feed(chip.take().bytes_of(0)):
                    if isinstance(frame.message, Identity):
                        proven = proven or verified(key, 3, nonce, frame.message) is not None
            answered += proven
    assert answered == 4, f"{answered} of 4 hosts were answered, which asked {asked} times"
