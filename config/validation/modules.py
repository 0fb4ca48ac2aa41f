"""Validates modules: required parts, boards, dimensions, the magazine, the mixing time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import isinf

from config.errors import Finding, Path, TableWarning
from config.layout.mixing import DESCRIBED, needed_seconds, pan_motion, undescribed
from config.schema import AxisChannel, Channel, MotorChannel, StripChannel, Table

_NEEDS = {
    "heads": "drum",
    "trays": "heads",
    "chain": "trays",
    "magazine": "trays",
    "lanes": "trays",
    "flipper": "trays",
    "lamps": "trays",
    "gantry": "trays",
    "reader": "gantry",
}
"""For each module, the module without which it cannot work."""
MOST_TRAYS = 4
_MAGAZINE: Path = ("modules", "magazine")
_WORDS = {
    "tilt_deg": "tilt in degrees",
    "rpm": "speed in revolutions a minute",
    "ribs": "number of ribs",
    "fill": "fill (area of the tiles of a full drum, in areas of the pan)",
}


def _channel(table: Table, name: str) -> Channel:
    return table.boards[table.board_of(name)].channels[name]


def _needs(table: Table) -> Iterator[Finding]:
    for module, other in _NEEDS.items():
        if module in table.capabilities and other not in table.capabilities:
            wrong = f"cannot work without {other} ('{module}')"
            cure = f"Add `modules.{other}`, or leave {module} out."
            yield Finding(("modules", module), wrong, cure)


def _tile_range(table: Table) -> Iterator[Finding]:
    tiles = table.tiles
    if tiles.shortest_mm > tiles.longest_mm:
        wrong = (
            f"must be at most `longest_mm` ({tiles.shortest_mm:g}, and longest_mm is"
            f" {tiles.longest_mm:g})"
        )
        yield Finding(("tiles", "shortest_mm"), wrong, "Exchange the two values.")


def _counter_near_wheel(table: Table) -> Iterator[Finding]:
    heads, shortest = table.modules.heads, table.tiles.shortest_mm
    if heads and heads.counter_distance_mm >= shortest:
        wrong = f"lets a tile of {shortest:g} mm pass uncounted ({heads.counter_distance_mm:g})"
        path = ("modules", "heads", "counter_distance_mm")
        yield Finding(path, wrong, "Give less than `tiles.shortest_mm`.")


def _ports(table: Table) -> Iterator[Finding]:
    modules = table.modules
    for at, head in enumerate(modules.heads.ports if modules.heads else ()):
        path: Path = ("modules", "heads", "ports", at)
        if (head.pusher is None) != (head.vane is None):
            has, lacks = ("vane", "pusher") if head.pusher is None else ("pusher", "vane")
            cure = f"Add `{lacks}:`, or leave {has} out."
            wrong = f"needs a {lacks} too ('{getattr(head, has)}')"
            yield Finding((*path, has), wrong, cure)
        if head.trays and head.pusher is None:
            wrong = f"cannot fill a tray without a pusher ({at})"
            yield Finding(path, wrong, "Add `pusher:` and `vane:`.")
        if head.turner and not head.face:
            wrong = f"needs a sensor for face-up tiles ('{head.turner}')"
            yield Finding((*path, "turner"), wrong, "Add `face:`, the sensor for face-up tiles.")
        if len(head.trays) > 1 and modules.chain is None:
            wrong = f"cannot fill {len(head.trays)} trays without a chain ({at})"
            yield Finding((*path, "trays"), wrong, "Add `modules.chain`, or a head for each tray.")


def _pauses_when_full(table: Table) -> Iterator[Finding]:
    for at, head in enumerate(table.modules.heads.ports if table.modules.heads else ()):
        wheel = _channel(table, head.wheel)
        if head.full and isinstance(wheel, MotorChannel) and wheel.hold_while != head.full:
            wrong = f"does not pause the wheel '{head.wheel}' ('{head.full}')"
            cure = f"Give the wheel `hold_while: {head.full}`."
            yield Finding(("modules", "heads", "ports", at, "full"), wrong, cure)


def _every_tray_fed_once(table: Table) -> Iterator[Finding]:
    heads = table.modules.heads
    sides = len(table.modules.trays.sides) if table.modules.trays else 0
    fed: set[int] = set()
    for at, head in enumerate(heads.ports if heads else ()):
        for position, tray in enumerate(head.trays):
            path: Path = ("modules", "heads", "ports", at, "trays", position)
            if not 0 <= tray < sides:
                cure = f"Give 0 to {sides - 1}." if sides else "Give an empty list."
                yield Finding(path, f"is not a tray of the table ({tray})", cure)
            elif tray in fed:
                yield Finding(path, f"is filled by two heads ({tray})", "Name it in one head only.")
            fed.add(tray)
    for tray in sorted(set(range(sides)) - fed):
        path = ("modules", "trays", "sides", tray)
        yield Finding(path, f"no head fills this tray ({tray})", f"Add {tray} to a head's `trays`.")


def _tray_count(table: Table) -> Iterator[Finding]:
    trays = table.modules.trays
    if trays and not 1 <= len(trays.sides) <= MOST_TRAYS:
        wrong = f"must be one tray for each side of the table ({len(trays.sides)})"
        yield Finding(("modules", "trays", "sides"), wrong, f"Give 1 to {MOST_TRAYS}.")


def _walls_fit(table: Table) -> Iterator[Finding]:
    trays, field = table.modules.trays, table.field
    if trays is None:
        return
    path = ("modules", "trays", "length_mm")
    needed = trays.columns * table.tiles.widest_mm
    if needed > trays.length_mm:
        wrong = f"is too short for {trays.columns} columns of the widest tile ({trays.length_mm:g})"
        yield Finding(path, wrong, f"Give at least {needed:g}, or fewer columns.")
    square = field.wall_distance * 2000
    if len(trays.sides) > 1 and trays.length_mm > square:
        wrong = f"allows walls that cross in the corners ({trays.length_mm:g})"
        yield Finding(path, wrong, f"Give at most {square:g}, or a greater `field.wall_distance`.")


def _field(table: Table) -> Iterator[Finding]:
    field = table.field
    if field.hand_distance <= field.wall_distance:
        wrong = (
            f"must be more than `wall_distance` ({field.hand_distance:g}, and wall_distance is"
            f" {field.wall_distance:g})"
        )
        path = ("field", "hand_distance")
        yield Finding(path, wrong, f"Give more than {field.wall_distance:g}.")
    half = min(field.width, field.depth) / 2
    if field.hand_distance > half:
        wrong = f"is outside the field ({field.hand_distance:g})"
        yield Finding(("field", "hand_distance"), wrong, f"Give at most {half:g}.")


def _lanes_and_seats(table: Table) -> Iterator[Finding]:
    lanes, seats = table.modules.lanes, table.field.seats
    if lanes and len(lanes.seats) != seats:
        wrong = f"must be one lane for each seat ({len(lanes.seats)} lanes, {seats} seats)"
        cure = "Add or remove lanes, or change `field.seats`."
        yield Finding(("modules", "lanes", "seats"), wrong, cure)


def _gates_with_their_heads(table: Table) -> Iterator[Finding]:
    """Checks that a gate and its head share a board.

    A board that stops then closes the gate and stops the head at the same time.
    """
    heads, lanes = table.modules.heads, table.modules.lanes
    for head in heads.ports if heads else ():
        for seat in head.trays if lanes else ():
            assert lanes is not None
            if seat >= len(lanes.seats):
                continue
            gate = lanes.seats[seat].gate
            here = table.board_of(gate)
            moved_by = (motor for motor in (head.wheel, head.belt) if motor)
            apart = next((motor for motor in moved_by if table.board_of(motor) != here), None)
            if apart is not None:
                board = table.board_of(apart)
                wrong = (
                    f"is on board '{here}', but '{apart}' of its head is on '{board}' ('{gate}')"
                )
                cure = (
                    f"Wire it to '{board}': if only the gate closes, tiles go past the lane into"
                    " the tray."
                )
                yield Finding(("modules", "lanes", "seats", seat, "gate"), wrong, cure)


def _lamps_along_walls(table: Table) -> Iterator[Finding]:
    lamps, trays = table.modules.lamps, table.modules.trays
    if lamps is None or trays is None:
        return
    if len(lamps.walls) != len(trays.sides):
        wrong = (
            f"must be one strip for each wall ({len(lamps.walls)} strips, {len(trays.sides)} walls)"
        )
        yield Finding(("modules", "lamps", "walls"), wrong, "Name a strip for each tray.")
    for at, name in enumerate(lamps.walls):
        strip = _channel(table, name)
        if isinstance(strip, StripChannel) and strip.lamps < trays.columns:
            wrong = f"is shorter than the wall of {trays.columns} columns ({strip.lamps} lamps)"
            cure = f"Use a strip of at least {trays.columns} lamps."
            yield Finding(("modules", "lamps", "walls", at), wrong, cure)


def _flipper_under_a_column(table: Table) -> Iterator[Finding]:
    flipper, trays = table.modules.flipper, table.modules.trays
    if flipper is None or trays is None:
        return
    if flipper.tray >= len(trays.sides):
        wrong = f"is not a tray of the table ({flipper.tray})"
        cure = f"Give 0 to {len(trays.sides) - 1}."
        yield Finding(("modules", "flipper", "tray"), wrong, cure)
    if flipper.column > trays.columns:
        wrong = f"is not a column of a tray ({flipper.column})"
        yield Finding(("modules", "flipper", "column"), wrong, f"Give 1 to {trays.columns}.")


def _stops_at_its_switches(table: Table) -> Iterator[Finding]:
    """Checks that the board itself stops each motor at its limit switches."""
    for path, motor, forth, back in _parts_between_switches(table):
        config = _channel(table, motor)
        assert isinstance(config, MotorChannel)
        for key, switch in (("forward_stop", forth), ("reverse_stop", back)):
            if getattr(config, key) != switch:
                board = table.board_of(motor)
                wrong = f"must be '{switch}', the switch of {'.'.join(map(str, path))}"
                here = ("boards", board, "channels", motor, key)
                given = getattr(config, key)
                yield Finding(here, f"{wrong} ({given!r})", f"Give `{key}: {switch}`.")


def _parts_between_switches(table: Table) -> Iterator[tuple[Path, str, str, str]]:
    """Every part that moves between two switches: its path, motor, forward and reverse switch."""
    m = table.modules
    if m.lid:
        yield ("modules", "lid"), m.lid.motor, m.lid.opened, m.lid.closed
    for at, tray in enumerate(m.trays.sides if m.trays else ()):
        yield ("modules", "trays", "sides", at), tray.lift, tray.up, tray.down
    for at, lane in enumerate(m.lanes.seats if m.lanes else ()):
        yield ("modules", "lanes", "seats", at), lane.presenter, lane.presented, lane.home
    if m.flipper:
        yield ("modules", "flipper"), m.flipper.motor, m.flipper.flipped, m.flipper.home
    if m.gantry:
        g = m.gantry
        yield ("modules", "gantry", "grip"), g.grip, g.gripped, g.released
        yield ("modules", "gantry", "turn"), g.turn, g.crossed, g.straight
        if g.turner and g.turner_over and g.turner_home:
            yield ("modules", "gantry", "turner"), g.turner, g.turner_over, g.turner_home


def _whole_turner(table: Table) -> Iterator[Finding]:
    gantry = table.modules.gantry
    if gantry is None:
        return
    keys = ("turner", "turner_home", "turner_over")
    lacking = [key for key in keys if getattr(gantry, key) is None]
    if 0 < len(lacking) < len(keys):
        wrong = f"has only a part of the turner ({' and '.join(lacking)} missing)"
        cure = "Give all of turner, turner_home and turner_over, or none."
        yield Finding(("modules", "gantry"), wrong, cure)


def _axes_together(table: Table) -> Iterator[Finding]:
    gantry = table.modules.gantry
    if gantry is None:
        return
    home = table.board_of(gantry.x)
    for key in ("y", "z"):
        board = table.board_of(getattr(gantry, key))
        if board != home:
            wrong = f"is on board '{board}', but x is on '{home}' ('{getattr(gantry, key)}')"
            cure = "Wire all axes to one board, which can start them at the same time."
            yield Finding(("modules", "gantry", key), wrong, cure)


def _reach(table: Table) -> Iterator[Finding]:
    gantry, distance = table.modules.gantry, table.field.hand_distance
    if gantry is None:
        return
    for key in ("x", "y"):
        axis = _channel(table, getattr(gantry, key))
        assert isinstance(axis, AxisChannel)
        if axis.low > -distance or axis.high < distance:
            wrong = f"does not reach the hands ({axis.low:g} to {axis.high:g})"
            cure = f"Give limits from {-distance:g} to {distance:g}, or a smaller `hand_distance`."
            yield Finding(("modules", "gantry", key), wrong, cure)


def _sorted_needs_magazine(table: Table) -> Iterator[Finding]:
    if table.shuffle == "sorted" and table.modules.magazine is None:
        wrong = "needs a magazine, whose tiles the machine can take in any order ('sorted')"
        yield Finding(("shuffle",), wrong, "Add `modules.magazine`, or give `shuffle: drum`.")


def _magazine_has_one_head(table: Table) -> Iterator[Finding]:
    """Checks that every tile of the set comes to the magazine, and leaves it into a stack.

    With two heads the drum would determine on which side of the table a tile comes out.
    """
    modules = table.modules
    if modules.magazine is None or modules.heads is None:
        return
    ports: Path = ("modules", "heads", "ports")
    if len(modules.heads.ports) != 1:
        wrong = f"must be one head for a magazine ({len(modules.heads.ports)} heads)"
        yield Finding(ports, wrong, "Give one head for all trays, with a chain if there are more.")
    for at, head in enumerate(modules.heads.ports):
        for key in ("face", "full"):
            if (sensor := getattr(head, key)) is not None:
                wrong = f"watches the place between the counter and the magazine ('{sensor}')"
                yield Finding((*ports, at, key), wrong, "Leave it out: no tile waits there.")
    if modules.lanes is not None:
        wrong = "cannot fill hand lanes, which branch off before it"
        yield Finding(_MAGAZINE, wrong, "Leave `modules.lanes` or the magazine out.")


def _magazine_on_one_board(table: Table) -> Iterator[Finding]:
    """Checks that the board that drives a motor also counts the edges that stop it."""
    magazine = table.modules.magazine
    if magazine is None:
        return
    pairs = (
        ("vane", magazine.motor),
        ("home", magazine.motor),
        ("withdrawn", magazine.ejector),
        ("passed", magazine.ejector),
    )
    for key, motor in pairs:
        sensor, board = getattr(magazine, key), table.board_of(motor)
        if table.board_of(sensor) != board:
            wrong = f"is on board '{table.board_of(sensor)}', but '{motor}' is on '{board}'"
            cure = f"Wire it to '{board}', which stops the motor at its edge."
            yield Finding((*_MAGAZINE, key), f"{wrong} ('{sensor}')", cure)


def _magazine_turns_freely(table: Table) -> Iterator[Finding]:
    """Checks that the carousel turns both ways, past every pocket."""
    magazine = table.modules.magazine
    if magazine is None:
        return
    board = table.board_of(magazine.motor)
    motor = table.boards[board].channels[magazine.motor]
    path: Path = ("boards", board, "channels", magazine.motor)
    assert isinstance(motor, MotorChannel)
    if motor.reverse_pin is None:
        wrong = f"turns the magazine one way only ('{magazine.motor}')"
        yield Finding(path, wrong, "Give a `reverse_pin`.")
    for key in ("forward_stop", "reverse_stop"):
        if (switch := getattr(motor, key)) is not None:
            wrong = f"stops the magazine, which turns past every pocket ('{switch}')"
            yield Finding((*path, key), wrong, "Leave it out.")


CHECKS: tuple[Callable[[Table], Iterator[Finding]], ...] = (
    _needs,
    _tile_range,
    _counter_near_wheel,
    _ports,
    _pauses_when_full,
    _tray_count,
    _every_tray_fed_once,
    _walls_fit,
    _field,
    _lanes_and_seats,
    _gates_with_their_heads,
    _lamps_along_walls,
    _flipper_under_a_column,
    _stops_at_its_switches,
    _whole_turner,
    _axes_together,
    _reach,
    _sorted_needs_magazine,
    _magazine_has_one_head,
    _magazine_on_one_board,
    _magazine_turns_freely,
)


def mixing_warnings(table: Table) -> Iterator[TableWarning]:
    """Yields a warning if the model does not show that a full drum mixes in its time."""
    drum = table.modules.drum
    if drum is None:
        return
    pan = pan_motion(drum, drum.capacity)
    for name in undescribed(pan):
        low, high = DESCRIBED[name]
        text = (
            f"no simulated drum is like this one: its {_WORDS[name]} is {getattr(pan, name):.3g},"
            f" and the model of mixing is for {low:g} to {high:g}. Measure how it mixes"
            " (docs/build/LABORATORY.md)."
        )
        yield TableWarning(None, "modules.drum", text)
        return
    needed = needed_seconds(pan)
    if drum.mix >= needed:
        return
    motion = f"tilt {drum.tilt_deg:g} deg, {drum.rpm:g} rpm, {drum.ribs} ribs"
    if isinf(needed):
        text = (
            f"this drum hardly mixes ({motion}). Change its tilt or speed (docs/build/MIXING.md)."
        )
        yield TableWarning(None, "modules.drum", text)
        return
    text = (
        f"{drum.mix:g} s is less than the {needed:g} s that this drum needs with"
        f" {drum.capacity} tiles ({motion}): the order of the tiles can be guessed too often"
        " (docs/build/MIXING.md)."
    )
    yield TableWarning(None, "modules.drum.mix", text)
