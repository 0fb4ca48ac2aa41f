"""The motors and axes that the light curtain guards: parts that move within reach of hands."""

from __future__ import annotations

from config.schema import Table


def guarded(table: Table) -> frozenset[str]:
    """The channels of the motors and axes of lid, lifts, lanes, flipper and gantry."""
    modules = table.modules
    names: list[str | None] = []
    if modules.lid:
        names.append(modules.lid.motor)
    if modules.trays:
        names += [side.lift for side in modules.trays.sides]
    if modules.lanes:
        names += [seat.presenter for seat in modules.lanes.seats]
    if modules.flipper:
        names.append(modules.flipper.motor)
    if gantry := modules.gantry:
        names += [gantry.x, gantry.y, gantry.z, gantry.grip, gantry.turn, gantry.turner]
    return frozenset(name for name in names if name)
