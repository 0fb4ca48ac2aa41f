"""Least times of a cycle on a table, computed from the speeds of its parts.

`under`, from the lid closed to the walls staged, is the mixing time plus the lifting time of the
busiest head. With at least `plenty` tiles in the drum a head gets a tile every `spacing` seconds;
with n tiles it gets one every spacing x plenty / n seconds. The heads work in parallel; the bound
assumes that all heads lift at the same time and uses n at the beginning of each lift. The travel of
the last tile to the counter and the last push are added. A head that fills several trays also waits
for the chain between them. The time of a magazine is added; with a drawn order it is the mean over
all orders. Finally the wheels run until the drum is proven to be empty, for a fixed time. `spacing`
is a mean, so a real drum with random intervals is slower.

`top`, from the command to raise until ready to play, is the sum of the lifts, the throws and the
gantry's moves, because a step begins only after the previous step is confirmed. The gantry begins
over the centre of the field, at its travelling height. Work of people counts as 0 s.

The duration of a move (`Kinematics`) assumes that every part runs at its full speed. An axis has a
trapezoidal speed profile: it accelerates, runs at its speed, and brakes; over a short distance it
does not reach its speed. The jaws turn while the gantry travels. The durations contain no time for
the link or for confirmation by sensors.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

from config.layout.field import Spot
from config.layout.staging import Staging
from config.schema import AxisChannel, DiceChannel, HeadsModule, Table
from controller.run.planning.magazine import expected_magazine_times
from controller.run.planning.moves import (
    Carry,
    FlipIndicator,
    Grasp,
    Move,
    Present,
    Prompt,
    Shake,
    TurnOver,
)

LATE_TILES = 6.0
"""Multiple of a tile's mean time that counts as a fault; the slowest of a million tiles takes four
times the mean."""
STARVED = 60.0
"""Longest wait of a head for a tile, seconds."""
MARGIN = 2.0
"""Seconds that are added to every wait for a tile."""
PASSING = 0.5
"""Longest time of a tile from the wheel to the counter, or past it, seconds (our choice)."""


def under_bound(table: Table, staging: Staging) -> float:
    """Least time from the closing of the lid until the walls of the set are staged, seconds."""
    modules = table.modules
    if modules.drum is None or modules.heads is None:
        return 0.0
    heads = modules.heads
    quotas = _quotas(staging, heads)
    if not any(quotas):
        return 0.0
    last = heads.counter_distance_mm / 1000 / heads.belt_speed
    push = heads.push if staging.fills and heads.ports[0].pusher else 0.0
    sorting = expected_magazine_times(table, sum(quotas))
    through = sorting.total if sorting is not None else 0.0
    proof = proving_wait(heads) + PASSING
    return (
        modules.drum.mix + _lifting(quotas, heads) + last + push + _chain(table) + through + proof
    )


def proving_wait(heads: HeadsModule) -> float:
    """Seconds in which one of all heads lifts a tile if there is only one in the drum.

    The wait of one head alone is `LATE_TILES` times its mean time. With several heads the earliest
    of them lifts the tile, so that the wait is shorter by the root of their number: with four heads
    half as long. Even if the times of a head were exponential, four heads would then miss one tile
    in 160,000; with the times of the simulated wheels, fewer than one in 10^10.
    """
    mean = heads.spacing * heads.plenty
    return min(STARVED, MARGIN + LATE_TILES * mean / math.sqrt(len(heads.ports)))


def top_bound(moves: Iterable[Move], table: Table, staging: Staging, tile_height: float) -> float:
    """Least time from the command to raise the walls until the game can begin, seconds."""
    lifts = table.modules.trays.lift if table.modules.trays and staging.fills else 0.0
    return lifts + sum(move_seconds(tuple(moves), table, tile_height))


def move_seconds(moves: Sequence[Move], table: Table, tile_height: float) -> Iterator[float]:
    """The least duration of each move in a sequence that begins over the centre of the field."""
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
    """The lifting time of all heads together, one tile of each head at a time."""
    waiting = list(quotas)
    seconds = 0.0
    while any(waiting):
        in_drum = sum(waiting)
        seconds += heads.spacing * max(1.0, heads.plenty / in_drum)
        waiting = [max(0, tiles - 1) for tiles in waiting]
    return seconds


def _chain(table: Table) -> float:
    """Seconds that the chain travels from the first side to the last; 0 without a chain."""
    chain, trays = table.modules.chain, table.modules.trays
    if chain is None or trays is None:
        return 0.0
    return chain.seconds_per_side * (len(trays.sides) - 1)


def travel_seconds(distance: float, speed: float, acceleration: float) -> float:
    """The duration of a trapezoidal motion over a distance in metres."""
    distance = abs(distance)
    if distance * acceleration < speed * speed:
        return 2 * sqrt(distance / acceleration)
    return distance / speed + speed / acceleration


@dataclass(frozen=True)
class Pose:
    """Position of the jaws: the spot below them, and the height of their lower edge in metres."""

    spot: Spot = Spot(0.0, 0.0, False)
    height: float = 0.0


@dataclass(frozen=True)
class Kinematics:
    """Computes the durations of moves on one table; `tile_height` is in metres."""

    table: Table
    tile_height: float

    def seconds(self, move: Move, pose: Pose) -> tuple[float, Pose]:
        """The least duration of a move from a pose, and the pose at its end.

        A prompt to people counts as 0 s, because its duration is unknown.
        """
        modules = self.table.modules
        match move:
            case Carry():
                assert modules.gantry is not None
                there, pose = self._reach(pose, move.source, move.clear)
                grip = modules.gantry.grip_seconds
                up = self._rise(move.source, move.clear)
                held = Pose(move.source.spot, move.clear)
                back, pose = self._reach(held, move.target, move.clear)
                rise = self._rise(move.target, move.clear)
                return there + grip + up + back + grip + rise, Pose(pose.spot, move.clear)
            case TurnOver():
                assert modules.gantry is not None
                there, pose = self._reach(pose, move.source, move.clear)
                grip, turn = modules.gantry.grip_seconds, modules.gantry.turn_seconds
                height = self._rise(move.source, move.clear)
                return there + 2 * grip + 3 * height + turn, Pose(pose.spot, move.clear)
            case Shake():
                assert modules.dice is not None
                dome = self.table.channel(modules.dice.unit)
                assert isinstance(dome, DiceChannel)
                return dome.shake * move.times, pose
            case FlipIndicator():
                return (modules.flipper.flip if modules.flipper else 0.0), pose
            case Present():
                return (modules.lanes.present if modules.lanes else 0.0), pose
            case Prompt():
                return 0.0, pose

    def _reach(self, pose: Pose, grasp: Grasp, clear: float) -> tuple[float, Pose]:
        """Rise to the clear height, travel to the grasp while turning, lower to its level."""
        gantry = self.table.modules.gantry
        assert gantry is not None
        lift = self._axis(gantry.z, clear - pose.height)
        over = max(
            self._axis(gantry.x, grasp.spot.x - pose.spot.x),
            self._axis(gantry.y, grasp.spot.y - pose.spot.y),
            gantry.turn_seconds if grasp.spot.crossed != pose.spot.crossed else 0.0,
        )
        return lift + over + self._rise(grasp, clear), Pose(grasp.spot, self._height(grasp))

    def _rise(self, grasp: Grasp, clear: float) -> float:
        gantry = self.table.modules.gantry
        assert gantry is not None
        return self._axis(gantry.z, clear - self._height(grasp))

    def _height(self, grasp: Grasp) -> float:
        return grasp.level * self.tile_height

    def _axis(self, channel: str, distance: float) -> float:
        axis = self.table.channel(channel)
        assert isinstance(axis, AxisChannel)
        return travel_seconds(distance, axis.speed, axis.acceleration)
