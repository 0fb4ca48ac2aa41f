"""Proposes a table file like the model table's, with the pins that were learned.

A role is a channel of the model table; learning finds the wire for each role. What was learned so
far is kept in a file between two sessions.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import yaml

from config.durable_files import replace_file
from config.schema import MotorChannel, SensorChannel, Table
from config.validation.channels import plugs
from config.wire_list import WireList
from rules.errors import WallwrightError

VERSION = 1


class UnreadableStateError(WallwrightError):
    """The file with an earlier session's findings cannot be used; the text has the next step."""


@dataclass
class MotorFinding:
    """A motor wire whose part is known."""

    wire: str
    swapped: bool = False
    """Whether the wire's forward is the part's reverse, so that its two pins are exchanged."""
    seconds: float = 0.0
    """The measured time from end to end; 0 for a motor without two ends."""
    edges: dict[str, int] = field(default_factory=dict)
    """The activations of each sensor wire while the motor was tried."""


@dataclass
class SensorFinding:
    """A sensor wire whose place is known."""

    wire: str
    inverted: bool = False
    """Whether it is active while nothing actuates it, so that its `active` is exchanged."""
    by: str = "hand"
    """What has actuated it: `hand`, or the wire of a motor."""


@dataclass
class Findings:
    """The wires by the channels of the model table."""

    table: str
    motors: dict[str, MotorFinding] = field(default_factory=dict)
    sensors: dict[str, SensorFinding] = field(default_factory=dict)

    @property
    def wires(self) -> set[str]:
        """Every wire whose function is known."""
        motors = {each.wire for each in self.motors.values()}
        return motors | {each.wire for each in self.sensors.values()}

    def save(self, file: Path) -> None:
        """Write the findings; a crash while writing leaves the earlier file."""
        text = json.dumps({"version": VERSION, **asdict(self)}, indent=1) + "\n"
        replace_file(file, text.encode())

    @classmethod
    def load(cls, file: Path, table: str) -> Findings:
        """Read an earlier session's findings, or begin. Raises UnreadableStateError."""
        if not file.exists():
            return cls(table)
        try:
            values: dict[str, Any] = json.loads(file.read_text("utf-8"))
            found = cls(
                values["table"],
                {role: MotorFinding(**each) for role, each in values["motors"].items()},
                {role: SensorFinding(**each) for role, each in values["sensors"].items()},
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise UnreadableStateError(
                f"'{file}' is not the state of an earlier `wallwright learn`"
                f" ({type(error).__name__}); name another file with --state, or remove it."
            ) from error
        if found.table != table:
            raise UnreadableStateError(
                f"'{file}' has findings for a table like {found.table}, not {table}; name another"
                " file with --state."
            )
        return found


_WIDE = 10_000


def propose(wires: WireList, model: Table, findings: Findings) -> str:
    """The text of the table file. Raises KeyError for a role without a wire.

    Times that were measured replace those of the model. Everything else of the model, such as its
    field and its modules, is copied and has to be checked by a person.
    """
    values: dict[str, Any] = model.model_dump(mode="json", exclude_none=True, exclude_unset=True)
    lines = [
        f"# Learned by `wallwright learn` after the model of {model.name}. Measure and correct the",
        "# field, the tiles and the modules by hand; pins and directions were found by motion.",
        f"name: {wires.name}",
        f"title: {_flow(wires.title)}",
    ]
    lines += [f"{key}: {_flow(values[key])}" for key in ("sets", "tiles", "field")]
    lines.append("boards:")
    for board, config in wires.boards.items():
        lines += [f"  {board}:", f"    kind: {config.kind}", f"    address: {config.address}"]
        lines += [
            f"    {key}: {value}"
            for key in ("serial", "chip")
            if (value := getattr(config, key, None)) is not None
        ]
        lines += [f"    lease: {config.lease}", "    channels:"]
        lines += [
            f"      {name}: {_flow(channel)}{note}"
            for name, channel, note in _channels(wires, board, model, findings)
        ]
    modules = _timed(values["modules"], findings, model)
    text = yaml.safe_dump({"modules": modules}, sort_keys=False, width=_WIDE)
    return "\n".join(lines) + "\n" + text


def _channels(
    wires: WireList, board: str, model: Table, findings: Findings
) -> list[tuple[str, dict[str, Any], str]]:
    """The channels of one board in the order of the model: name, values, comment."""
    own = wires.boards[board].channels
    found = []
    for config in model.boards.values():
        for name, channel in config.channels.items():
            wire = _wire_of(name, findings)
            if wire not in own:
                continue
            values = own[wire].model_dump(mode="json", exclude_none=True, exclude_defaults=True)
            if isinstance(channel, MotorChannel):
                stops = {"forward_stop", "reverse_stop", "hold_while"}
                values |= channel.model_dump(include=stops, exclude_none=True)
                _swap(values, findings.motors[name].swapped)
            if isinstance(channel, SensorChannel) and _is_inverted(findings, name):
                values["active"] = "high" if values["active"] == "low" else "low"
            note = f" # {wire}" if wire != name else ""
            found.append((name, {"kind": own[wire].kind, **values}, note))
    return found


def _is_inverted(findings: Findings, sensor: str) -> bool:
    """Whether a sensor was active while nothing actuated it."""
    found = findings.sensors.get(sensor)
    return found is not None and found.inverted


def _wire_of(channel: str, findings: Findings) -> str:
    found = findings.motors.get(channel) or findings.sensors.get(channel)
    return found.wire if found is not None else channel


def _swap(values: dict[str, Any], swapped: bool) -> None:
    if swapped:
        values["pin"], values["reverse_pin"] = values["reverse_pin"], values["pin"]


def _timed(modules: dict[str, Any], findings: Findings, model: Table) -> dict[str, Any]:
    """The modules with the measured times of lid and lifts, rounded up to a tenth."""
    lid, trays = model.modules.lid, model.modules.trays
    if lid is not None and (found := findings.motors.get(lid.motor)) and found.seconds:
        modules["lid"]["seconds"] = _rounded(found.seconds)
    if trays is not None:
        times = [
            each.seconds
            for side in trays.sides
            if (each := findings.motors.get(side.lift)) and each.seconds
        ]
        if times:
            modules["trays"]["lift"] = _rounded(max(times))
    return modules


def _rounded(seconds: float) -> float:
    return math.ceil(round(seconds * 10, 3)) / 10


def _flow(value: object) -> str:
    """A value in one line of YAML."""
    text: str = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=_WIDE)
    return text.strip().removesuffix("...").strip()


