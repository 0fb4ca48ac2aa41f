"""Compares the durations of axes and moves with a simulation in small steps and manual sums."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from config.layout.field import Spot
from config.loader import load_table
from controller.run.planning.least_times import Kinematics, Pose, travel_seconds
from controller.run.planning.moves import (
    Carry,
    FlipIndicator,
    Grasp,
    Present,
    Prompt,
    Shake,
    TurnOver,
)
from rules.geometry import WallPlace
from rules.steps import Packet

TICK = 1e-4
PLACE = WallPlace(0, 1, 0)
HEIGHT = 0.021
CLEAR = 0.057
"""Clear height over a wall two tiles high, with a clearance of 15 mm."""
ROBOTIC = Kinematics(load_table("robotic"), HEIGHT)
AUTO_DEAL = Kinematics(load_table("auto_deal"), HEIGHT)

distances = some.floats(0, 1.5)
speeds = some.floats(0.1, 2.0)
accelerations = some.floats(1.0, 10.0)


def driven(distance: float, speed: float, acceleration: float) -> float:
    """Simulate an axis in small steps; at each step, check whether the axis has to brake."""
    travelled = velocity = time = 0.0
    while travelled < distance:
        must_brake = velocity * velocity / (2 * acceleration) >= distance - travelled
        velocity += (-1 if must_brake else 1) * acceleration * TICK
        velocity = min(speed, velocity)
        if velocity <= 0:
            break
        travelled += velocity * TICK
        time += TICK
    return time


@settings(max_examples=60)
@given(distance=distances, speed=speeds, acceleration=accelerations)
@pytest.mark.slow
def test_an_axis_takes_as_long_as_in_the_simulation(
    distance: float, speed: float, acceleration: float
) -> None:
    slow = driven(distance, speed, acceleration)
    assert travel_seconds(distance, speed, acceleration) == pytest.approx(slow, abs=0.02)


@given(distance=distances, speed=speeds, acceleration=accelerations)
def test_both_directions_take_equally_long(
    distance: float, speed: float, acceleration: float
) -> None:
    there = travel_seconds(distance, speed, acceleration)
    assert there == travel_seconds(-distance, speed, acceleration)


@given(distance=distances, more=distances, speed=speeds, acceleration=accelerations)
def test_a_longer_distance_never_takes_less_time_and_speed_is_a_limit(
    distance: float, more: float, speed: float, acceleration: float
) -> None:
    short = travel_seconds(distance, speed, acceleration)
    long = travel_seconds(distance + more, speed, acceleration)
    assert distance / speed <= short + 1e-12
    assert short <= long + 1e-12


@given(speed=speeds, acceleration=accelerations)
def test_the_duration_is_continuous_where_the_axis_just_reaches_its_speed(
    speed: float, acceleration: float
) -> None:
    meeting = speed * speed / acceleration
    below = travel_seconds(meeting * (1 - 1e-9), speed, acceleration)
    above = travel_seconds(meeting * (1 + 1e-9), speed, acceleration)
    assert below == pytest.approx(above, rel=1e-6)


def test_a_move_of_zero_length_takes_no_time() -> None:
    assert travel_seconds(0.0, 1.2, 6.0) == 0.0


# The robotic table: x and y 1.2 m/s and 6 m/s², z 0.36 m/s and 4.3 m/s², grip 0.15 s, turn 0.4 s.
# x and y reach full speed from 0.24 m on: s / 1.2 + 0.2; below: 2 * sqrt(s / 6).
# z reaches full speed from 0.0301 m on: s / 0.36 + 0.0837; 57 mm take 0.2421 s, 36 mm 0.1837 s.

DOWN = 0.057 / 0.36 + 0.36 / 4.3
UPPER = 0.036 / 0.36 + 0.36 / 4.3


def carry(source: Spot, target: Spot) -> Carry:
    return Carry((PLACE,), Grasp(source, 0, False), Grasp(target, 0, False), CLEAR, 0)


def test_a_carry_takes_as_long_as_the_manual_sum() -> None:
    # To the source: x 0.3 m takes 0.45 s, y 0.1 m takes 2 * sqrt(0.1 / 6) = 0.2582 s, so 0.45 s.
    # To the target: x 0.6 m takes 0.7 s, y 0.3 m takes 0.45 s, so 0.7 s. Then four moves of z and
    # two motions of the jaws.
    begun = Pose(Spot(0.0, 0.0, False), CLEAR)
    move = carry(Spot(-0.3, 0.1, False), Spot(0.3, -0.2, False))
    seconds, end = ROBOTIC.seconds(move, begun)
    assert seconds == pytest.approx(0.45 + 0.7 + 4 * DOWN + 2 * 0.15)
    assert end == Pose(Spot(0.3, -0.2, False), CLEAR)


def test_low_jaws_rise_before_they_travel() -> None:
    move = carry(Spot(-0.3, 0.1, False), Spot(0.3, -0.2, False))
    low, _ = ROBOTIC.seconds(move, Pose(Spot(0.0, 0.0, False), 0.0))
    high, _ = ROBOTIC.seconds(move, Pose(Spot(0.0, 0.0, False), CLEAR))
    assert low - high == pytest.approx(DOWN)


def test_turning_adds_no_time_to_a_long_travel() -> None:
    begun = Pose(Spot(0.0, 0.0, False), CLEAR)
    straight, _ = ROBOTIC.seconds(carry(Spot(0.3, 0.0, False), Spot(-0.3, 0.0, False)), begun)
    crossed, _ = ROBOTIC.seconds(carry(Spot(0.3, 0.0, True), Spot(-0.3, 0.0, False)), begun)
    assert crossed == straight


def test_turning_determines_the_time_of_a_short_travel() -> None:
    # 24 mm take 2 * sqrt(0.024 / 6) = 0.1265 s and the turn takes 0.4 s, in both directions.
    begun = Pose(Spot(0.0, 0.0, False), CLEAR)
    turned = carry(Spot(0.024, 0.0, True), Spot(0.0, 0.0, False))
    seconds, _ = ROBOTIC.seconds(turned, begun)
    assert seconds == pytest.approx(2 * 0.4 + 4 * DOWN + 2 * 0.15)


def test_turning_a_tile_over_lowers_and_raises_the_jaws_twice() -> None:
    # 0.3 m take 0.45 s; the upper tile is 36 mm below the jaws; two motions of the jaws, one turn.
    move = TurnOver(PLACE, Grasp(Spot(0.3, 0.0, False), 1, False), CLEAR)
    seconds, end = ROBOTIC.seconds(move, Pose(Spot(0.0, 0.0, False), CLEAR))
    assert seconds == pytest.approx(0.45 + 4 * UPPER + 2 * 0.15 + 0.4)
    assert end.spot == Spot(0.3, 0.0, False)


def test_moves_without_the_gantry_do_not_change_the_pose() -> None:
    begun = Pose(Spot(0.1, 0.1, True), CLEAR)
    assert ROBOTIC.seconds(Shake(2, 1), begun) == (1.5, begun)
    assert ROBOTIC.seconds(Shake(1, 2), begun) == (3.0, begun)
    assert AUTO_DEAL.seconds(Present(2, (PLACE,)), begun) == (1.5, begun)
    assert AUTO_DEAL.seconds(FlipIndicator(PLACE, begun.spot), begun) == (1.0, begun)
    assert ROBOTIC.seconds(Prompt(Packet(0, (PLACE,))), begun) == (0.0, begun)


def test_a_slower_table_takes_longer() -> None:
    arm = ROBOTIC.table.boards["arm"]
    slow_x = arm.channels["gantry_x"].model_copy(update={"speed": 0.6})
    slow_arm = arm.model_copy(update={"channels": {**arm.channels, "gantry_x": slow_x}})
    boards = {**ROBOTIC.table.boards, "arm": slow_arm}
    slow = replace(ROBOTIC, table=ROBOTIC.table.model_copy(update={"boards": boards}))
    move = carry(Spot(-0.3, 0.0, False), Spot(0.3, 0.0, False))
    assert slow.seconds(move, Pose())[0] > ROBOTIC.seconds(move, Pose())[0]
