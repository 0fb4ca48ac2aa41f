"""Durations of moves if every part runs at its full speed, without waits.

An axis has a trapezoidal speed profile: it accelerates, runs at its speed, and brakes; over a short
distance it does not reach its speed. The jaws turn while the gantry travels. The durations contain
no time for the link or for confirmation by sensors. The least time of a cycle is their sum.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from config.layout.field import Spot
from config.schema import AxisChannel, DiceChannel, Table
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
