"""Validates pins against the profile of their board: existence, abilities, and state at boot.

A board's profile (`config.board_profiles`) lists what each pin can do, which pins have a fixed
function, and which pins are driven or pulled up from a reset until the firmware or the host sets
them. In that time an output that moves a part of the table must be off.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from config.board_profiles import (
    USUAL,
    Ability,
    BoardProfile,
    BootState,
    PinProfile,
    Role,
    board_names,
    board_profile,
    chip_of,
    pin_ranges,
)
from config.errors import Finding, Path, TableWarning, instead
from config.schema import (
    AnalogChannel,
    AxisChannel,
    BoardConfig,
    Channel,
    DiceChannel,
    MotorChannel,
    OutputChannel,
    ReaderChannel,
    SensorChannel,
    Table,
)
from config.schema.channels import LONGEST_MOTION
from config.strict_yaml import Document

PIN_FIELDS = ("pin", "reverse_pin", "direction_pin")
"""The keys of a channel that hold a pin."""

ROLES: Mapping[Role, str] = {
    "link": "the line to the host",
    "emergency": "the emergency stop",
    "curtain": "the light curtain",
    "motor_current": "the current of the motors",
    "identity": "the memory of add-on boards",
}
"""The name that messages use for each fixed function of a pin."""

HIGH: tuple[BootState, ...] = ("driven", "pulled_up")
"""States at boot in which a pin is high, or can be."""


def with_pin_numbers(document: Document) -> Document:
    """A table's document with numbers in place of the labels that are printed on its boards.

    A label is one of the board's profile, such as A0 on a Mega 2560 or GP2 on a Pico, in capitals
    or not. Everything else is left as it is; the check of the schema then reports it.
    """
    value = document.value
    if not isinstance(value, dict) or not isinstance(boards := value.get("boards"), dict):
        return document
    changed = json.loads(json.dumps(boards))
    for board in changed.values():
        if not isinstance(board, dict) or not isinstance(board.get("channels"), dict):
            continue
        usual = {str(kind): name for kind, name in USUAL.items()}.get(str(board.get("kind")))
        chip = board.get("chip", usual)
        if chip not in board_names():
            continue
        numbers = {pin.label.upper(): pin.pin for pin in board_profile(chip).pins}
        for channel in board["channels"].values():
            for key in PIN_FIELDS if isinstance(channel, dict) else ():
                label = channel.get(key)
                if isinstance(label, str) and not label.isdecimal():
                    channel[key] = numbers.get(label.upper(), label)
    return Document(document.file, {**value, "boards": changed}, document.lines)


_ABILITIES: Mapping[Ability, str] = {
    "input": "an input",
    "output": "an output",
    "step": "the step output of an axis",
    "analog": "an analogue input",
}


class _Pin(NamedTuple):
    """A key of a channel that holds a pin."""

    path: Path
    channel: Channel
    key: str
    number: int


def boot_warnings(table: Table) -> Iterator[TableWarning]:
    """Yields lamps and buzzers on pins that are driven or pulled up while their board boots.

    They move nothing, so `check_table` accepts them, but they can be lit or sound at that time.
    """
    for name, board, profile in profiled(table):
        for each in _pins(name, board):
            if (
                each.channel.kind in ("output", "strip")
                and profile.by_number[each.number].at_boot in HIGH
            ):
                key = f"channels.{each.path[3]}"
                yield TableWarning(name, key, _boot_sentence(profile, each))


def _boot_sentence(profile: BoardProfile, each: _Pin) -> str:
    pin = profile.by_number[each.number]
    state = "driven" if pin.at_boot == "driven" else "pulled up"
    note = f" {pin.note}" if pin.note else ""
    return f"pin {each.number} is {state} until the board has started.{note}"


def profiled(table: Table) -> Iterator[tuple[str, BoardConfig, BoardProfile]]:
    """Yields the boards whose `chip` is known and of their kind, with their profiles."""
    for name, board in table.boards.items():
        if chip_of(board) in board_names() and board_profile(chip_of(board)).kind == board.kind:
            yield name, board, board_profile(chip_of(board))


def _pins(name: str, board: BoardConfig) -> Iterator[_Pin]:
    for channel, config in board.channels.items():
        for key in PIN_FIELDS:
            number = getattr(config, key, None)
            if number is not None:
                yield _Pin(("boards", name, "channels", channel, key), config, key, number)


# Checks


def _chips(table: Table) -> Iterator[Finding]:
    for name, board in table.boards.items():
        chip, path = board.chip, ("boards", name, "chip")
        if chip is None:
            continue
        if chip not in board_names():
            wrong = f"is not the name of a board profile ('{chip}')"
            yield Finding(path, wrong, instead(chip, board_names()))
        elif board_profile(chip).kind != board.kind:
            kind = board_profile(chip).kind
            wrong = f"is a board of kind {kind}, but this board is of kind {board.kind} ('{chip}')"
            yield Finding(path, wrong, f"Give `kind: {kind}`, or another chip.")


def _devices(table: Table) -> Iterator[Finding]:
    """Checks that the board has what a channel needs besides pins: ports, converter, axes."""
    for name, board, profile in profiled(table):
        axes = 0
        for channel, config in board.channels.items():
            path: Path = ("boards", name, "channels", channel)
            axes += isinstance(config, AxisChannel)
            if isinstance(config, AxisChannel) and axes > profile.axes:
                wrong = f"is axis {axes} of board '{name}' ('{channel}')"
                most = f"{profile.axes} axes" if profile.axes else "no axis"
                cure = f"A {profile.name} drives {most}: move it to another board."
                yield Finding((*path, "kind"), wrong, cure)
            elif config.kind in _lacking(profile):
                board_name = "gpio board" if profile.kind == "gpio" else profile.name
                wrong = f"is not possible on a {board_name} ({config.kind})"
                cure = f"Move it to a{'' if profile.kind == 'gpio' else 'nother'} serial board."
                yield Finding((*path, "kind"), wrong, cure)
            elif (
                isinstance(config, DiceChannel | ReaderChannel)
                and config.port not in profile.by_port
            ):
                wrong = f"is not a serial port of a {profile.name} ({config.port})"
                yield Finding((*path, "port"), wrong, f"Give {pin_ranges(profile.by_port)}.")


def _lacking(profile: BoardProfile) -> tuple[str, ...]:
    """The kinds of channel for which a board lacks a serial port or a converter."""
    without_ports = () if profile.ports else ("dice", "reader")
    return without_ports if profile.converter else (*without_ports, "analog")


def _abilities(table: Table) -> Iterator[Finding]:
    """Checks that each pin exists and can have the function that its channel needs."""
    for name, board, profile in profiled(table):
        for each in _pins(name, board):
            ability = _needed(each)
            pin, usable = profile.by_number.get(each.number), profile.able(ability)
            if each.number in usable or not usable:
                continue
            cure = f"Give {pin_ranges(usable)}."
            if pin is None:
                wrong = f"is not a pin of a {profile.name} ({each.number})"
            elif pin.reserved is not None:
                wrong = f"is the pin for {ROLES[pin.reserved]} ({each.number})"
            else:
                wrong = f"cannot be {_ABILITIES[ability]} on a {profile.name} ({each.number})"
            yield Finding(each.path, wrong, cure)


def _needed(each: _Pin) -> Ability:
    """The ability that a channel needs of one of its pins."""
    match each.channel:
        case AnalogChannel():
            return "analog"
        case SensorChannel():
            return "input"
        case AxisChannel() if each.key == "pin":
            return "step"
    return "output"


def _off_at_boot(table: Table) -> Iterator[Finding]:
    """Checks that outputs that move a part are off while the board boots.

    A sensor is refused on a driven pin as well: its contact to ground would short the driver.
    """
    still = _still_outputs(table)
    for name, board, profile in profiled(table):
        for each in _pins(name, board):
            pin = profile.by_number.get(each.number)
            if pin is None or pin.reserved is not None:
                continue
            effect = _effect_at_boot(each, pin, still)
            if effect is not None:
                state = "driven" if pin.at_boot == "driven" else "pulled up"
                wrong = f"is {state} while the board boots: {effect} ({each.number})"
                note = f" Pin {pin.pin}: {pin.note}" if pin.note else ""
                yield Finding(each.path, wrong, _elsewhere(board, profile, each) + note)


def _effect_at_boot(each: _Pin, pin: PinProfile, still: frozenset[str]) -> str | None:
    """The damage that a pin's state at boot would do; None if there is none."""
    config = each.channel
    if isinstance(config, SensorChannel):
        return "its contact would short it to ground" if pin.at_boot == "driven" else None
    if not _moves(each, still) or pin.at_boot not in HIGH:
        return None
    if pin.at_boot == "pulled_up" and isinstance(config, OutputChannel) and config.safe:
        return None  # it is on while no host holds the lease, so also before the first lease
    return "the part that it moves would start"


