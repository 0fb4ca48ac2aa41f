"""Parts of a table on which faults can be injected, by their names for people and in the plant.

For faults of sensors, a part's own name means its main sensor: a head's name its counter, a lift's
name its upper switch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from config.schema import AxisChannel, Part, SensorChannel, Table
from config.validation.channels import plugs

Parts = Callable[[Table], Mapping[str, str]]
"""The parts of a table that a kind applies to: names for people, and the plant's names (sites)."""


def motors(table: Table) -> dict[str, tuple[str, ...]]:
    """The motors of each part that has motors, by the part's name."""
    modules = table.modules
    found: dict[str, tuple[str | None, ...]] = {}
    if modules.lid:
        found["lid"] = (modules.lid.motor,)
    if modules.drum:
        found["drum"] = (modules.drum.motor,)
    for number, head in enumerate(modules.heads.ports if modules.heads else ()):
        found[f"head{number}"] = (head.wheel, head.belt, head.pusher, head.turner)
    for number, tray in enumerate(modules.trays.sides if modules.trays else ()):
        found[f"lift{number}"] = (tray.lift,)
    if modules.magazine:
        found["magazine"] = (modules.magazine.motor, modules.magazine.ejector)
    for number, lane in enumerate(modules.lanes.seats if modules.lanes else ()):
        found[f"lane{number}"] = (lane.presenter,)
    if modules.flipper:
        found["flipper"] = (modules.flipper.motor,)
    if modules.chain:
        found["chain"] = (modules.chain.motor,)
    if modules.gantry:
        found["gripper"] = (modules.gantry.grip, modules.gantry.turn, modules.gantry.turner)
    return {part: tuple(name for name in names if name) for part, names in found.items()}


def switches(table: Table) -> dict[str, tuple[str, ...]]:
    """The two limit switches of each part that a motor drives between them, the far one first."""
    modules = table.modules
    found: dict[str, tuple[str, ...]] = {}
    if modules.lid:
        found["lid"] = (modules.lid.opened, modules.lid.closed)
    for number, tray in enumerate(modules.trays.sides if modules.trays else ()):
        found[f"lift{number}"] = (tray.up, tray.down)
    for number, lane in enumerate(modules.lanes.seats if modules.lanes else ()):
        found[f"lane{number}"] = (lane.presented, lane.home)
    if modules.flipper:
        found["flipper"] = (modules.flipper.flipped, modules.flipper.home)
    return found


def slides(table: Table) -> dict[str, str]:
    """The names of all parts that a motor drives between two limit switches."""
    return _same(switches(table))


def heads(table: Table) -> dict[str, str]:
    """The names of all heads."""
    heads = table.modules.heads
    return _same(f"head{number}" for number in range(len(heads.ports) if heads else 0))


def belts(table: Table) -> dict[str, str]:
    """The names of all heads whose belt has its own motor."""
    heads = table.modules.heads
    return _same(f"head{n}" for n, head in enumerate(heads.ports if heads else ()) if head.belt)


def slides_and_heads(table: Table) -> dict[str, str]:
    """Every part that the fault of a slow motor can affect."""
    return {**slides(table), **heads(table)}


def motor_parts(table: Table) -> dict[str, str]:
    """The names of all parts that have a motor."""
    return _same(motors(table))


def drum(table: Table) -> dict[str, str]:
    """The name of the drum, if the table has one."""
    return _same(("drum",) if table.modules.drum else ())


def magazine(table: Table) -> dict[str, str]:
    """The name of the magazine, if the table has one."""
    return _same(("magazine",) if table.modules.magazine else ())


def gripper(table: Table) -> dict[str, str]:
    """The name of the gripper, if the table has a gantry."""
    return _same(("gripper",) if table.modules.gantry else ())


def reader(table: Table) -> dict[str, str]:
    """The name of the tag reader, if the table has one."""
    return _same(("reader",) if table.modules.reader else ())


def dice(table: Table) -> dict[str, str]:
    """The name of the dice unit, if the table has one."""
    return _same(("dice",) if table.modules.dice else ())


def limits(table: Table) -> dict[str, str]:
    """Each limit switch; the name of a part, such as a lift, means its far switch."""
    found = {switch: switch for ends in switches(table).values() for switch in ends}
    return {**{part: ends[0] for part, ends in switches(table).items()}, **found}


