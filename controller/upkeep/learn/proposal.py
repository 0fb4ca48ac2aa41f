"""The proposal: a table file like the model, with the pins that were learned."""

from __future__ import annotations

import math
from typing import Any

import yaml

from config.schema import MotorChannel, SensorChannel, Table
from config.wire_list import WireList
from controller.upkeep.learn.findings import Findings

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