def _still_outputs(table: Table) -> frozenset[str]:
    """The outputs that move no part of the table: lamps and the buzzer."""
    modules = table.modules
    names = [modules.ready]
    names += modules.tower.lamps.values() if modules.tower else ()
    names += [modules.buzzer.sounder] if modules.buzzer else []
    return frozenset(name for name in names if name)


def _moves(each: _Pin, still: frozenset[str]) -> bool:
    """Whether a high level at this pin can move a part; a direction alone moves nothing."""
    if isinstance(each.channel, OutputChannel):
        return each.path[3] not in still
    moving = isinstance(each.channel, MotorChannel | AxisChannel | DiceChannel)
    return moving and each.key != "direction_pin"


def _elsewhere(board: BoardConfig, profile: BoardProfile, each: _Pin) -> str:
    """The next step: the free pins that can do the same and are off at boot."""
    used = {
        wire
        for config in board.channels.values()
        for _, wires in _wires(profile, config)
        for wire in wires
    }
    free = [
        number
        for number in profile.able(_needed(each))
        if f"pin {number}" not in used
        and profile.by_number[number].reserved is None
        and profile.by_number[number].at_boot not in HIGH
    ]
    return f"Give a free pin: {pin_ranges(free)}." if free else "Exchange it with a lamp."