def sensors(table: Table) -> dict[str, str]:
    """Every sensor except the safety inputs; a head's own name means its counter, S1."""
    modules = table.modules
    safety = {*modules.emergency, *modules.curtain}
    found = {
        name: name
        for board in table.boards.values()
        for name, channel in board.channels.items()
        if isinstance(channel, SensorChannel) and name not in safety
    }
    heads = modules.heads.ports if modules.heads else ()
    return {**{f"head{number}": head.counter for number, head in enumerate(heads)}, **found}


def emergency(table: Table) -> dict[str, str]:
    """The name "table", if the table has an emergency stop."""
    return _same(("table",) if table.modules.emergency else ())


def curtain(table: Table) -> dict[str, str]:
    """The name "table", if the table has a light curtain."""
    return _same(("table",) if table.modules.curtain else ())


def boards(table: Table) -> dict[str, str]:
    """The names of all boards on serial lines."""
    return _same(name for name, board in table.boards.items() if board.kind == "serial")


def powered(table: Table) -> dict[str, str]:
    """Every board on a serial line; the name "table" means all these boards."""
    return {**boards(table), **_same(("table",) if boards(table) else ())}


def line(table: Table) -> dict[str, str]:
    """The name of the serial line, if boards are on one."""
    return _same(("line",) if boards(table) else ())


def stalling(table: Table) -> dict[str, str]:
    """The name of the host, if its boards are on a serial line."""
    return _same(("host",) if boards(table) else ())


def host(table: Table) -> dict[str, str]:
    """The name of the host."""
    return {"host": "host"}


def host_or_all(table: Table) -> dict[str, str]:
    """The host, and every board on a serial line; the name "table" means all these boards."""
    return {"host": "host", **powered(table)}


def people(table: Table) -> dict[str, str]:
    """The name of the people who answer prompts for help."""
    return {"people": "people"}


def _same(names: Iterable[str]) -> dict[str, str]:
    return {name: name for name in names}


# Parts that people inspect

_TILES = frozenset({"missing_tile", "extra_tile", "added_tile", "foreign_tile", "double_feed"})
"""Kinds that a person finds at any part with tiles, because the whole set is counted."""


def found_at(kind: str, site: str, table: Table) -> frozenset[str]:
    """The parts at which a person finds this fault: the site, and the parts that contain it."""
    found = {site}
    found |= {part for part, names in _belongings(table).items() if site in names}
    if kind in _TILES:
        found |= {*motors(table), *_trays(table), "trays"}
    if site.startswith("lift"):
        found.add(site.replace("lift", "tray"))
    if site in (*table.boards, "line", "host"):
        found |= {"line", "link", *table.boards}
    if site == "table":
        found |= {"emergency", *table.modules.emergency, *table.modules.curtain, *table.boards}
    return frozenset(found)


def places(table: Table) -> frozenset[str]:
    """All names of parts of this table."""
    belongings = _belongings(table)
    return frozenset(
        {
            *belongings,
            *(name for names in belongings.values() for name in names),
            *_trays(table),
            *(channel for board in table.boards.values() for channel in board.channels),
            *table.boards,
            *("table", "trays", "emergency", "reader", "dice", "line", "link", "host", "people"),
        }
    )


def _trays(table: Table) -> tuple[str, ...]:
    trays = table.modules.trays
    return tuple(f"tray{number}" for number in range(len(trays.sides) if trays else 0))


def _belongings(table: Table) -> dict[str, set[str]]:
    """Each part's motors and sensors."""
    found = {part: set(names) for part, names in motors(table).items()}
    for part, ends in switches(table).items():
        found[part] |= set(ends)
    for number, head in enumerate(table.modules.heads.ports if table.modules.heads else ()):
        found[f"head{number}"] |= _sensors(head)
    gantry = table.modules.gantry
    if gantry:
        turn = {gantry.turn, gantry.straight, gantry.crossed}
        turner = {s for s in (gantry.turner, gantry.turner_home, gantry.turner_over) if s}
        axes = [table.channel(axis) for axis in (gantry.x, gantry.y, gantry.z)]
        homes = {axis.home_switch for axis in axes if isinstance(axis, AxisChannel)}
        found["gripper"] |= {gantry.gripped, gantry.released, gantry.loaded, "reader"}
        found["gripper"] |= turn | turner
        found["gripperturn"], found["turner"] = {*turn, "gripper"}, {*turner, "gripper"}
        found["gantry"] = {*found["gripper"], *homes, "gripper"}
    if magazine := table.modules.magazine:
        found["magazine"] |= _sensors(magazine)
    if table.modules.chain:
        found["chain"] |= _sensors(table.modules.chain)
    return found


def _sensors(module: Part) -> set[str]:
    return {use.channel for use in plugs(module, ()) if use.kinds == ("sensor",)}
