"""Tests that an emulated board finds damage of its program, memory, clock and outputs, and stops.

The emulators damage the chip: a bit of the flash or of the RAM, the frequency of the clock, a pin
that is held from outside. A motor runs meanwhile.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator

import pytest

from benchmarks.firmware_host import Host
from benchmarks.firmware_reflex import LONG_LEASE_MS, motor, sensor
from firmware_bridge.board import FaultCode
from firmware_bridge.sim.processors.processor import (
    ELF,
    FREQUENCY,
    FlashImage,
    PinLevel,
    Processor,
)
from firmware_bridge.sim.processors.rp2040 import IMAGE, Rp2040
from firmware_bridge.wire.codec import Decoder
from firmware_bridge.wire.codes import Defect, Kind
from firmware_bridge.wire.messages import Clear, Configure, Faulted, Message, SelfTest, Set, Started
from tests.firmware_bridge.firmware.firmware_build import build

pytestmark = [pytest.mark.slow]

MILLISECOND = FREQUENCY // 1000
MOTOR, OTHER, OUTPUT, SENSOR = range(4)
PIN, SECOND_PIN, OTHER_PIN, OUTPUT_PIN, SENSOR_PIN = 11, 12, 13, 14, 15
CURTAIN_PIN = 21
PASS_MS = 6_000
"""A board reads its whole program in the background in this time."""
MEMORY_PASS_MS = 3_000
RAM = range(0x200, 0x2200)
PICO_RAM = 0x20000000


@pytest.fixture(scope="module", autouse=True)
def firmware() -> None:
    build("avr", "simavr", "rp2040", "rp2040js")


def records() -> list[Configure]:
    return [
        motor(MOTOR, PIN)._replace(second_pin=SECOND_PIN),
        motor(OTHER, OTHER_PIN),
        motor(OUTPUT, OUTPUT_PIN)._replace(kind=Kind.OUTPUT),
        sensor(SENSOR, SENSOR_PIN),
    ]


def running(host: Host) -> Host:
    """Let a motor of this board run, and another one be at rest."""
    host.drive(SENSOR_PIN, PinLevel.HIGH, 0)
    host.begin(records(), LONG_LEASE_MS)
    host.ask(Set(MOTOR, 1000))
    host.run(100 * MILLISECOND)
    assert host.levels[PIN] is PinLevel.HIGH
    assert not host.events
    return host


@pytest.fixture
def mega() -> Iterator[Host]:
    with Host(CURTAIN_PIN, may_refuse=True) as host:
        yield running(host)


@pytest.fixture
def pico() -> Iterator[Host]:
    with Host(CURTAIN_PIN, may_refuse=True, processor=Rp2040()) as host:
        yield running(host)


def of_mega(host: Host) -> Processor:
    assert isinstance(host.processor, Processor)
    return host.processor


def of_pico(host: Host) -> Rp2040:
    assert isinstance(host.processor, Rp2040)
    return host.processor


def address_of(name: str, elf: str = str(ELF), tool: str = "avr-nm") -> int:
    """Return the address of a name of the program, in the flash or in the data memory."""
    listing = subprocess.run([tool, elf], check=True, capture_output=True, text=True).stdout
    found = [line.split() for line in listing.splitlines()]
    return next(int(line[0], 16) for line in found if line[-1] == name)


def pico_address(name: str) -> int:
    return address_of(name, str(IMAGE.with_suffix(".elf")), "arm-none-eabi-nm")


def faults(host: Host) -> list[FaultCode]:
    return [each.code for each in host.events if isinstance(each, Faulted)]


def asked(host: Host, command: Message) -> bool:
    """Return whether the board accepts this command."""
    host.refused.clear()
    host.ask(command)
    return not host.refused


def assert_stopped(host: Host, fault: FaultCode, within_ms: int) -> None:
    host.run(within_ms * MILLISECOND)
    assert set(faults(host)) == {fault}
    assert host.levels[PIN] is PinLevel.LOW
    assert not asked(host, Set(MOTOR, 1000))
    assert not asked(host, Clear())


# The program


def test_a_bit_of_a_megas_flash_that_changes_stops_the_board(mega: Host) -> None:
    chip = of_mega(mega)
    at = address_of("__data_load_end") - 1
    chip.poke_flash(at, chip.flash(at) ^ 0x10)
    assert_stopped(mega, FaultCode.SELF_TEST, PASS_MS)


def test_a_bit_of_the_copy_of_a_picos_program_that_changes_stops_the_board(pico: Host) -> None:
    chip = of_pico(pico)
    at = pico_address("memory_begin") & ~1
    chip.poke(at, bytes([chip.memory(at, 1)[0] ^ 1]))
    assert_stopped(pico, FaultCode.SELF_TEST, PASS_MS)


def test_a_mega_with_a_damaged_program_runs_no_motor() -> None:
    chip = Processor()
    at = address_of("__data_load_end") - 1
    chip.poke_flash(at, chip.flash(at) ^ 1)
    with Host(CURTAIN_PIN, may_refuse=True, processor=chip) as host:
        host.begin(records(), LONG_LEASE_MS)
        assert faults(host) == [FaultCode.SELF_TEST]
        assert not asked(host, Set(MOTOR, 1000))
        assert host.levels[PIN] is PinLevel.LOW


def test_a_pico_with_a_damaged_program_runs_no_motor() -> None:
    damaged = bytearray(IMAGE.read_bytes())
    start = 0x10000000
    stored, begin = pico_address("program_stored") - start, pico_address("program_begin")
    damaged[stored + (pico_address("memory_save_after_reset") & ~1) - begin] ^= 1
    file = IMAGE.with_name("damaged-program.bin")
    file.write_bytes(damaged)
    with Host(CURTAIN_PIN, may_refuse=True, processor=Rp2040(file)) as host:
        host.begin(records(), LONG_LEASE_MS)
        assert faults(host) == [FaultCode.SELF_TEST]
        assert not asked(host, Set(MOTOR, 1000))
    file.unlink()


# The memory


def test_a_cell_of_a_megas_memory_that_keeps_nothing_stops_the_board(mega: Host) -> None:
    chip = of_mega(mega)
    written = address_of("cell_is_written")
    while chip.program_counter != written:
        chip.run(chip.cycle + 1)
    at = chip.memory(30) | chip.memory(31) << 8
    assert at in RAM
    chip.poke(at, chip.memory(at) ^ 4)
    assert_stopped(mega, FaultCode.SELF_TEST, 10)


@pytest.mark.parametrize(("at", "stuck"), [(RAM[0], 0), (0x1234, 1), (RAM[-1], 0)])
def test_a_mega_with_a_bit_of_its_memory_stuck_does_not_start(at: int, stuck: int) -> None:
    ends = address_of("memory_is_damaged")
    with Processor() as chip:
        while chip.program_counter != ends:
            byte = chip.memory(at)
            chip.poke(at, byte | 8 if stuck else byte & ~8)
            chip.run(chip.cycle + 500)
            assert chip.cycle < 30 * MILLISECOND
        chip.run(FREQUENCY)
        sent = chip.take()
        assert sent.sent == [] and sent.resets == []
        assert all(each.level is PinLevel.RELEASED for each in sent.pins)


def test_the_test_of_a_megas_memory_finds_no_defect_and_keeps_what_survives_a_reset() -> None:
    with Processor() as chip:
        chip.run(200 * MILLISECOND)
        (started,) = Decoder().feed(chip.take().bytes_of(0))
        assert isinstance(started.message, Started)


def test_the_background_test_of_a_megas_memory_visits_every_cell(mega: Host) -> None:
    chip = of_mega(mega)
    cell = address_of("cell") & 0xFFFF
    seen = set()
    for _ in range(MEMORY_PASS_MS):
        mega.run(MILLISECOND)
        seen.add(chip.memory(cell) | chip.memory(cell + 1) << 8)
    assert {at // 8 for at in seen} == {at // 8 for at in RAM}
    assert not mega.events


# The clock


@pytest.mark.parametrize("hertz", [8_000_000, 32_000_000])
def test_a_mega_whose_clock_is_wrong_stops(mega: Host, hertz: int) -> None:
    of_mega(mega).clock(hertz)
    assert_stopped(mega, FaultCode.SELF_TEST, 300)


@pytest.mark.parametrize("hertz", [12_800_000, 20_000_000])
def test_the_watchdogs_oscillator_may_be_a_fifth_off(mega: Host, hertz: int) -> None:
    of_mega(mega).clock(hertz)
    mega.run(500 * MILLISECOND)
    assert not mega.events
    assert mega.levels[PIN] is PinLevel.HIGH


def test_a_mega_whose_time_stands_still_stops(mega: Host) -> None:
    """Leases and maximum times would never end."""
    of_mega(mega).write(0x121, 0)  # TCCR5B: the timer has no clock
    mega.run(200 * MILLISECOND)
    assert mega.levels[PIN] is PinLevel.LOW


def test_a_pico_whose_processor_has_another_frequency_than_its_time_stops(pico: Host) -> None:
    half_a_period = 125 * 25_000
    of_pico(pico).poke(0xE000E014, half_a_period.to_bytes(4, "little"))
    assert_stopped(pico, FaultCode.SELF_TEST, 200)


def test_a_pico_whose_crystal_is_far_from_its_ring_oscillator_stops(pico: Host) -> None:
    of_pico(pico).ring_oscillator(13_000)
    assert_stopped(pico, FaultCode.SELF_TEST, 10)


@pytest.mark.parametrize("interrupts", [False, True])
def test_a_mega_that_hangs_at_any_time_is_reset_within_82_ms(interrupts: bool) -> None:
    """Also while the watchdog measures the clock and is not reset."""
    for phase in range(10):
        with Processor() as chip:
            chip.run((300 + 7 * phase) * MILLISECOND)
            chip.take()
            hung = chip.cycle
            chip.hang(interrupts)
            chip.run(hung + 82 * MILLISECOND)
            assert [each.flags & 8 for each in chip.take().resets] == [8], phase


# Outputs


CHIPS: dict[str, Callable[[], Processor | Rp2040]] = {"mega": Processor, "pico": Rp2040}


@pytest.mark.parametrize(
    ("chip", "pin"),
    [("mega", SECOND_PIN), ("mega", OTHER_PIN), ("mega", OUTPUT_PIN), ("pico", OTHER_PIN)],
)
def test_an_output_that_is_off_and_reads_active_stops_the_board(chip: str, pin: int) -> None:
    channel = {SECOND_PIN: MOTOR, OTHER_PIN: OTHER, OUTPUT_PIN: OUTPUT}[pin]
    with running(Host(CURTAIN_PIN, may_refuse=True, processor=CHIPS[chip]())) as host:
        if channel == MOTOR:
            host.ask(Set(MOTOR, 0), Set(OTHER, 1000))
        host.processor.hold(pin, PinLevel.HIGH)
        host.run(20 * MILLISECOND)
        assert [(each.code, each.channel) for each in host.events if isinstance(each, Faulted)] == [
            (FaultCode.UNEXPECTED_MOTION, channel)
        ]
        assert {host.levels[each] for each in (PIN, OTHER_PIN)} == {PinLevel.LOW}
        assert not asked(host, Clear())
        host.processor.hold(pin, PinLevel.RELEASED)
        host.run(MILLISECOND)
        assert asked(host, Clear())
        assert asked(host, Set(MOTOR, 1000))
        host.run(100 * MILLISECOND)
        assert host.levels[PIN] is PinLevel.HIGH
        assert len(host.events) <= 3


def test_a_pulse_of_a_millisecond_at_an_output_is_no_fault(mega: Host) -> None:
    for _ in range(20):
        of_mega(mega).hold(OTHER_PIN, PinLevel.HIGH)
        mega.run(MILLISECOND)
        of_mega(mega).hold(OTHER_PIN, PinLevel.RELEASED)
        mega.run(7 * MILLISECOND)
    assert not mega.events


# The start after a foreign bootloader

LEAVES_WATCHDOG_ON = (
    *(0xE188, 0xE098, 0x9380, 0x0060, 0x9390, 0x0060),  # ldi, ldi, sts WDTCSR, sts WDTCSR: 16 ms
    *(0xE081, 0x9380, 0x006E, 0xBD85),  # the overflow of timer 0 interrupts every 256 cycles
    *(0x9478, 0x940C, 0x0000),  # sei, jmp 0
)


def test_a_bootloader_that_leaves_the_watchdog_and_interrupts_on_does_not_hinder_the_start() -> (
    None
):
    code = b"".join(word.to_bytes(2, "little") for word in LEAVES_WATCHDOG_ON)
    with Processor(bootloader=FlashImage(0x3E000, code)) as chip:
        chip.run(FREQUENCY)
        sent = chip.take()
        (started,) = Decoder().feed(sent.bytes_of(0))
        assert isinstance(started.message, Started)
        assert sent.resets == []


# What the reply to SelfTest names


def test_the_self_test_names_the_damaged_part(mega: Host) -> None:
    chip = of_mega(mega)
    mega.ask(SelfTest())
    chip.hold(OTHER_PIN, PinLevel.HIGH)
    mega.ask(SelfTest())
    chip.hold(OTHER_PIN, PinLevel.RELEASED)
    chip.clock(8_000_000)
    mega.run(300 * MILLISECOND)
    mega.ask(SelfTest())
    assert mega.values == [0, Defect.OUTPUTS, Defect.CLOCK]
