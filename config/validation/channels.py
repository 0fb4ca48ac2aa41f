"""Validates wiring: the pins of every channel suit its board, and every reference names a channel.

A serial board is an Arduino Mega 2560. Its pins 0 and 1 are the serial line to the host. Pins 54 to
69 are the analogue inputs; pin 69 measures the current of the motors. Each of the serial ports 1 to
3 takes two pins. A gpio board is the header of a Raspberry Pi, with Broadcom's numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from config.errors import Finding, Path, instead
from config.schema import (
    AnalogChannel,
    AxisChannel,
    BoardConfig,
    BuzzerModule,
    ChainModule,
    Channel,
    DiceChannel,
    DiceModule,
    DrumModule,
    FlipperModule,
    GantryModule,
    HeadModule,
    KeysModule,
    LampsModule,
    LaneModule,
    LidModule,
    Modules,
    MotorChannel,
    Part,
    ReaderChannel,
    ReaderModule,
    RelayModule,
    SensorChannel,
    Table,
    TowerModule,
    TrayModule,
)

SHORTEST_LEASE, LONGEST_LEASE = 0.1, 2.0
"""Seconds. A busy host cannot renew a shorter lease in time; with a longer lease, motors run on for
too long after the host has died."""

PORT_PINS = {1: (18, 19), 2: (16, 17), 3: (14, 15)}
EMERGENCY_PIN, CURTAIN_PIN, CURRENT_PIN = 20, 21, 69
"""Pins of a serial board: the firmware stops its outputs by the first two, regardless of the table
file, and measures the current of all its motors at the third."""
MOST_STEPS = 8000
"""Maximum steps a second of a serial board's firmware (benchmarks/firmware_reflex.py)."""
_PIN_FIELDS = ("pin", "reverse_pin", "direction_pin")
_PI_PINS = range(2, 28)
_OUTPUT_PINS = range(2, 54)
_INPUT_PINS = range(2, CURRENT_PIN)
_ANALOG_PINS = range(54, CURRENT_PIN)

_MOTOR, _SENSOR, _AXIS, _ANALOG = ("motor",), ("sensor",), ("axis",), ("analog",)
_PUSHED = ("motor", "output")

PLUGS: dict[type[Part], dict[str, tuple[str, ...]]] = {
    LidModule: {"motor": _MOTOR, "opened": _SENSOR, "closed": _SENSOR},
    DrumModule: {"motor": _MOTOR, "current": _ANALOG},
    HeadModule: {
        "wheel": _MOTOR,
        "belt": _MOTOR,
        "belt_current": _ANALOG,
        "counter": _SENSOR,
        "pusher": _MOTOR,
        "vane": _SENSOR,
        "full": _SENSOR,
        "face": _SENSOR,
        "turner": _PUSHED,
    },
    TrayModule: {"lift": _MOTOR, "up": _SENSOR, "down": _SENSOR},
    ChainModule: {"motor": _MOTOR, "zero": _SENSOR, "corner": _SENSOR},
    LaneModule: {"gate": ("output",), "presenter": _MOTOR, "presented": _SENSOR, "home": _SENSOR},
    FlipperModule: {"motor": _MOTOR, "flipped": _SENSOR, "home": _SENSOR},
    DiceModule: {"unit": ("dice",)},
    GantryModule: {
        "x": _AXIS,
        "y": _AXIS,
        "z": _AXIS,
        "grip": _MOTOR,
        "gripped": _SENSOR,
        "released": _SENSOR,
        "wide": ("output",),
        "turn": _MOTOR,
        "straight": _SENSOR,
        "crossed": _SENSOR,
        "loaded": _SENSOR,
        "turner": _MOTOR,
        "turner_home": _SENSOR,
        "turner_over": _SENSOR,
    },
    ReaderModule: {"unit": ("reader",)},
    KeysModule: {"lid": _SENSOR, "done": _SENSOR},
    LampsModule: {"walls": ("strip",)},
    RelayModule: {"coil": ("output",), "contact": _SENSOR},
    TowerModule: {"red": ("output",), "amber": ("output",), "green": ("output",)},
    BuzzerModule: {"sounder": ("output",)},
    Modules: {"ready": ("output",), "emergency": _SENSOR, "curtain": _SENSOR},
}
"""For each module, the keys that name channels, and the allowed kinds of those channels."""

_SWITCHES: dict[type[Part], tuple[str, ...]] = {
    MotorChannel: ("forward_stop", "reverse_stop", "hold_while"),
    AxisChannel: ("home_switch",),
}
"""For each kind of channel, the keys that name sensors, which the board itself monitors."""


class PinUse(NamedTuple):
    """A key that names a channel, and the allowed kinds of that channel."""

    path: Path
    kinds: tuple[str, ...]
    channel: str


def plugs(part: Part, path: Path) -> Iterator[PinUse]:
    """Yields every key in a module, and in the modules within it, that names a channel."""
    kinds = PLUGS.get(type(part), {})
    for name, value in part:
        for key, each in _each(value, (*path, name)):
            if isinstance(each, Part):
                yield from plugs(each, key)
            elif name in kinds and isinstance(each, str):
                yield PinUse(key, kinds[name], each)


