"""Tests the simulated processor with the program that is flashed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest

from firmware_bridge.sim.processors.processor import (
    CYCLES_PER_US,
    EEPROM_SIZE,
    FREQUENCY,
    PinLevel,
    PinOutputs,
    Processor,
)
from firmware_bridge.wire.codec import Decoder, encode
from firmware_bridge.wire.messages import PROTOCOL, Identify, Identity, Started
from tests.firmware_bridge.firmware.firmware_build import build

STARTED = FREQUENCY // 10
EMERGENCY, CURTAIN = 20, 21


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    build()


@pytest.fixture
def processor() -> Iterator[Processor]:
    with Processor() as processor:
        processor.drive([(0, EMERGENCY, PinLevel.LOW), (0, CURTAIN, PinLevel.LOW)])
        yield processor


def identified(processor: Processor, nonce: bytes) -> PinOutputs:
    processor.send(0, encode(0, 0, Identify(PROTOCOL, nonce)), processor.cycle)
    processor.run(processor.cycle + FREQUENCY // 5)
    return processor.take()


def test_a_flashed_board_answers_identify(processor: Processor) -> None:
    processor.run(STARTED)
    answers = Decoder().feed(identified(processor, b"whoareU?").bytes_of(0))
    assert [type(answer.message) for answer in answers] == [Started, Identity]


def test_two_runs_are_identical_in_every_cycle(processor: Processor) -> None:
    with Processor() as other:
        other.drive([(0, EMERGENCY, PinLevel.LOW), (0, CURTAIN, PinLevel.LOW)])
        for each in (processor, other):
            each.run(STARTED)
        assert identified(processor, b"thesame!") == identified(other, b"thesame!")


def test_a_reset_restarts_the_program_and_keeps_the_cycle_count(processor: Processor) -> None:
    processor.run(STARTED)
    processor.reset()
    processor.run(3 * STARTED)
    assert len(processor.take().resets) == 1
    assert processor.cycle >= 3 * STARTED
    answers = Decoder().feed(identified(processor, b"stillyou").bytes_of(0))
    assert [type(answer.message) for answer in answers] == [Identity]


def test_an_eeprom_image_can_be_loaded_into_another_processor(processor: Processor) -> None:
    processor.run(STARTED)
    image = processor.eeprom()
    assert len(image) == EEPROM_SIZE
    with Processor(eeprom=image) as again:
        assert again.eeprom() == image


def test_a_byte_takes_ten_bits_on_the_wire(processor: Processor) -> None:
    processor.run(STARTED)
    sent = identified(processor, b"howlong?").sent
    gaps = [after.cycle - before.cycle for before, after in pairwise(sent)]
    assert 640 <= sorted(gaps)[len(gaps) // 2] < 640 + 5 * CYCLES_PER_US


def test_pins_that_do_not_exist_are_refused(processor: Processor) -> None:
    with pytest.raises(ValueError, match="A pin must be 0 to 69; got 70"):
        processor.drive([(0, 70, PinLevel.HIGH)])


def test_an_image_of_another_size_is_refused(processor: Processor) -> None:
    with pytest.raises(ValueError, match="4096"):
        processor.load_eeprom(b"too short")
