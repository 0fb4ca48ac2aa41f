"""What a lie excuses: which mechanisms may refuse an order after it, and for how long.

A sensor that lied, and tiles that came double or strange, can leave tiles where no sensor sees
them. Then the mechanisms that meet those tiles on their further way may refuse an order, and the
table cannot know better. Nothing else may: every other refusal is the table's own fault.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from config.schema import Modules, Part

BLIND = frozenset(
    {"bouncing_sensor", "dirty_sensor", "stuck_sensor", "double_feed", "extra_tile", "foreign_tile"}
)
"""What may leave tiles where no sensor sees them."""


def may_refuse(modules: Modules, mishaps: Iterable[tuple[str, str]]) -> frozenset[str]:
    """The channels of all mechanisms that may refuse an order after these: each kind and part."""
    lies = {part for kind, part in mishaps if kind in BLIND}
    return frozenset(channel for part in lies for channel in _on_its_way(modules, part))


def _on_its_way(modules: Modules, part: str) -> Iterator[str]:
    """What the tiles meet from this part on: itself, and what comes after it."""
    heads = modules.heads.ports if modules.heads else ()
    sides = modules.trays.sides if modules.trays else ()
    seats = modules.lanes.seats if modules.lanes else ()
    top = (modules.gantry, modules.flipper, modules.reader)
    for number, head in enumerate(heads):
        if part in ("drum", f"head{number}") or part in _channels(head):
            trays = [side for tray, side in enumerate(sides) if tray in head.trays]
            yield from _channels(head, *trays, modules.chain, *seats, *top)
    if part in _channels(modules.chain):
        yield from _channels(modules.chain, *sides, *top)
    for module in (*sides, *seats):
        if part in _channels(module):
            yield from _channels(module, *top)
    if part in _channels(*top):
        yield from _channels(*top, *sides, *seats)
    if part in _channels(modules.lid, modules.keys):
        yield from _channels(modules.lid)


def _channels(*parts: object) -> set[str]:
    """All names of channels in these parts of a table."""
    found: set[str] = set()
    for part in parts:
        match part:
            case str():
                found.add(part)
            case tuple():
                found |= _channels(*part)
            case Part():
                found |= _channels(*(getattr(part, name) for name in type(part).model_fields))
    return found
