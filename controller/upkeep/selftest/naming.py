"""Names the channels of a table by the parts to which they belong."""

from __future__ import annotations

from collections.abc import Iterator

from config.schema import Table
from config.validation.channels import plugs


def named_channels(table: Table) -> Iterator[tuple[str, str, str]]:
    """Every channel that a module names, once: the channel, its part, and its role in the part."""
    seen = set()
    for path, _, channel in plugs(table.modules, ("modules",)):
        if channel not in seen:
            seen.add(channel)
            yield channel, *_part_and_role(tuple(str(each) for each in path[1:]))


def _part_and_role(path: tuple[str, ...]) -> tuple[str, str]:
    """The usual name of a part and the role of a channel in it: ("head 2", "wheel")."""
    match path:
        case ("heads", "ports", number, role):
            return f"head {number}", role
        case ("trays", "sides", number, role):
            return f"lift {number}", role
        case ("lanes", "seats", number, role):
            return f"hand lane {number}", role
        case ("lamps", "walls", number):
            return f"wall {number}", "lamps"
        case (part, number) if number.isdecimal():
            return part, f"sensor {int(number) + 1}"
        case (part,):
            return "table", f"{part} lamp"
        case (part, *_, role):
            return part, role
    raise AssertionError(path)
