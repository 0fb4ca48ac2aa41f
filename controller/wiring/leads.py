"""Every lead of a board: its pin, what hangs on it, and which part of the table that belongs to.

A lead is one pin of one channel; a motor that runs both ways has two, a module on a serial port
too. Pins have the numbers that configurations give them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from config.errors import Path
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
    StripChannel,
    Table,
)
from config.validation.channels import CURRENT_PIN, CURTAIN_PIN, EMERGENCY_PIN, plugs

MEGA_PINS, PI_PINS = range(70), range(2, 28)
LINK_RECEIVES, LINK_SENDS = 0, 1
SENDS = {1: 18, 2: 16, 3: 14}
"""By serial port, the pin on which a Mega 2560 sends to a module."""
RECEIVES = {1: 19, 2: 17, 3: 15}


class Sort(Enum):
    """What a lead carries; the drawing has a colour for each."""

    MOTOR = "motor"
    AXIS = "axis"
    OUTPUT = "output"
    STRIP = "strip"
    SENSOR = "sensor"
    SAFETY = "safety"
    SERIAL = "serial"
    ANALOG = "analogue"


class Lead(NamedTuple):
    """One pin, and what it does for one channel; `part` is "head 2", `role` "S1"."""

    pin: int
    channel: str
    sort: Sort
    part: str
    role: str
    signal: str
    """What this pin of the channel is: "forward", "reverse", "steps", "direction"."""
    out: bool
    level: str
    """How a wire says yes: "closes to ground", or "high drives"."""
    safe: str
    """What the board does with it when it lets go of everything; "" for an input."""


class Fixed(NamedTuple):
    """A pin that the board itself has a use for, whatever its table says."""

    pin: int
    short: str
    use: str
    taken: bool
    """Whether no channel may have it: the link to the host, the motors' current."""


class BoardLeads(NamedTuple):
    """One board, whole."""

    name: str
    title: str
    gpio: bool
    leads: tuple[Lead, ...]
    """By pin."""
    fixed: tuple[Fixed, ...]
    free: tuple[int, ...]


def leads_of(table: Table) -> tuple[BoardLeads, ...]:
    """Every board of a table with all its leads."""
    uses = _uses(table)
    return tuple(_board(name, board, uses) for name, board in table.boards.items())


@dataclass(frozen=True)
class Use:
    """What a channel is for."""

    part: str
    role: str
    safety: bool = False


_FIXED = (
    Fixed(LINK_RECEIVES, "host, RX", "the line to the host, receiving: USB has it", taken=True),
    Fixed(LINK_SENDS, "host, TX", "the line to the host, sending: USB has it", taken=True),
    Fixed(
        EMERGENCY_PIN,
        "emergency stop",
        "emergency stop, normally closed to ground: open, and all outputs are safe at once",
        taken=False,
    ),
    Fixed(
        CURTAIN_PIN,
        "light curtain",
        "light curtain, normally closed to ground: open, and what it guards stops",
        taken=False,
    ),
    Fixed(
        CURRENT_PIN,
        "motor current",
        "current of all motors: 1 mV is 1 mA; to ground if nothing measures it",
        taken=True,
    ),
)


def _board(name: str, board: BoardConfig, uses: Mapping[str, Use]) -> BoardLeads:
    gpio = board.kind == "gpio"
    leads = sorted(
        (
            lead
            for channel, config in board.channels.items()
            for lead in _leads(channel, config, uses.get(channel, Use("", channel)))
        ),
        key=lambda lead: lead.pin,
    )
    fixed = () if gpio else _FIXED
    used = {lead.pin for lead in leads} | {each.pin for each in fixed}
    free = tuple(pin for pin in (PI_PINS if gpio else MEGA_PINS) if pin not in used)
    title = (
        "Raspberry Pi, pins by Broadcom's numbers"
        if gpio
        else f"Arduino Mega 2560, address {board.address}"
    )
    return BoardLeads(name, title, gpio, tuple(leads), fixed, free)


# What a pin does


