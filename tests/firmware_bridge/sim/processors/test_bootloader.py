"""Tests the emulated processor with the Mega's own bootloader in front of the firmware."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from config.board_profiles import board_profile
from firmware_bridge.board import FaultCode
from firmware_bridge.executor.virtual_board import KEY
from firmware_bridge.sim.host_session import HostSession
from firmware_bridge.sim.processors.processor import (
    FREQUENCY,
    PinLevel,
    Processor,
    parse_intel_hex,
    stock_bootloader,
)
from firmware_bridge.wire.codec import Decoder, encode
from firmware_bridge.wire.codes import Refusal, ResetCause
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
    Started,
)
from tests.firmware_bridge.conformance.test_starts import settled_eeprom
from tests.firmware_bridge.firmware.firmware_build import build

(LED,) = [
    pin.pin
    for pin in board_profile("mega2560").pins
    if pin.at_boot == "driven" and pin.reserved is None
]
"""The only pin of a channel that the board profile lists as driven at boot."""
IDENTITY = settled_eeprom("BOOTING1")
SECOND, MILLISECOND = FREQUENCY, FREQUENCY // 1000
BYTE = 640
"""Cycles that a byte takes on the link."""
RAM = range(0x213, 0x2000)
"""Bytes of the RAM that the bootloader does not use."""
FIRST_MARK = bytes([0x17, 0x5A])
WDTCSR, WDE = 0x60, 0x08
POWER_FLAG, EXTERNAL_FLAG, BROWN_OUT_FLAG, WATCHDOG_FLAG = 1, 2, 4, 8


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    build()


@pytest.fixture
def board() -> Iterator[Processor]:
    """A stock board whose supply has just been switched on."""
    with Processor(bootloader=stock_bootloader(), eeprom=IDENTITY) as processor:
        processor.drive([(0, pin, PinLevel.LOW) for pin in (20, 21)])
        yield processor


def sent(board: Processor, cycles: int) -> list[Message]:
    """Run the board for this time; return the messages that it has sent."""
    board.run(board.cycle + cycles)
    return [frame.message for frame in Decoder().feed(board.take().bytes_of(0))]


def answers_to(board: Processor, frame: bytes) -> list[Message]:
    """Send a frame to the board; return its messages of the next 0.4 s."""
    board.send(0, frame, board.cycle, apart=BYTE)
    return sent(board, 400 * MILLISECOND)


def begun(board: Processor) -> tuple[HostSession, Identity, list[Message]]:
    """Begin a session; return it, the identity of the board, and the events that follow."""
    session = HostSession(0, KEY)
    (identity,) = answers_to(board, session.identify(b"what is?"))
    assert isinstance(identity, Identity)
    accepted, *events = answers_to(board, session.authenticate(identity))
    assert accepted == Ok()
    return session, identity, events


def test_a_board_that_hears_nothing_starts_its_firmware_within_a_second(board: Processor) -> None:
    assert sent(board, SECOND * 83 // 100) == []
    assert sent(board, SECOND * 6 // 100) == [Started(1, ResetCause.POWER)]


@pytest.mark.slow
def test_a_host_that_repeats_its_question_keeps_the_board_in_its_bootloader(
    board: Processor,
) -> None:
    question = encode(0, 0, Identify(PROTOCOL, b"are you?"))
    for at in range(1, 40):
        board.send(0, question, at * SECOND // 10, apart=BYTE)
    assert sent(board, 89 * SECOND // 10) == []
    assert sent(board, SECOND // 4) == [Started(1, ResetCause.POWER)]


@pytest.mark.slow
def test_one_byte_of_noise_holds_a_board_for_five_seconds(board: Processor) -> None:
    board.send(0, b"\xff", SECOND // 2)
    assert sent(board, 54 * SECOND // 10) == []
    assert sent(board, 2 * SECOND // 10) == [Started(1, ResetCause.POWER)]


@pytest.mark.slow
def test_the_light_of_the_bootloader_goes_out_when_the_firmware_starts(board: Processor) -> None:
    """After bytes on the line the bootloader leaves pin 13 driven; the firmware releases it."""
    board.send(0, b"\xff", SECOND // 10)
    board.run(6 * SECOND)
    of_led = [change for change in board.take().pins if change.pin == LED]
    assert [change.level for change in of_led] == [PinLevel.LOW, PinLevel.HIGH, PinLevel.RELEASED]
    assert of_led[-1].cycle > 5 * SECOND


@pytest.mark.slow
def test_no_pin_but_that_of_the_light_is_driven_before_the_host_comes(board: Processor) -> None:
    board.run(2 * SECOND)
    assert {change.pin for change in board.take().pins} == {LED}


def restarted(board: Processor, reset: Callable[[], None]) -> Message:
    """Let the firmware run, reset it, and return what the board announces."""
    sent(board, SECOND)
    reset()
    (started,) = sent(board, SECOND)
    return started


@pytest.mark.slow
def test_the_reset_button_is_reported_as_the_cause(board: Processor) -> None:
    assert restarted(board, board.reset) == Started(2, ResetCause.EXTERNAL)
    assert begun(board)[2] == []


@pytest.mark.slow
def test_a_supply_that_fell_is_reported_as_the_cause_and_as_a_fault(board: Processor) -> None:
    def falls() -> None:
        board.supply(3950, board.cycle)
        board.run(board.cycle + 4 * MILLISECOND)
        board.brown_out()
        board.supply(5000, board.cycle)

    assert restarted(board, falls) == Started(2, ResetCause.BROWN_OUT)
    _, identity, (fault, *_) = begun(board)
    assert identity.reset_cause == ResetCause.BROWN_OUT
    assert isinstance(fault, Faulted) and fault.code == FaultCode.BROWN_OUT


@pytest.mark.slow
def test_a_supply_that_fell_and_rose_again_is_no_cause_of_a_later_reset(board: Processor) -> None:
    def recovers() -> None:
        board.supply(3950, board.cycle)
        board.run(board.cycle + 4 * MILLISECOND)
        board.supply(5000, board.cycle)
        board.run(board.cycle + 4 * MILLISECOND)
        board.reset()

    assert restarted(board, recovers) == Started(2, ResetCause.EXTERNAL)


@pytest.mark.slow
@pytest.mark.parametrize(
    "hang",
    [Processor.hang, lambda board: board.hang(interrupts=True), Processor.stop_tick],
    ids=["without interrupts", "only the main loop", "only the sampling tick"],
)
def test_hung_firmware_is_reported_as_the_cause_and_as_a_fault(
    board: Processor, hang: Callable[[Processor], None]
) -> None:
    """After its own reset the watchdog is still on; the bootloader starts the firmware at once."""
    sent(board, SECOND)
    hang(board)
    assert sent(board, SECOND // 5) == [Started(2, ResetCause.WATCHDOG)]
    _, identity, (fault, *_) = begun(board)
    assert identity.reset_cause == ResetCause.WATCHDOG
    assert isinstance(fault, Faulted) and fault.code == FaultCode.WATCHDOG


@pytest.mark.slow
def test_an_ordered_bootloader_is_reported_as_the_cause(board: Processor) -> None:
    sent(board, SECOND)
    session, _, _ = begun(board)
    refused = Refused(Refusal.OUT_OF_RANGE, NONE)
    assert answers_to(board, encode(0, session.sequence, Bootloader(1))) == []
    assert answers_to(board, session.command(Bootloader(0))) == [refused]
    assert answers_to(board, session.command(Bootloader(1))) == [Ok()]
    assert sent(board, SECOND) == [Started(2, ResetCause.BOOTLOADER)]


@pytest.mark.slow
def test_a_memory_that_is_damaged_in_part_gives_an_unknown_cause(board: Processor) -> None:
    sent(board, SECOND)
    memory = bytes(board.memory(at) for at in RAM)
    board.poke(RAM.start + memory.index(FIRST_MARK), 0)
    board.reset()
    assert sent(board, SECOND) == [Started(2, ResetCause.UNKNOWN)]


# The emulator, by the data sheet


@pytest.mark.parametrize("seed", [1, 2])
def test_power_on_fills_the_memory_with_arbitrary_values(seed: int) -> None:
    with Processor(memory_seed=seed) as one, Processor(memory_seed=3) as other:
        ours, theirs = ([each.memory(at) for at in RAM] for each in (one, other))
        assert ours != theirs
        assert len(set(ours)) > 200


def test_a_reset_keeps_the_memory_and_sets_its_flag_beside_the_earlier_ones() -> None:
    with Processor(memory_seed=5) as board:
        before = [board.memory(at) for at in RAM]
        board.reset()
        board.brown_out()
        assert [board.memory(at) for at in RAM] == before
        first, second = board.take().resets
        assert first.flags == POWER_FLAG | EXTERNAL_FLAG
        assert second.flags == POWER_FLAG | EXTERNAL_FLAG | BROWN_OUT_FLAG


def test_the_watchdog_is_still_on_after_its_own_reset(board: Processor) -> None:
    sent(board, SECOND)
    board.hang()
    board.run(board.cycle + 60 * MILLISECOND)
    while not (resets := board.take().resets):
        board.run(board.cycle + 50)
    assert resets[0].flags == WATCHDOG_FLAG, "the firmware has cleared the flag of the power-on"
    assert board.memory(WDTCSR) & WDE


def test_a_damaged_hex_file_is_refused_with_its_line() -> None:
    with pytest.raises(
        ValueError,
        match=r"Line 2 is not an Intel HEX record: ':00000001FE'; "
        r"install",
    ):
        parse_intel_hex(":020000023000CC\n:00000001FE\n")


NOMINAL_REFERENCE = 1.1
"""Volts of the reference by which a Mega measures its supply; the data sheet gives 1.0 to 1.2."""


def faults_at(measured: float) -> set[FaultCode]:
    """The faults of a Mega without bootloader after 20 ms at this measured voltage."""
    with Processor(eeprom=IDENTITY) as processor:
        processor.drive([(0, pin, PinLevel.LOW) for pin in (20, 21)])
        sent(processor, 50 * MILLISECOND)
        _, _, events = begun(processor)
        processor.supply(round(measured * 1000), processor.cycle)
        events += sent(processor, 20 * MILLISECOND)
        return {FaultCode(event.code) for event in events if isinstance(event, Faulted)}


@pytest.mark.parametrize("reference", [1.0, 1.1, 1.2])
@pytest.mark.parametrize("supply", [5.25, 4.75, 4.4])
def test_no_reference_of_a_mega_makes_an_ordinary_usb_supply_low(
    supply: float, reference: float
) -> None:
    """The emulated reference has 1.1 V: a higher one reads as a lower supply."""
    assert faults_at(supply * NOMINAL_REFERENCE / reference) == set()


def test_a_supply_below_the_level_of_the_profile_is_low() -> None:
    profile = board_profile("mega2560").supply
    assert profile is not None
    assert faults_at(profile.low - 0.05) == {FaultCode.LOW_SUPPLY}
    assert faults_at(profile.low + 0.05) == set()
