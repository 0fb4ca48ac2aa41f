"""The whole map from a table's events, faults and commands to the codes of a casino's host."""

from __future__ import annotations

from controller.casino.command_map import COMMANDS
from controller.casino.event_map import EVENTS, OTHERS
from controller.casino.fault_map import FAULTS
from controller.casino.host_codes import G2S, SAS, HostRow

MAP_VERSION = 1
"""Version of the map as JSON: raised when a key is renamed, removed or changes its meaning."""


def host_map() -> dict[str, object]:
    """The map as plain JSON values."""
    return {
        "map_version": MAP_VERSION,
        "sas": dict(SAS),
        "g2s": dict(G2S),
        "events": [row.as_json() for row in EVENTS.values()],
        "faults": [row.as_json() for row in FAULTS.values()],
        "commands": [row.as_json() for row in COMMANDS.values()],
        "others": [row.as_json() for row in OTHERS],
    }


def sections() -> dict[str, tuple[HostRow, ...]]:
    """The rows of the map by the title of their section."""
    return {
        "Events of the audit log": tuple(EVENTS.values()),
        "Faults": tuple(FAULTS.values()),
        "Commands": tuple(COMMANDS.values()),
        "Others": OTHERS,
    }