def _leads(channel: str, config: Channel, use: Use) -> Iterator[Lead]:
    def lead(pin: int, sort: Sort, signal: str, level: str, safe: str = "") -> Lead:
        is_out = bool(safe)
        return Lead(pin, channel, sort, use.part, use.role, signal, is_out, level, safe)

    match config:
        case MotorChannel():
            both = config.reverse_pin is not None
            yield lead(config.pin, Sort.MOTOR, "forward" if both else "runs", *_drive(config.safe))
            if config.reverse_pin is not None:
                yield lead(config.reverse_pin, Sort.MOTOR, "reverse", *_drive(-config.safe))
        case OutputChannel():
            safe = "on" if config.safe else "off"
            yield lead(config.pin, Sort.OUTPUT, "switches", "high is on", safe)
        case StripChannel():
            safe = f"{config.safe.bit_count()} lit" if config.safe else "dark"
            yield lead(config.pin, Sort.STRIP, f"{config.lamps} lamps", "WS2812 data", safe)
        case SensorChannel():
            sort = Sort.SAFETY if use.safety else Sort.SENSOR
            yield lead(config.pin, sort, "reads", _closes(config))
        case AxisChannel():
            yield lead(config.pin, Sort.AXIS, "steps", f"{config.step_mm:g} mm a step", "low")
            yield lead(config.direction_pin, Sort.AXIS, "direction", "high is up", "low")
        case DiceChannel():
            yield lead(config.pin, Sort.MOTOR, "shakes", "high drives", "off")
            yield from _port(lead, config.port)
        case ReaderChannel():
            yield from _port(lead, config.port)
        case AnalogChannel():
            yield lead(config.pin, Sort.ANALOG, "measures", "0 to 5 V")


def _port(lead: Callable[..., Lead], port: int) -> Iterator[Lead]:
    line = f"serial port {port}, 115,200 baud"
    yield lead(SENDS[port], Sort.SERIAL, "asks (TX)", line, "idle")
    yield lead(RECEIVES[port], Sort.SERIAL, "hears (RX)", line)


def _drive(safe: int) -> tuple[str, str]:
    return "high drives", f"{safe / 10:g} %" if safe > 0 else "off"


def _closes(config: SensorChannel) -> str:
    if config.active == "low":
        return "pulled up, closes to ground"
    return "pulled up, normally closed"


# What it is for

_ROLES = {"counter": "S1", "vane": "S23", "full": "S6", "zero": "S4", "corner": "S5"}
"""Sensors that manuals of such tables have numbers for."""
_PARTS = {
    "ports": "head",
    "sides": "tray",
    "walls": "wall",
}
_LANES = "lanes"


def _uses(table: Table) -> dict[str, Use]:
    uses: dict[str, Use] = {}
    for plug in plugs(table.modules, ("modules",)):
        use = _use(plug.path[1:])
        known = uses.get(plug.channel)
        if known is not None and known.part == use.part:
            use = Use(use.part, f"{known.role} and {use.role}")
        uses[plug.channel] = use
    for board in table.boards.values():
        for channel, config in board.channels.items():
            for switch, role in _switches(channel, config, uses):
                uses.setdefault(switch, role)
    return uses


def _use(path: Path) -> Use:
    """The part and the role of what a path in `modules` names."""
    module, *rest = path
    if module in ("emergency", "curtain"):
        named = "emergency stop" if module == "emergency" else "light curtain"
        return Use("safety", named, safety=True)
    if not rest:
        return Use("panel", str(module))
    numbers = [each for each in rest if isinstance(each, int)]
    number = f" {numbers[0]}" if numbers else ""
    group, last = rest[0], rest[-1]
    if isinstance(group, str) and numbers:  # heads.ports.2.wheel, lamps.walls.2
        part = "lane" if module == _LANES else _PARTS.get(group, group)
        return Use(f"{part}{number}", _role(str(module if last is numbers[0] else last)))
    return Use(f"{module}{number}", _role(str(last)))


def _role(word: str) -> str:
    plain = word.replace("_", " ")
    return f"{_ROLES[word]} {plain}" if word in _ROLES else plain


def _switches(channel: str, config: Channel, uses: Mapping[str, Use]) -> Iterable[tuple[str, Use]]:
    """Sensors that only a channel of the board names: home switches, and stops of no module."""
    named = ("home_switch", "forward_stop", "reverse_stop", "hold_while")
    part = uses.get(channel, Use("", channel))
    for key in named:
        switch = getattr(config, key, None)
        if switch is not None:
            word = "home" if key == "home_switch" else key.replace("_", " ")
            yield switch, Use(part.part, f"{part.role} {word}")
