"""Names channels by the parts that they belong to."""

from __future__ import annotations

from collections.abc import Iterator

from config.schema import Table
from config.validation.channels import plugs


def named(table: Table) -> Iterator[tuple[str, str, str]]:
    """Every channel that a module names, once: the channel, its part, and its role there."""
    seen = set()
    for path, _, channel in plugs(table.modules, ("modules",)):
        if channel not in seen:
            seen.add(channel)
            yield channel, *_called(tuple(str(each) for each in path[1:]))


def _called(path: tuple[str, ...]) -> tuple[str, str]:
    """A part by its usual name, and the rest: ("head 2", "wheel")."""
    match path:
        case ("heads", "ports", number, what):
            return f"head {number}", what
        case ("trays", "sides", number, what):
            return f"lift {number}", what
        case ("lanes", "seats", number, what):
            return f"hand lane {number}", what
        case ("lamps", "walls", number):
            return f"wall {number}", "lamps"
        case (part, number) if number.isdecimal():
            return part, f"sensor {int(number) + 1}"
        case (part,):
            return "table", f"{part} lamp"
        case (part, *_, what):
            return part, what
    raise AssertionError(path)
