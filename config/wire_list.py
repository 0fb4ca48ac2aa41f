"""Wire lists: the boards and pins of an existing table whose functions are not known yet.

    wires = load_wire_list("my_table.wires.yaml")

`wallwright learn` moves one motor of the list at a time and finds out what each wire does. A wire
list has the same boards and channels as a table, but no modules. Motors and sensors have any names.
Emergency stop and light curtain are named, because a board watches them from the start. A channel
that has the name of a channel of the table to be learned counts as known.
"""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import ValidationError

from config.electrical_profiles import with_defaults
from config.errors import Finding, located
from config.loader import read
from config.schema import BoardConfig, Part, SensorChannel
from config.strict_yaml import Document
from config.validation.messages import findings


class WireList(Part):
    """The boards of a table and their wires."""

    name: str
    """The name of the table that is learned."""
    title: str
    """The title of the table, for people."""
    boards: dict[str, BoardConfig]
    """The boards by name."""
    emergency: tuple[str, ...]
    """The emergency stop of every board."""
    curtain: tuple[str, ...] = ()
    """The light curtain of every board, if there is one."""


def load_wire_list(path: str | Path) -> WireList:
    """Loads and checks a wire list. Raises ConfigErrors."""
    document = with_defaults(read(path))
    return _checked(document)


def _checked(document: Document) -> WireList:
    try:
        wires = WireList.model_validate_json(json.dumps(document.value))
    except ValidationError as error:
        raise located(document.file, document.lines, findings(error, WireList)) from None
    defects = [*_twice(wires), *_unprotected(wires)]
    if defects:
        raise located(document.file, document.lines, defects)
    return wires


def _twice(wires: WireList) -> list[Finding]:
    """Names and pins that occur twice; a motor on a pin of another one would move it too."""
    found, names = [], set()
    for board, config in wires.boards.items():
        pins: dict[int, str] = {}
        for name, channel in config.channels.items():
            path = ("boards", board, "channels", name)
            if name in names:
                found.append(Finding(path, "is the name of another wire", "Rename one of the two."))
            names.add(name)
            for key in ("pin", "reverse_pin", "direction_pin"):
                pin = getattr(channel, key, None)
                if pin is None:
                    continue
                if pin in pins:
                    wrong = f"is already used by {pins[pin]} (pin {pin})"
                    found.append(Finding((*path, key), wrong, "Give each wire its own pin."))
                pins.setdefault(pin, name)
    return found


def _unprotected(wires: WireList) -> list[Finding]:
    found = []
    for board, config in wires.boards.items():
        own = [name for name in wires.emergency if name in config.channels]
        if not own or not isinstance(config.channels[own[0]], SensorChannel):
            wrong = f"has no emergency stop ('{board}')"
            cure = "Add a sensor for it and name it in `emergency`; nothing is moved without it."
            found.append(Finding(("boards", board), wrong, cure))
    return found
