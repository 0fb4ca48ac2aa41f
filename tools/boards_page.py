"""Writes docs/build/BOARDS.md from the board profiles: each board with its limits and pins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from config.board_profiles import BoardProfile, PinProfile, board_names, board_profile

_INTRODUCTION = """\
# Boards

*Generated from `config/boards/` by `make docs`; a test checks that it is current.*

A **board profile** lists what a kind of board has: its pins, the functions of each pin, and the
state of each pin from a reset until a program sets it. A table's file names a profile by `chip:`;
without it, a board of `kind: serial` is a `mega2560` and a board of `kind: gpio` a `raspberry_pi`.
The table is checked against the profile, and the firmware's constants are generated from it.
`wallwright boards` lists the profiles, and `wallwright boards mega2560` the pins of one.

*At boot* is the state from reset until the program sets the pin: *floating* is high impedance,
*pulled up* and *pulled down* are resistors to the supply and to ground, and *driven* is a level
that something else sets. An output that moves a part of the table must be off in that time, so
`wallwright check` refuses a motor, the steps of an axis, a dice shaker, a relay, a gate or the wide
jaws on a pin that is driven or pulled up. A lamp or a buzzer on such a pin is accepted with a
warning. A sensor is refused on a driven pin, which its contact would short to ground.
"""
_STATES = {
    "floating": "floating",
    "pulled_up": "pulled up",
    "pulled_down": "pulled down",
    "driven": "**driven**",
}


def page() -> str:
    """Return the text of docs/build/BOARDS.md."""
    lines = [_INTRODUCTION]
    for name in board_names():
        lines += _board(board_profile(name))
    return "\n".join(lines).rstrip("\n") + "\n"


def _board(profile: BoardProfile) -> Iterator[str]:
    yield f"## {profile.title}, `chip: {profile.name}`"
    yield ""
    yield "| property | value |"
    yield "|---|---|"
    for name, value in _properties(profile):
        yield f"| {name} | {value} |"
    yield ""
    yield "| pin | label | pad | can be | at boot | note |"
    yield "|---:|---|---|---|---|---|"
    for pin in profile.pins:
        cells = (pin.pin, pin.label, pin.pad, _uses(pin), _STATES[pin.at_boot], pin.note)
        yield f"| {' | '.join(map(str, cells))} |"
    yield ""
    yield "Sources:"
    yield ""
    yield from (f"- {source}" for source in profile.sources)
    yield ""


def _uses(pin: PinProfile) -> str:
    """Return the abilities of a pin, or its fixed function if no channel can use it."""
    reserved = "" if pin.reserved is None else pin.reserved.replace("_", " ")
    return ", ".join(each for each in (*pin.can, f"*{reserved}*" if reserved else "") if each)


def _properties(profile: BoardProfile) -> Iterator[tuple[str, str]]:
    yield "kind", f"`{profile.kind}`"
    yield "processor", profile.processor
    yield "logic", f"{profile.logic:g} V"
    if profile.axes:
        yield (
            "axes",
            f"{profile.axes}, at most {profile.steps:,} steps a second each, at the same time",
        )
    if profile.converter is not None:
        converter = profile.converter
        yield "analogue inputs", f"0 to {converter.volts:g} V, {converter.bits} bits"
    for port in profile.ports:
        yield f"serial port {port.port}", f"sends on {port.sends}, receives on {port.receives}"
    yield "storage", _storage(profile)
    if profile.supply is not None:
        supply, (least, most) = profile.supply, profile.supply.true_low
        level = f"LOW_SUPPLY below {supply.low:g} V at {supply.at} as the board measures it"
        truth = f"which can be {least:.2f} to {most:.2f} V; never at {supply.ordinary:g} V or more"
        yield "supply", f"{level}, {truth}"
        if (reference := supply.reference) is not None:
            lowest, highest = (supply.low * (1 + part * reference.calibrated) for part in (-1, 1))
            level = f"LOW_SUPPLY below a true {lowest:.2f} to {highest:.2f} V"
            sheet = f"{reference.least * 1000:.0f} to {reference.most * 1000:.0f} mV"
            yield (
                "supply, after `firmware calibrate`",
                f"{level}; the reference can be {sheet}, by the data sheet",
            )
    if profile.bootloader is not None:
        loader = profile.bootloader
        yield "bootloader", f"{loader.name}, {loader.size:,} bytes. {loader.starts}"
    current = profile.current
    yield "current of a pin", f"{current.pin:g} mA; damage above {current.pin_maximum:g} mA"
    yield "current of all pins", f"{current.total:g} mA"
    for group in current.groups:
        yield f"current of {group.name}", f"{group.milliamperes:g} mA: pins {_listed(group.pins)}"


def _storage(profile: BoardProfile) -> str:
    storage = profile.storage
    if storage.kind == "files":
        return "files of the host"
    unit = "byte" if storage.block == 1 else f"block of {storage.block:,} bytes"
    return f"{storage.kind}, {storage.size:,} bytes, each {unit} for {storage.cycles:,} writes"


def _listed(pins: Iterable[int]) -> str:
    return ", ".join(map(str, pins))
