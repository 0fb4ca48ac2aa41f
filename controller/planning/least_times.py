"""The least time that a cycle can take on this table: computed from its own speeds, not measured.

`under`, from the lid closed to walls staged: the mixing, then the busiest head. A head's next tile
comes `spacing` seconds after the last while `plenty` tiles lie in the drum and, below that, in
proportion later: spacing x plenty / n. Heads work side by side, so the bound lets all of them lift
in step and asks for n at the beginning of each lift. To that comes what nothing can overlap: the
last tile's way to the counter and the last push. A head that fills several trays waits for the
chain between them. `spacing` is a mean: where tiles come at random, the slowest head needs longer.

`top`, from the raise ordered to ready to play: lifts, then dice and gantry. A set-up throws dice
only when its walls stand: a step begins when the step before it is confirmed. The gantry works in
parallel with neither, except that the jaws wait over the field's centre at the height at which they
travel. People's parts count nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from config.layout.staging import Staging
from config.schema import HeadsModule, Table
from controller.planning.kinematics import Kinematics, Pose
from controller.planning.moves import Carry, Move, TurnOver


def under_bound(table: Table, staging: Staging) -> float:
    """Seconds from the lid closed over a gathered set to its walls staged."""
    modules = table.modules
    if modules.drum is None or modules.heads is None:
        return 0.0
    heads = modules.heads
    quotas = _quotas(staging, heads)
    if not any(quotas):
        return 0.0
    last = heads.counter_distance_mm / 1000 / heads.belt_speed
    push = heads.push if staging.fills and heads.ports[0].pusher else 0.0
    return modules.drum.mix + _lifting(quotas, heads) + last + push + _chain(table)


def top_bound(moves: Iterable[Move], table: Table, staging: Staging, tile_height: float) -> float:
    """Seconds from the raise ordered to ready to play, for these moves in this order."""
    lifts = table.modules.trays.lift if table.modules.trays and staging.fills else 0.0
    return lifts + sum(move_seconds(tuple(moves), table, tile_height))


def move_seconds(moves: Sequence[Move], table: Table, tile_height: float) -> Iterator[float]:
    """The least duration of each of these moves, made one after the other from the centre."""
    kinematics = Kinematics(table, tile_height)
    clear = next((move.clear for move in moves if isinstance(move, Carry | TurnOver)), 0.0)
    pose = Pose(height=clear)
    for move in moves:
        seconds, pose = kinematics.seconds(move, pose)
        yield seconds


def _quotas(staging: Staging, heads: HeadsModule) -> list[int]:
    """Tiles that each head has to lift."""
    tiles = {fill.tray: fill.tiles for fill in staging.fills}
    if staging.by_hand:
        return [staging.layout.count]
    return [
        sum(tiles.get(tray, 0) for tray in port.trays)
        + sum(staging.lanes[seat] for seat in staging.lanes_of(port.trays))
        for port in heads.ports
    ]


def _lifting(quotas: list[int], heads: HeadsModule) -> float:
    """All heads in step: each lift takes what the tiles then in the drum allow."""
    waiting = list(quotas)
    seconds = 0.0
    while any(waiting):
        lying = sum(waiting)
        seconds += heads.spacing * max(1.0, heads.plenty / lying)
        waiting = [max(0, tiles - 1) for tiles in waiting]
    return seconds


def _chain(table: Table) -> float:
    chain, trays = table.modules.chain, table.modules.trays
    if chain is None or trays is None:
        return 0.0
    return chain.seconds_per_side * (len(trays.sides) - 1)
