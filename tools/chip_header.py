"""Writes a chip's header for the firmware from a board profile: firmware/chips/NAME.h.

The core and the port take the numbers of pins, axes and bytes from this header, so that a profile
and its firmware cannot differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from config.board_profiles import BoardProfile, Role, board_names, board_profile

NO_PIN = 255
"""The firmware's number for "no pin"."""
_SAFETY: tuple[Role, ...] = ("emergency", "curtain", "motor_current")


def chips() -> tuple[str, ...]:
    """Return the names of the profiles that have firmware: the boards on a serial line."""
    return tuple(name for name in board_names() if board_profile(name).kind == "serial")


def header(name: str) -> str:
    """Return the text of a chip's header."""
    profile = board_profile(name)
    guard = f"WALLWRIGHT_CHIP_{name.upper()}_H"
    source = f"{profile.title}: generated from config/boards/{name}.yaml by `make docs`"
    return "\n".join(
        [
            f"/* {source}; a test checks that",
            " * it is current. */",
            f"#ifndef {guard}",
            f"#define {guard}",
            "",
            *(f"#define {key} {value}" for key, value in _numbers(profile)),
            "",
            "/* One bit for each pin, the lowest bit first: the pins that a table can use as",
            " * outputs, as inputs, and as analogue inputs. */",
            f"#define OUTPUT_PINS {_mask(profile, profile.able('output'))}",
            f"#define INPUT_PINS {_mask(profile, profile.able('input'))}",
            f"#define ANALOG_PINS {_mask(profile, profile.able('analog'))}",
            "",
            "#endif",
            "",
        ]
    )


def _numbers(profile: BoardProfile) -> Iterator[tuple[str, str]]:
    """Yield each constant and its value as C."""
    yield "CHIP", f"CHIP_{profile.name.upper()}"
    yield "PINS", f"{_pin_count(profile)}u"
    yield "AXES", f"{profile.axes}u"
    yield "STEPS_A_SECOND", f"{profile.steps}u"
    for role in _SAFETY:
        pin = profile.reserved(role)
        yield f"{role.upper()}_PIN", f"{NO_PIN if pin is None else pin}u"
    analog = [pin.pin for pin in profile.pins if "analog" in pin.can]
    if profile.converter is not None and analog:
        yield "FIRST_ANALOG_PIN", f"{min(analog)}u"
        yield "ANALOG_INPUTS", f"{len(analog)}u"
        yield "ANALOG_FULL_MV", f"{round(profile.converter.volts * 1000)}u"
        yield "ANALOG_MOST_MV", f"{profile.converter.most_millivolts}u"
    yield "MODULE_PORTS", f"{len(profile.ports)}u"
    yield "STORAGE_SIZE", f"{profile.storage.size}u"
    yield "STORAGE_CYCLES", f"{profile.storage.cycles}u"
    if profile.supply is not None:
        yield "SUPPLY_LOW_MV", f"UINT32_C({round(profile.supply.low * 1000)})"
        if (reference := profile.supply.reference) is not None:
            yield "REFERENCE_MV", f"{round(reference.nominal * 1000)}u"
            yield "REFERENCE_LEAST_MV", f"{round(reference.least * 1000)}u"
            yield "REFERENCE_MOST_MV", f"{round(reference.most * 1000)}u"


def _pin_count(profile: BoardProfile) -> int:
    return max(pin.pin for pin in profile.pins) + 1


def _mask(profile: BoardProfile, pins: Iterable[int]) -> str:
    """Return the bytes of a bit mask as a C initialiser."""
    content = bytearray((_pin_count(profile) + 7) // 8)
    for pin in pins:
        content[pin // 8] |= 1 << pin % 8
    return "{" + ", ".join(f"0x{byte:02X}" for byte in content) + "}"
