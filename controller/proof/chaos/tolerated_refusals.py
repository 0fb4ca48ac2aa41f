"""Command refusals that are acceptable after an injected sensor fault.

A wrong sensor reading, a double tile or a tile of another set can leave tiles where no sensor
detects them. Mechanisms that meet these tiles later refuse a command, and the controller cannot
prevent it. Every other refusal is a defect of the controller.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from config.schema import Modules, Part

BLIND = frozenset(
    {
        *("bouncing_sensor", "dirty_sensor", "stuck_sensor"),
        *("double_feed", "extra_tile", "added_tile", "foreign_tile"),
    }
)
"""Faults that can leave tiles where no sensor detects them."""


def may_refuse(modules: Modules, injected_faults: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Channels of the mechanisms that may refuse a command after these faults (kind and part)."""
    blinded = {part for kind, part in injected_faults if kind in BLIND}
    return frozenset(channel for part in blinded for channel in _on_its_way(modules, part))


def _on_its_way(modules: Modules, part: str) -> Iterator[str]:
    """The channels of a part and of all parts that tiles reach after it."""
    heads = modules.heads.ports if modules.heads else ()
    sides = modules.trays.sides if modules.trays else ()
    seats = modules.lanes.seats if modules.lanes else ()
    top = (modules.gantry, modules.flipper, modules.reader)
    for number, head in enumerate(heads):
        if part in ("drum", f"head{number}") or part in _channels(head):
            trays = [side for tray, side in enumerate(sides) if tray in head.trays]
            yield from _channels(head, modules.magazine, *trays, modules.chain, *seats, *top)
    if part in ("magazine", *_channels(modules.magazine)):
        yield from _channels(modules.magazine, *heads, *sides, modules.chain, *top)
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
    """All channel names in these parts of a table."""
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
