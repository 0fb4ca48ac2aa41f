"""Every lead of a table with its pin, channel, part and supply, and the same as a WireViz document.

A lead is one pin of one channel. A motor that runs in both directions has two leads, and so has a
module on a serial port. Pins have the numbers that table files use.

The kind of a lead decides which supply its part needs. Motors, axes and outputs have drivers on the
motor supply, which the relay and the emergency stop interrupt. The relay's own coil, the lamp
tower, the buzzer and the panel are connected before the relay, because they must work while the
motors have no power. Modules on serial ports, lamp strips, sensors and measuring amplifiers need
5 V; a sensor that is a plain switch leaves the 5 V unused. The emergency stop and the light curtain
are contacts to ground.

WireViz, a separate program, draws the document and counts the wires. Each board is a connector with
its used pins. Each part of the table is a connector with one cable to the board and one to the
supplies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

import yaml

from config.board_profiles import BoardProfile, PortProfile, Role, profile_of
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
from config.validation.channels import plugs
from config.validation.checks import table_warnings


class Sort(Enum):
    """The kinds of leads; the drawing has one colour for each."""

    MOTOR = "motor"
    AXIS = "axis"
    OUTPUT = "output"
    STRIP = "strip"
    SENSOR = "sensor"
    SAFETY = "safety"
    SERIAL = "serial"
    ANALOG = "analogue"


class Lead(NamedTuple):
    """One pin of one channel; examples of `part` and `role` are "head 2" and "S1 counter"."""

    pin: int
    channel: str
    sort: Sort
    part: str
    role: str
    signal: str
    """The function of the pin in its channel: "forward", "reverse", "steps", "direction"."""
    out: bool
    """Whether the pin is an output."""
    level: str
    """The meaning of the level: "high drives", "pulled up, closes to ground"."""
    safe: str
    """The state of an output at its safe value; "" for an input."""


class Fixed(NamedTuple):
    """A pin with a fixed function in the board, independent of the table file."""

    pin: int
    short: str
    use: str
    taken: bool
    """Whether no channel can use the pin, as with the link to the host and the motor current."""


class BoardLeads(NamedTuple):
    """One board with all its pins."""

    name: str
    title: str
    chip: str
    """The name of the board's profile."""
    gpio: bool
    """Whether the pins are those of this computer."""
    leads: tuple[Lead, ...]
    """The leads of the board, ordered by pin."""
    fixed: tuple[Fixed, ...]
    free: tuple[int, ...]
    """Pins without a lead or a fixed function."""
    warnings: tuple[str, ...] = ()
    """What a person should know about the board, each with its key in the table's file."""


def leads_of(table: Table) -> tuple[BoardLeads, ...]:
    """Every board of a table with all its leads."""
    uses = _uses(table)
    warnings = table_warnings(table)
    return tuple(
        _board(
            name,
            board,
            uses,
            tuple(f"{each.key}: {each.text}" for each in warnings if each.board == name),
        )
        for name, board in table.boards.items()
    )


@dataclass(frozen=True)
class Use:
    """The part of the table that a channel belongs to, and its role there."""

    part: str
    role: str
    safety: bool = False


_FIXED: Mapping[Role, str] = {
    "link": "host link",
    "emergency": "emergency stop",
    "curtain": "light curtain",
    "motor_current": "motor current",
    "identity": "add-on identity",
}
"""The fixed functions of pins, in words that fit a drawing."""
_WITHOUT_CHANNEL: tuple[Role, ...] = ("link", "motor_current", "identity")
"""The fixed functions whose pins no channel can use."""


def _board(
    name: str, board: BoardConfig, uses: Mapping[str, Use], warnings: tuple[str, ...]
) -> BoardLeads:
    """One board with its leads, fixed pins and free pins."""
    profile = profile_of(board)
    gpio = board.kind == "gpio"
    leads = sorted(
        (
            lead
            for channel, config in board.channels.items()
            for lead in _leads(channel, config, uses.get(channel, Use("", channel)), profile)
        ),
        key=lambda lead: lead.pin,
    )
    fixed = tuple(_fixed(profile))
    used = {lead.pin for lead in leads} | {each.pin for each in fixed}
    free = tuple(pin.pin for pin in profile.pins if pin.pin not in used)
    place = "pins by Broadcom's numbers" if gpio else f"address {board.address}"
    title = f"{profile.title}, {place}"
    return BoardLeads(name, title, profile.name, gpio, tuple(leads), fixed, free, warnings)


def _fixed(profile: BoardProfile) -> Iterator[Fixed]:
    """The pins of a board that have a fixed function."""
    for pin in profile.pins:
        if pin.reserved is not None:
            taken = pin.reserved in _WITHOUT_CHANNEL
            yield Fixed(pin.pin, _FIXED[pin.reserved], pin.note, taken=taken)


# The function of each pin


