"""Durations of moves on a table whose every part runs at its own full speed, without waits.

An axis moves by a trapezoid: it accelerates, runs, brakes; over short ways it never reaches its
speed. The jaws' turn happens while the gantry travels. These times are the machine's, without the
link and without confirmation; the bound of a cycle is made of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from config.layout.field import Spot
from config.schema import AxisChannel, DiceChannel, Table
from controller.planning.moves import (
    Carry,
    FlipIndicator,
    Grasp,
    Move,
    Present,
    Prompt,
    Shake,
    TurnOver,
)


def travel_seconds(distance: float, speed: float, acceleration: float) -> float:
    """A trapezoid's duration over a distance in metres."""
    way = abs(distance)
    if way * acceleration < speed * speed:
        return 2 * sqrt(way / acceleration)
    return way / speed + speed / acceleration


@dataclass(frozen=True)
class Pose:
    """Position of the jaws: over which spot, and the height of their lower edge, metres."""

    spot: Spot = Spot(0.0, 0.0, False)
    height: float = 0.0


@dataclass(frozen=True)
class Kinematics:
    """The times of one table's own parts."""

    table: Table
    tile_height: float

    def seconds(self, move: Move, pose: Pose) -> tuple[float, Pose]:
        """A move's least duration from a pose, and the pose in which it ends.

        A person's part counts zero seconds, because its duration is unknown.
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
        """Up to the clear height, over to the grasp (turning on the way), down to its level."""
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