def _each(value: object, path: Path) -> Iterator[tuple[Path, object]]:
    if isinstance(value, tuple):
        yield from (((*path, at), each) for at, each in enumerate(value))
    else:
        yield path, value


def _channels(table: Table) -> Iterator[tuple[str, BoardConfig, str, Channel]]:
    for name, board in table.boards.items():
        for channel, config in board.channels.items():
            yield name, board, channel, config


def _leases(table: Table) -> Iterator[Finding]:
    for name, board in table.boards.items():
        if not SHORTEST_LEASE <= board.lease <= LONGEST_LEASE:
            cure = f"Give {SHORTEST_LEASE} to {LONGEST_LEASE} seconds."
            yield Finding(("boards", name, "lease"), f"is out of range ({board.lease})", cure)


def _addresses(table: Table) -> Iterator[Finding]:
    taken: dict[int, str] = {}
    for name, board in table.boards.items():
        if board.kind == "serial":
            first = taken.setdefault(board.address, name)
            if first != name:
                wrong = f"is also the address of board '{first}' ({board.address})"
                cure = "Give each board on the line its own address, 0 to 7."
                yield Finding(("boards", name, "address"), wrong, cure)


def _names(table: Table) -> Iterator[Finding]:
    taken: dict[str, str] = {}
    for name, _, channel, _ in _channels(table):
        first = taken.setdefault(channel, name)
        if first != name:
            wrong = f"is also the name of a channel of board '{first}' ('{channel}')"
            yield Finding(("boards", name, "channels", channel), wrong, "Rename one of the two.")


def _pins_in_range(table: Table) -> Iterator[Finding]:
    for name, board, channel, config in _channels(table):
        pins, whose = _allowed(board, config)
        for key in _PIN_FIELDS:
            pin = getattr(config, key, None)
            if pin is not None and pin not in pins:
                cure = f"Give {pins.start} to {pins.stop - 1}."
                path = ("boards", name, "channels", channel, key)
                yield Finding(path, f"is not a pin for {whose} ({pin})", cure)


def _allowed(board: BoardConfig, config: Channel) -> tuple[range, str]:
    if board.kind == "gpio":
        return _PI_PINS, "a gpio board"
    match config:
        case AnalogChannel():
            return _ANALOG_PINS, "an analogue input of a serial board"
        case SensorChannel():
            return _INPUT_PINS, "an input of a serial board"
    return _OUTPUT_PINS, "an output of a serial board"


def _no_ports_on_gpio(table: Table) -> Iterator[Finding]:
    for name, board, channel, config in _channels(table):
        if board.kind == "gpio" and isinstance(config, DiceChannel | ReaderChannel | AnalogChannel):
            wrong = f"is not possible on a gpio board ({config.kind})"
            path = ("boards", name, "channels", channel, "kind")
            yield Finding(path, wrong, "Move it to a serial board.")


def _taken_once(table: Table) -> Iterator[Finding]:
    for name, board in table.boards.items():
        taken: dict[str, str] = {}
        for channel, config in board.channels.items():
            for key, wires in _wires(config):
                owner = f"{channel}.{key}"
                clash = next((wire for wire in wires if wire in taken), None)
                if clash is not None:
                    path = ("boards", name, "channels", channel, key)
                    cure = "Give each its own pins and its own serial port."
                    yield Finding(path, f"is already used by {taken[clash]} ({clash})", cure)
                taken.update({wire: owner for wire in wires if wire not in taken})