def _leads(channel: str, config: Channel, use: Use, profile: BoardProfile) -> Iterator[Lead]:
    """The leads of one channel."""

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
            yield from _port(lead, profile.by_port[config.port])
        case ReaderChannel():
            yield from _port(lead, profile.by_port[config.port])
        case AnalogChannel():
            volts = profile.converter.volts if profile.converter else profile.logic
            yield lead(config.pin, Sort.ANALOG, "measures", f"0 to {volts:g} V")


def _port(lead: Callable[..., Lead], port: PortProfile) -> Iterator[Lead]:
    """The two leads of a module on a serial port."""
    line = f"serial port {port.port}, 115,200 baud"
    yield lead(port.sends, Sort.SERIAL, "sends (TX)", line, "idle")
    yield lead(port.receives, Sort.SERIAL, "receives (RX)", line)


def _drive(safe: int) -> tuple[str, str]:
    """Level and safe state of a motor's pin; `safe` is permille of full drive."""
    return "high drives", f"{safe / 10:g} %" if safe > 0 else "off"


def _closes(config: SensorChannel) -> str:
    """The meaning of a sensor's level."""
    if config.active == "low":
        return "pulled up, closes to ground"
    return "pulled up, normally closed"


# The use of each channel

_ROLES = {"counter": "S1", "vane": "S23", "full": "S6", "zero": "S4", "corner": "S5"}
"""Numbers that manuals of automatic mahjong tables give to sensors, by role."""
_PARTS = {
    "ports": "head",
    "sides": "tray",
    "walls": "wall",
}
_LANES = "lanes"


def _uses(table: Table) -> dict[str, Use]:
    """The use of every channel that a module or another channel names, by the channel."""
    uses: dict[str, Use] = {}
    for plug in plugs(table.modules, ("modules",)):
        use = _use(plug.path[1:])
        earlier = uses.get(plug.channel)
        if earlier is not None and earlier.part == use.part:
            use = Use(use.part, f"{earlier.role} and {use.role}")
        uses[plug.channel] = use
    for board in table.boards.values():
        for channel, config in board.channels.items():
            for switch, use in _switches(channel, config, uses):
                uses.setdefault(switch, use)
    return uses


def _use(path: Path) -> Use:
    """The use of the channel at a path of the table file's `modules`."""
    module, *rest = path
    if module in ("emergency", "curtain"):
        role = "emergency stop" if module == "emergency" else "light curtain"
        return Use("safety", role, safety=True)
    if not rest:
        return Use("panel", str(module))
    numbers = [each for each in rest if isinstance(each, int)]
    number = f" {numbers[0]}" if numbers else ""
    group, last = rest[0], rest[-1]
    if isinstance(group, str) and numbers:  # heads.ports.2.wheel, lamps.walls.2
        part = "lane" if module == _LANES else _PARTS.get(group, group)
        return Use(f"{part}{number}", _role(str(module if last is numbers[0] else last)))
    return Use(f"{module}{number}", _role(str(last)))


def _role(key: str) -> str:
    """A key of a module as words, with the sensor's number if it has one."""
    words = key.replace("_", " ")
    return f"{_ROLES[key]} {words}" if key in _ROLES else words


def _switches(channel: str, config: Channel, uses: Mapping[str, Use]) -> Iterable[tuple[str, Use]]:
    """Sensors that a channel of the board names: home switches and stops, with their uses."""
    keys = ("home_switch", "forward_stop", "reverse_stop", "hold_while")
    owner = uses.get(channel, Use("", channel))
    for key in keys:
        switch = getattr(config, key, None)
        if switch is not None:
            role = "home" if key == "home_switch" else key.replace("_", " ")
            yield switch, Use(owner.part, f"{owner.role} {role}")


class SupplyRail(Enum):
    """A supply rail to which parts are connected."""

    ALWAYS = "supply"
    MOTORS = "motor supply"
    LOGIC = "5 V"
    GROUND = "ground"


NEEDS = {
    Sort.MOTOR: (SupplyRail.MOTORS, SupplyRail.GROUND),
    Sort.AXIS: (SupplyRail.MOTORS, SupplyRail.GROUND),
    Sort.OUTPUT: (SupplyRail.MOTORS, SupplyRail.GROUND),
    Sort.STRIP: (SupplyRail.LOGIC, SupplyRail.GROUND),
    Sort.SENSOR: (SupplyRail.LOGIC, SupplyRail.GROUND),
    Sort.SAFETY: (SupplyRail.GROUND,),
    Sort.SERIAL: (SupplyRail.LOGIC, SupplyRail.GROUND),
    Sort.ANALOG: (SupplyRail.LOGIC, SupplyRail.GROUND),
}
"""The rails that a part on each sort of lead needs."""
ALWAYS_ON = ("relay", "tower", "buzzer", "panel")
"""Parts whose outputs keep their power while the motors have none."""
BOARD_NEEDS = (SupplyRail.LOGIC, SupplyRail.GROUND)
"""The rails that a board itself needs; on USB the host supplies both."""