def _taken_once(table: Table) -> Iterator[Finding]:
    for name, board, profile in profiled(table):
        taken: dict[str, str] = {}
        for channel, config in board.channels.items():
            for key, wires in _wires(profile, config):
                owner = f"{channel}.{key}"
                clash = next((wire for wire in wires if wire in taken), None)
                if clash is not None:
                    path = ("boards", name, "channels", channel, key)
                    cure = "Give each its own pins and its own serial port."
                    yield Finding(path, f"is already used by {taken[clash]} ({clash})", cure)
                taken.update({wire: owner for wire in wires if wire not in taken})


def _wires(profile: BoardProfile, config: Channel) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The pins and ports that each key of a channel uses on its board."""
    for key in PIN_FIELDS:
        pin = getattr(config, key, None)
        if pin is not None:
            yield key, (f"pin {pin}",)
    if isinstance(config, DiceChannel | ReaderChannel) and config.port in profile.by_port:
        port = profile.by_port[config.port]
        yield "port", (f"port {config.port}", f"pin {port.sends}", f"pin {port.receives}")


def _steps_in_time(table: Table) -> Iterator[Finding]:
    """Checks that boards can make the steps of their axes, and count the time of their motions.

    With every axis of a board at its highest rate, no step is late, however often inputs change
    (decision 53): so the rate of each axis is the only limit, and their sum has none of its own.
    """
    for name, board, profile in profiled(table):
        for channel, config in board.channels.items():
            if not isinstance(config, AxisChannel) or not profile.axes:
                continue
            steps = config.speed * 1000 / config.step_mm
            if steps > profile.steps:
                path = ("boards", name, "channels", channel, "step_mm")
                wrong = f"needs {steps:.0f} steps a second at full speed ({config.step_mm:g} mm)"
                cure = f"A board makes at most {profile.steps}: give longer steps, or less speed."
                yield Finding(path, wrong, cure)
            if config.low < config.high and config.homing_seconds > LONGEST_MOTION:
                path = ("boards", name, "channels", channel, "speed")
                wrong = f"homes in {config.homing_seconds:.0f} s over the axis's whole length"
                cure = f"A motion takes at most {LONGEST_MOTION:.0f} s: give more speed."
                yield Finding(path, wrong, cure)


def _safety_inputs(table: Table) -> Iterator[Finding]:
    """Checks that emergency stop and light curtain are on the pins that the firmware monitors."""
    for name, board, profile in profiled(table):
        roles: dict[str, Role] = dict.fromkeys(table.modules.emergency, "emergency")
        roles |= dict.fromkeys(table.modules.curtain, "curtain")
        for channel, config in board.channels.items():
            pin = profile.reserved(roles[channel]) if channel in roles else None
            if pin is None or not isinstance(config, SensorChannel):
                continue
            path = ("boards", name, "channels", channel)
            if config.pin != pin:
                wrong = f"is a pin that the firmware does not monitor ({config.pin})"
                cure = f"Give {pin}, at which the board stops by itself."
                yield Finding((*path, "pin"), wrong, cure)
            elif config.active != "high":
                cure = "Give high: a broken wire then reads as a stop."
                yield Finding((*path, "active"), f"is not normally closed ({config.active})", cure)


CHECKS: tuple[Callable[[Table], Iterator[Finding]], ...] = (
    _chips,
    _devices,
    _abilities,
    _off_at_boot,
    _taken_once,
    _steps_in_time,
    _safety_inputs,
)
