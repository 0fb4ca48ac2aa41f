"""`wallwright scan`: which serial ports there are, and what answers on them."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer
from serial.tools import list_ports

from controller.cli.options import KeysFile, keys_of
from firmware_bridge.commissioning.device_keys import SIMULATED, DeviceKeys, MissingKeyError
from firmware_bridge.commissioning.flashing import tree_hash
from firmware_bridge.commissioning.probe import SILENCE, ProbeAnswer, answers, introduced
from firmware_bridge.wire.errors import BoardSilentError


def scan(
    ports: Annotated[
        list[str] | None,
        typer.Argument(help="These ports, instead of all that are attached.", show_default=False),
    ] = None,
    keys: KeysFile = None,
) -> int:
    """List serial ports and the boards on them: who they are, how old their firmware is."""
    known = keys_of(keys)
    attached = {port.device: port.description for port in list_ports.comports()}
    asked = ports or sorted(attached)
    if not asked:
        typer.echo("No serial port is attached; plug a board in and scan again.")
        return 0
    for port in asked:
        what = f" ({attached[port]})" if attached.get(port, "n/a") != "n/a" else ""
        for line in _lines(port, known):
            typer.echo(f"{port}{what}: {line}")
    return 0


def _lines(port: str, keys: DeviceKeys) -> list[str]:
    try:
        found = asyncio.run(answers(port))
    except BoardSilentError as reason:
        return [str(reason)]
    current = tree_hash()
    lines = [
        f"{introduced(answer)}; build {build_of(answer, port, current)}; key {key_of(answer, keys)}"
        if answer.identity
        else f"{introduced(answer)}: wallwright firmware flash {port}"
        for answer in found
    ]
    return lines or [SILENCE]


def build_of(answer: ProbeAnswer, port: str, current: bytes | None) -> str:
    """Whether a board's build is that of the sources at hand (`current`, if there are any)."""
    if answer.serial.startswith(SIMULATED):
        return "simulated"
    if current is None:
        return "unknown, for there are no sources here to compare with"
    if answer.identity is not None and answer.identity.build == current:
        return "current"
    return f"older: wallwright firmware flash {port}"


def key_of(answer: ProbeAnswer, keys: DeviceKeys) -> str:
    """Whether this host knows the board's key, and the board too."""
    try:
        key = keys.of(answer.serial)
    except MissingKeyError:
        return "not on file: wallwright firmware provision gives it one"
    return "known" if answer.knows(key) else "another than on file: is it the right board?"