class Fed(NamedTuple):
    """A part on one board, or the board itself (`part` is empty), with the rails that it needs."""

    board: str
    part: str
    supplies: tuple[SupplyRail, ...]

    @property
    def name(self) -> str:
        """The name for the document: the board and the part."""
        return f"{self.board}: {self.part}" if self.part else f"board {self.board}"


def fed_parts(table: Table) -> tuple[Fed, ...]:
    """Every board and every part of a table with the rails that it needs, board by board."""
    return tuple(fed for board in leads_of(table) for fed in _of_board(board))


def supplies_of(leads: Iterable[Lead]) -> tuple[SupplyRail, ...]:
    """The rails that these leads need together, in the order of `SupplyRail`."""
    needed = {rail for lead in leads for rail in _needs(lead)}
    return tuple(rail for rail in SupplyRail if rail in needed)


def _needs(lead: Lead) -> tuple[SupplyRail, ...]:
    """The rails that the part on one lead needs."""
    if lead.sort is Sort.OUTPUT and lead.part.partition(" ")[0] in ALWAYS_ON:
        return SupplyRail.ALWAYS, SupplyRail.GROUND
    return NEEDS[lead.sort]


def _of_board(board: BoardLeads) -> Iterable[Fed]:
    """Yield the board, then each of its parts, with the rails that they need."""
    yield Fed(board.name, "", BOARD_NEEDS)
    for part in dict.fromkeys(lead.part for lead in board.leads):
        leads = [lead for lead in board.leads if lead.part == part]
        yield Fed(board.name, part, supplies_of(leads))


SUPPLY = "supply"
"""The connector of the supplies: one pin for each rail."""
SUPPLY_PINS = {SupplyRail.LOGIC: "5V", SupplyRail.GROUND: "GND"}
"""The names of a board's contacts for its supplies."""
SIGNAL_MM2, POWER_MM2 = 0.25, 0.75
"""Cross sections of signal and power wires that docs/build/BENCH.md recommends, mm²."""

Document = dict[str, Any]


def wireviz_of(table: Table, boards: Sequence[BoardLeads] | None = None) -> str:
    """The document of a table's wiring; with `boards`, of these boards only."""
    chosen = leads_of(table) if boards is None else boards
    document: Document = {
        "metadata": {"title": f"{table.title} ({table.name})"},
        "connectors": {SUPPLY: _connector("supply", [each.value for each in SupplyRail])},
        "cables": {},
        "connections": [],
    }
    for board in chosen:
        _add_board(document, board)
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=100)


def _add_board(document: Document, board: BoardLeads) -> None:
    """Add the connector of a board and its parts.

    WireViz finds contacts by `pins`: the numbers of the board's pins, and names for the supplies.
    """
    contacts = {lead.pin: lead.channel for lead in board.leads}
    rails = {SUPPLY_PINS[rail]: rail.value for rail in BOARD_NEEDS}
    document["connectors"][board.name] = {
        "type": board.title.partition(",")[0],
        "pins": [*contacts, *rails],
        "pinlabels": [*contacts.values(), *rails.values()],
    }
    _add_power(document, board.name, BOARD_NEEDS, list(rails))
    for part in dict.fromkeys(lead.part for lead in board.leads):
        _add_part(document, board, part, [lead for lead in board.leads if lead.part == part])


def _add_part(document: Document, board: BoardLeads, part: str, leads: Sequence[Lead]) -> None:
    """Add the connector of a part, its cable to the board and its cable to the supplies."""
    name, rails = f"{board.name} {part}", supplies_of(leads)
    labels = [f"{lead.channel} {lead.signal}" for lead in leads]
    document["connectors"][name] = _connector(part, [*labels, *(rail.value for rail in rails)])
    document["cables"][f"{name} signals"] = _cable(labels, SIGNAL_MM2)
    numbers = list(range(1, len(leads) + 1))
    document["connections"].append(
        [
            {board.name: [lead.pin for lead in leads]},
            {f"{name} signals": numbers},
            {name: numbers},
        ]
    )
    first = len(leads) + 1
    _add_power(document, name, rails, list(range(first, first + len(rails))))


def _add_power(
    document: Document, connector: str, rails: Sequence[SupplyRail], contacts: Sequence[int | str]
) -> None:
    """Add a cable from the supplies to these contacts of a connector."""
    cable = f"{connector} power"
    document["cables"][cable] = _cable([rail.value for rail in rails], POWER_MM2)
    every = list(SupplyRail)
    document["connections"].append(
        [
            {SUPPLY: [every.index(rail) + 1 for rail in rails]},
            {cable: list(range(1, len(rails) + 1))},
            {connector: list(contacts)},
        ]
    )


def _connector(kind: str, labels: Sequence[str]) -> Document:
    return {"type": kind, "pinlabels": list(labels)}


def _cable(labels: Sequence[str], mm2: float) -> Document:
    return {"wirecount": len(labels), "wirelabels": list(labels), "gauge": f"{mm2:g} mm2"}
