"""Compares the least times of a cycle with manual sums."""

from __future__ import annotations

import pytest

from config.layout.staging import stage
from config.loader import load_game, load_table
from controller.run.planning.least_times import Kinematics, Pose, top_bound, under_bound
from controller.run.planning.moves import Carry, Move, Prompt, Shake, TurnOver
from controller.run.planning.planner import preview
from rules.games import find_game
from rules.geometry import BareTable, Walls
from rules.setup import settle

ROBOTIC = load_table("robotic")
WALLS = stage(Walls.even(17), ROBOTIC)
HEIGHT = load_game("wenzhou").tile.height_mm / 1000


def example_moves() -> tuple[Move, ...]:
    """Return the moves of a Wenzhou set-up with the throws 3 5 and 2 4."""
    setup = settle(find_game("wenzhou").setup(), ((3, 5), (2, 4)))
    return preview(setup, ROBOTIC, load_game("wenzhou").tile, None).moves


def test_four_heads_build_136_tiles_in_at_least_95_2_seconds() -> None:
    # Each head lifts 34 tiles. Before its k-th lift there are 4 * (35 - k) tiles in the drum, at
    # least `plenty` (24) for k <= 29. The last five tiles take 0.28 * 24 / (4 * 5), ... (4 * 1) s.
    lifting = 29 * 0.28 + 0.28 * 24 / 4 * (1 / 5 + 1 / 4 + 1 / 3 + 1 / 2 + 1)  # 8.12 + 3.836
    # 60 s of mixing; the last tile travels 24 mm at 0.25 m/s; the last push takes 0.5 s. The proof
    # that the drum is empty takes 2 s, 6 times 0.28 * 24 s over the root of 4, and 0.5 s.
    by_hand = 60.0 + lifting + 0.024 / 0.25 + 0.5 + 22.66
    bound = under_bound(ROBOTIC, stage(Walls.even(17), ROBOTIC))
    assert bound == pytest.approx(by_hand) == pytest.approx(95.212)


def test_a_single_head_adds_the_chain_over_all_sides() -> None:
    # One head, 136 lifts: 113 with 24 tiles or more in the drum, then with 23, 22, ... 1 tiles.
    # The chain moves three times from side to side, 3 s each; the drum mixes for 60 s.
    table = load_table("single_port")
    lifting = 113 * 0.28 + 0.28 * 24 * sum(1 / left for left in range(1, 24))
    proof = 2.0 + 6 * 0.28 * 24 + 0.5
    by_hand = 60.0 + lifting + 0.024 / 0.25 + 0.5 + 3 * 3.0 + proof
    assert under_bound(table, stage(Walls.even(17), table)) == pytest.approx(by_hand)


def test_walls_of_unequal_length_take_as_long_as_the_longest() -> None:
    even = under_bound(ROBOTIC, stage(Walls((17, 17, 17, 17)), ROBOTIC))
    odd = under_bound(ROBOTIC, stage(Walls((18, 16, 18, 16)), ROBOTIC))
    assert odd > even


def test_a_build_without_tiles_takes_no_time() -> None:
    assert under_bound(ROBOTIC, stage(BareTable(), ROBOTIC)) == 0.0


def test_a_packet_and_the_indicator_take_as_long_as_the_manual_sum() -> None:
    # x and y: s / 1.2 + 0.2 from 0.24 m on. z: s / 0.36 + 0.0837 from 0.03 m on.
    # Lifts take 2.5 s, then two throws 3.0 s.
    # w3.15 and w3.16 are at (-0.3, 0.182), crossed; the first block of seat 0's hand goes to
    # (0.272, -0.4). The jaws begin over the centre, 57 mm high.
    #   0.3 m in 0.45 s (turning 0.4 s), then 0.582 m in 0.685 s; 4 times 57 mm; two motions of
    #   the jaws.
    lower = 0.057 / 0.36 + 0.36 / 4.3
    packet = 0.45 + 0.685 + 4 * lower + 2 * 0.15
    # w3.8 is at (-0.3, -0.028); its upper tile is gripped 36 mm below the clear height.
    #   0.572 m in 0.677 s; down, up, down, up; two motions of the jaws; turned over in 0.4 s.
    upper = 0.036 / 0.36 + 0.36 / 4.3
    indicator = 0.572 / 1.2 + 0.2 + 4 * upper + 2 * 0.15 + 0.4
    moves = example_moves()
    short = (*moves[:3], moves[-1])
    assert [type(move) for move in short] == [Shake, Shake, Carry, TurnOver]
    assert top_bound(short, ROBOTIC, WALLS, HEIGHT) == pytest.approx(2.5 + 3.0 + packet + indicator)


def test_the_bound_is_the_sum_of_lifts_throws_and_moves() -> None:
    moves = example_moves()
    kinematics = Kinematics(ROBOTIC, HEIGHT)
    begun = top_bound(moves[:3], ROBOTIC, WALLS, HEIGHT)
    _, pose = kinematics.seconds(moves[2], Pose(height=0.057))
    for move in moves[3:]:
        seconds, pose = kinematics.seconds(move, pose)
        begun += seconds
    assert top_bound(moves, ROBOTIC, WALLS, HEIGHT) == pytest.approx(begun)
    assert begun == pytest.approx(51.402, abs=0.001)


def test_dice_thrown_by_hand_take_no_time_of_the_dome() -> None:
    moves = example_moves()
    shaken = top_bound(moves, ROBOTIC, WALLS, HEIGHT)
    by_hand = top_bound(moves[2:], ROBOTIC, WALLS, HEIGHT)
    assert shaken - by_hand == pytest.approx(2 * 1.5)


def test_work_of_people_counts_as_zero() -> None:
    setup = settle(find_game("wenzhou").setup(), ((3, 5), (2, 4)))
    guided = tuple(Prompt(packet) for packet in setup.deal)
    classic = load_table("classic")
    assert top_bound(guided, classic, stage(Walls.even(17), classic), HEIGHT) == pytest.approx(2.5)
    assert top_bound(
        (Shake(2, 1), Shake(2, 1), *guided), classic, stage(Walls.even(17), classic), HEIGHT
    ) == pytest.approx(2.5 + 3.0)


def test_a_game_without_walls_does_not_wait_for_the_lifts() -> None:
    bare = stage(BareTable(), ROBOTIC)
    assert top_bound((Shake(2, 1), Shake(2, 1)), ROBOTIC, bare, HEIGHT) == pytest.approx(3.0)