def _wires(config: Channel) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The pins and ports that each key of a channel uses on its board."""
    for key in _PIN_FIELDS:
        pin = getattr(config, key, None)
        if pin is not None:
            yield key, (f"pin {pin}",)
    if isinstance(config, DiceChannel | ReaderChannel):
        yield "port", (f"port {config.port}", *(f"pin {pin}" for pin in PORT_PINS[config.port]))


def _switches(table: Table) -> Iterator[Finding]:
    for name, board, channel, config in _channels(table):
        for key in _SWITCHES.get(type(config), ()):
            switch = getattr(config, key)
            if switch is None:
                continue
            path = ("boards", name, "channels", channel, key)
            found = board.channels.get(switch)
            if found is None:
                yield Finding(path, *_no_switch(table, name, switch))
            elif found.kind != "sensor":
                wrong = f"is a channel of kind {found.kind}, not sensor ('{switch}')"
                yield Finding(path, wrong, "Name a sensor.")


def _no_switch(table: Table, board: str, switch: str) -> tuple[str, str]:
    for elsewhere, config in table.boards.items():
        if switch in config.channels:
            cure = f"Wire it to '{board}': a board stops its motors only by its own switches."
            return f"is on board '{elsewhere}' ('{switch}')", cure
    return f"is not a channel ('{switch}')", instead(
        switch, _of_kind(table.boards[board], "sensor")
    )


def _of_kind(board: BoardConfig, *kinds: str) -> list[str]:
    return [name for name, config in board.channels.items() if config.kind in kinds]


def _stops_differ(table: Table) -> Iterator[Finding]:
    for name, _, channel, config in _channels(table):
        if (
            isinstance(config, MotorChannel)
            and config.forward_stop is not None
            and config.forward_stop == config.reverse_stop
        ):
            path = ("boards", name, "channels", channel, "reverse_stop")
            wrong = f"is also its forward_stop ('{config.reverse_stop}')"
            yield Finding(path, wrong, "Name the switch at the other end.")


def _axis_limits(table: Table) -> Iterator[Finding]:
    for name, _, channel, config in _channels(table):
        if isinstance(config, AxisChannel) and config.low >= config.high:
            path = ("boards", name, "channels", channel, "low")
            wrong = f"must be below `high` ({config.low:g}, and high is {config.high:g})"
            yield Finding(path, wrong, "Give the lower limit as `low`, in metres.")


def _steps_in_time(table: Table) -> Iterator[Finding]:
    for name, _, channel, config in _channels(table):
        if isinstance(config, AxisChannel) and config.speed * 1000 / config.step_mm > MOST_STEPS:
            path = ("boards", name, "channels", channel, "step_mm")
            steps = config.speed * 1000 / config.step_mm
            wrong = f"needs {steps:.0f} steps a second at full speed ({config.step_mm:g} mm)"
            cure = f"A board makes at most {MOST_STEPS}: give longer steps, or less speed."
            yield Finding(path, wrong, cure)


def _safety_inputs(table: Table) -> Iterator[Finding]:
    """Checks that emergency stop and light curtain are on the pins that the firmware monitors."""
    modules = table.modules
    inputs = dict.fromkeys(modules.emergency, EMERGENCY_PIN)
    inputs |= dict.fromkeys(modules.curtain, CURTAIN_PIN)
    for name, board, channel, config in _channels(table):
        if board.kind == "serial" and channel in inputs and isinstance(config, SensorChannel):
            pin, path = inputs[channel], ("boards", name, "channels", channel)
            if config.pin != pin:
                wrong = f"is a pin that the firmware does not monitor ({config.pin})"
                cure = f"Give {pin}, at which the board stops by itself."
                yield Finding((*path, "pin"), wrong, cure)
            elif config.active != "high":
                cure = "Give high: a broken wire then reads as a stop."
                yield Finding((*path, "active"), f"is not normally closed ({config.active})", cure)


def _plugs_fit(table: Table) -> Iterator[Finding]:
    configs = {channel: config for _, _, channel, config in _channels(table)}
    for path, kinds, channel in plugs(table.modules, ("modules",)):
        if channel not in configs:
            known = [name for name, config in configs.items() if config.kind in kinds]
            yield Finding(path, f"no board has this channel ('{channel}')", instead(channel, known))
        elif configs[channel].kind not in kinds:
            wrong = f"is a channel of kind {configs[channel].kind}, not {' or '.join(kinds)}"
            yield Finding(path, f"{wrong} ('{channel}')", f"Name a channel of kind {kinds[0]}.")


def _plugged_once(table: Table) -> Iterator[Finding]:
    """Checks that each channel has one use; those of `modules.keys` may have more."""
    taken: dict[str, Path] = {}
    for path, _, channel in plugs(table.modules, ("modules",)):
        first = taken.setdefault(channel, path)
        if first != path and path[:2] != ("modules", "keys") != first[:2]:
            wrong = f"is also {'.'.join(map(str, first))} ('{channel}')"
            yield Finding(path, wrong, "Give each its own channel.")


def _all_used(table: Table) -> Iterator[Finding]:
    used = {plug.channel for plug in plugs(table.modules, ("modules",))}
    for _, _, _, config in _channels(table):
        used.update(getattr(config, key) for key in _SWITCHES.get(type(config), ()))
    for name, _, channel, _ in _channels(table):
        if channel not in used:
            path = ("boards", name, "channels", channel)
            cure = "Name it in a module, or remove it."
            yield Finding(path, f"no module uses this channel ('{channel}')", cure)


def _safety_everywhere(table: Table) -> Iterator[Finding]:
    modules = table.modules
    for name, board in table.boards.items():
        if not set(modules.emergency) & board.channels.keys():
            wrong = f"has no emergency stop ('{name}')"
            cure = "Add a sensor for it here and name it in `modules.emergency`."
            yield Finding(("boards", name), wrong, cure)
        if modules.curtain and not set(modules.curtain) & board.channels.keys():
            wrong = f"has no light curtain, but other boards have one ('{name}')"
            cure = "Add a sensor for it here and name it in `modules.curtain`."
            yield Finding(("boards", name), wrong, cure)


CHECKS: tuple[Callable[[Table], Iterator[Finding]], ...] = (
    _leases,
    _addresses,
    _names,
    _no_ports_on_gpio,
    _pins_in_range,
    _taken_once,
    _switches,
    _stops_differ,
    _axis_limits,
    _steps_in_time,
    _safety_inputs,
    _plugs_fit,
    _plugged_once,
    _all_used,
    _safety_everywhere,
)
