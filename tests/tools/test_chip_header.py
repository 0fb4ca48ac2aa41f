"""Tests that the firmware's tables of pins and its chip headers agree with the board profiles."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from config.board_profiles import board_profile
from firmware_bridge.commissioning.flashing import FIRMWARE
from firmware_bridge.sim.processors import processor
from tools.chip_header import chips, header

MEGA = board_profile("mega2560")
NOWHERE = "NOWHERE"


def _words(file: Path, name: str) -> str:
    """Return the text of a C array's initialiser, without comments."""
    found = re.search(rf"{name}\[.*?\] .*?= \{{(.*?)\n\}};", file.read_text("utf-8"), re.DOTALL)
    assert found is not None, f"{file} has no table {name}"
    return re.sub(r"/\*.*?\*/", "", found[1])


@pytest.mark.parametrize("name", chips())
def test_a_header_states_the_pins_of_its_profile(name: str) -> None:
    profile, text = board_profile(name), header(name)
    constants = dict(re.findall(r"^#define (\w+) (\d+)u$", text, re.MULTILINE))
    assert int(constants["PINS"]) == profile.pins[-1].pin + 1
    assert int(constants["AXES"]) == profile.axes
    assert int(constants["EMERGENCY_PIN"]) == profile.reserved("emergency")
    assert int(constants["CURTAIN_PIN"]) == profile.reserved("curtain")
    assert int(constants["STORAGE_SIZE"]) == profile.storage.size
    for mask, ability in (
        ("OUTPUT_PINS", "output"),
        ("INPUT_PINS", "input"),
        ("ANALOG_PINS", "analog"),
    ):
        (content,) = re.findall(rf"^#define {mask} {{(.*)}}$", text, re.MULTILINE)
        octets = [int(octet, 16) for octet in content.split(", ")]
        chosen = [pin for pin in range(8 * len(octets)) if octets[pin // 8] >> pin % 8 & 1]
        assert tuple(chosen) == profile.able(ability)  # type: ignore[arg-type]


def test_the_mega_port_has_each_pin_at_the_pad_of_the_profile() -> None:
    text = (FIRMWARE / "avr" / "pins.c").read_text("utf-8")
    (pads,) = re.findall(r"^#define PADS \\\n((?:.*\\\n)*.*)", text, re.MULTILINE)
    at = re.findall(r"AT\((\w), (\d)\)", pads)
    assert ["".join(pad) for pad in at] == [pin.pad for pin in MEGA.pins]


def test_the_mega_port_finds_the_pin_of_each_pad() -> None:
    file = FIRMWARE / "avr" / "pins.c"
    numbers = re.findall(r"\w+", _words(file, "pin_by_place"))
    order = dict(re.findall(r"^#define PORT_(\w) (\d+)$", _header(), re.MULTILINE))
    by_pad = {pin.pad: str(pin.pin) for pin in MEGA.pins}
    wanted = [by_pad.get(f"{port}{bit}", NOWHERE) for port in order for bit in range(8)]
    assert sorted(order.values(), key=int) == list(order.values())
    assert numbers == wanted


def _header() -> str:
    return (FIRMWARE / "avr" / "pins.h").read_text("utf-8")


def test_the_simulated_processor_has_each_pin_at_the_pad_of_the_profile() -> None:
    pads = re.findall(r'"(\w\d)"', _words(FIRMWARE / "simavr" / "mega_pins.c", "pin_names"))
    assert pads == [pin.pad for pin in MEGA.pins]


def test_the_emulated_board_has_the_pins_and_the_storage_of_the_profile() -> None:
    assert MEGA.storage.size == processor.EEPROM_SIZE
    assert tuple(MEGA.by_number) == tuple(processor._PINS)
    analog = [pin.pin for pin in MEGA.pins if "analog" in pin.can]
    assert analog == list(processor._ANALOG_PINS)


def test_the_firmware_states_no_pin_of_its_own() -> None:
    """Pins with a fixed function, and the number of pins, come from the profile's header."""
    files = [FIRMWARE / "port.h", *(FIRMWARE / "core").glob("*.[ch]"), FIRMWARE / "avr" / "adc.c"]
    for file in files:
        text = file.read_text("utf-8")
        stated = re.findall(r"^#define \w*(?:_PIN|PINS|AXES) \d+u?", text, re.MULTILINE)
        assert [line for line in stated if "NO_PIN" not in line] == [], file.name
