"""Tests the measurement of the supply on the emulated Mega, whose reference is not 1.1 V.

The emulator's reference always has 1.1 V. The converter measures the ratio of reference and
supply. A supply that is multiplied by 1.1 V and divided by another reference therefore gives the
readings of that reference.
"""

from __future__ import annotations

import pytest

from controller.cli.runs.supply_calibration import (
    CalibratedChip,
    calibrated_chip,
    computed_reference,
)
from firmware_bridge.board import FaultCode
from firmware_bridge.commissioning.probe import SupplyReport
from firmware_bridge.commissioning.provisioning import REFERENCE_PLACE, reference_record
from firmware_bridge.executor.virtual_board import KEY
from firmware_bridge.sim.host_session import HostSession
from firmware_bridge.sim.processors.processor import FREQUENCY, PinLevel, Processor
from firmware_bridge.wire.codec import Decoder
from firmware_bridge.wire.messages import Faulted, Identity, Message, Ok, ReadSupply, Supply
from tests.firmware_bridge.conformance.test_starts import settled_eeprom
from tests.firmware_bridge.firmware.firmware_build import build

MILLISECOND = FREQUENCY // 1000
EMULATED_REFERENCE = 1.1
GOOD_SUPPLY = 4.9
"""Volts while the board is calibrated."""
PROVISIONED = settled_eeprom("SUPPLY01")


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    build()


class Mega:
    """A Mega whose chip has this reference in volts, with a session."""

    def __init__(self, processor: Processor, reference: float) -> None:
        self._chip, self._reference = processor, reference
        self._session, self._decoder = HostSession(0, KEY), Decoder()
        self._chip.drive([(0, pin, PinLevel.LOW) for pin in (20, 21)])
        self.set_supply(GOOD_SUPPLY)
        self._run(400)
        (identity,) = self._ask(self._session.identify(b"a supply"))
        assert isinstance(identity, Identity)
        assert Ok() in self._ask(self._session.authenticate(identity))

    def set_supply(self, volts: float) -> None:
        scaled = volts * EMULATED_REFERENCE / self._reference
        self._chip.supply(round(scaled * 1000), self._chip.cycle)

    def report(self) -> SupplyReport:
        """The supply that the board measures now."""
        self._run(5)
        (reply,) = self._ask(self._session.command(ReadSupply()))
        assert isinstance(reply, Supply)
        return SupplyReport(reply.measured_mv / 1000, reply.reference_mv)

    def is_low_at(self, volts: float) -> bool:
        """Whether the board latches LOW_SUPPLY within 20 ms at this voltage."""
        self.set_supply(volts)
        events = self._run(20)
        return FaultCode.LOW_SUPPLY in [each.code for each in events if isinstance(each, Faulted)]

    def _ask(self, data: bytes) -> list[Message]:
        self._chip.send(0, data, self._chip.cycle)
        return self._run(100)

    def _run(self, milliseconds: int) -> list[Message]:
        self._chip.run(self._chip.cycle + milliseconds * MILLISECOND)
        frames = self._decoder.feed(self._chip.take().bytes_of(0))
        return [frame.message for frame in frames]


def mega_chip() -> CalibratedChip:
    chip = calibrated_chip("mega2560")
    assert chip is not None
    return chip


@pytest.mark.parametrize("reference", [1.02, 1.19])
def test_a_calibrated_board_measures_its_supply_within_one_percent(reference: float) -> None:
    level = mega_chip().supply.low
    with Processor(eeprom=PROVISIONED) as processor:
        board = Mega(processor, reference)
        before = board.report()
        assert before.reference_mv == 0
        assert before.volts / GOOD_SUPPLY == pytest.approx(1.1 / reference, abs=0.01)
        assert abs(before.volts / GOOD_SUPPLY - 1) > 0.07, "a board that is not calibrated is wrong"
        if reference > EMULATED_REFERENCE:
            assert board.is_low_at(level * 1.04), "latched, although the supply is not low"
        else:
            assert not board.is_low_at(level * 0.96), "not latched, although the supply is low"

    reference_mv = computed_reference(before, GOOD_SUPPLY, mega_chip())
    eeprom = bytearray(PROVISIONED)
    record = reference_record(reference_mv)
    eeprom[REFERENCE_PLACE : REFERENCE_PLACE + len(record)] = record
    with Processor(eeprom=bytes(eeprom)) as processor:
        board = Mega(processor, reference)
        for volts in (5.25, 4.75, 4.4, 4.1):
            board.set_supply(volts)
            after = board.report()
            assert after.reference_mv == reference_mv
            assert after.volts == pytest.approx(volts, rel=0.01)
        assert not board.is_low_at(level * 1.01)
        assert board.is_low_at(level * 0.99)