@dataclass(frozen=True)
class Role:
    """A motor or sensor of the model table: its channel, and its name for people."""

    channel: str
    label: str
    reverses: bool = False
    far: str = ""
    """The sensor at the end of a motor's forward travel, if it has two ends."""
    near: str = ""
    """The sensor at the end of its reverse travel."""

    @property
    def travels(self) -> bool:
        """Whether the part moves between two limit switches."""
        return bool(self.far and self.near)


def motor_roles(table: Table) -> dict[str, Role]:
    """The motors of a table by channel, in the order of its modules."""
    found = {}
    for channel, label in _labels(table):
        config = table.channel(channel)
        if isinstance(config, MotorChannel):
            reverses = config.reverse_pin is not None
            far, near = config.forward_stop or "", config.reverse_stop or ""
            found[channel] = Role(channel, label, reverses, far, near)
    return found


def sensor_roles(table: Table) -> dict[str, Role]:
    """The sensors of a table by channel, without emergency stop and light curtain."""
    safety = {*table.modules.emergency, *table.modules.curtain}
    return {
        channel: Role(channel, label)
        for channel, label in _labels(table)
        if isinstance(table.channel(channel), SensorChannel) and channel not in safety
    }


def _labels(table: Table) -> list[tuple[str, str]]:
    """Each channel that a module names, once, with a name such as `heads ports 2 wheel`."""
    found: dict[str, str] = {}
    for path, _, channel in plugs(table.modules, ("modules",)):
        found.setdefault(channel, f"{channel} ({' '.join(str(step) for step in path[1:])})")
    return list(found.items())
