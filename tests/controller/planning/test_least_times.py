"""The least time of a cycle, against sums done by hand."""

from __future__ import annotations

import pytest

from config.layout.staging import stage
from config.loader import load_game, load_table
from controller.planning.kinematics import Kinematics, Pose
from controller.planning.least_times import top_bound, under_bound
from controller.planning.moves import Carry, Move, Prompt, Shake, TurnOver
from controller.planning.preview import preview
from rules.games import find_game
from rules.geometry import BareTable, Walls
from rules.setup_facts import settle

ROBOTIC = load_table("robotic")
WALLS = stage(Walls.even(17), ROBOTIC)
HEIGHT = load_game("wenzhou").tile.height_mm / 1000


def seeds_example() -> tuple[Move, ...]:
    """The moves of the example that every part of this project is shown with."""
    setup = settle(find_game("wenzhou").setup(), ((3, 5), (2, 4)))
    return preview(setup, ROBOTIC, load_game("wenzhou").tile, None).moves


def test_four_heads_build_136_tiles_in_twenty_and_a_half_seconds_at_best() -> None:
    # Each head lifts 34 tiles. Before its k-th lift 4 * (35 - k) tiles lie in the drum, which is
    # plenty (24) as long as k <= 29. The last five come later: 0.28 * 24 / (4 * 5), ... (4 * 1).
    lifting = 29 * 0.28 + 0.28 * 24 / 4 * (1 / 5 + 1 / 4 + 1 / 3 + 1 / 2 + 1)  # 8.12 + 3.836
    # 8 s of mixing; the last tile runs 24 mm at 0.25 m/s; the last stack is pushed on.
    by_hand = 8.0 + lifting + 0.024 / 0.25 + 0.5
    bound = under_bound(ROBOTIC, stage(Walls.even(17), ROBOTIC))
    assert bound == pytest.approx(by_hand) == pytest.approx(20.552)


def test_one_head_takes_the_chain_round_all_sides() -> None:
    # One head, 136 lifts: 113 of them with 24 tiles or more in the drum, then 23, 22, ... 1.
    # It is carried from side to side three times, 3 s each.
    table = load_table("single_port")
    lifting = 113 * 0.28 + 0.28 * 24 * sum(1 / lying for lying in range(1, 24))
    by_hand = 8.0 + lifting + 0.024 / 0.25 + 0.5 + 3 * 3.0
    assert under_bound(table, stage(Walls.even(17), table)) == pytest.approx(by_hand)


def test_walls_of_unequal_length_wait_for_the_longest() -> None:
    even = under_bound(ROBOTIC, stage(Walls((17, 17, 17, 17)), ROBOTIC))
    odd = under_bound(ROBOTIC, stage(Walls((18, 16, 18, 16)), ROBOTIC))
    assert odd > even


def test_nothing_to_build_takes_no_time() -> None:
    assert under_bound(ROBOTIC, stage(BareTable(), ROBOTIC)) == 0.0


def test_a_first_packet_and_the_indicator_take_as_long_as_the_sum_by_hand() -> None:
    # x and y: s / 1.2 + 0.2 from 0.24 m on. z: s / 0.36 + 0.0837 from 0.03 m on.
    # Lifts take 2.5 s, then two throws 3.0 s.
    # w3.15 and w3.16 stand at (-0.3, 0.182), across; the first block of seat 0's hand lies at
    # (0.272, -0.4). The jaws wait over the centre, 57 mm high.
    #   over 0.3 m in 0.45 s (turning 0.4 s), back 0.582 m in 0.685 s; 4 times 57 mm; two grips.
    lower = 0.057 / 0.36 + 0.36 / 4.3
    packet = 0.45 + 0.685 + 4 * lower + 2 * 0.15
    # w3.8 stands at (-0.3, -0.028); its upper tile is gripped 36 mm below the jaws' height.
    #   over 0.572 m in 0.677 s; down, up, down, up; two grips; turned over in 0.4 s.
    upper = 0.036 / 0.36 + 0.36 / 4.3
    indicator = 0.572 / 1.2 + 0.2 + 4 * upper + 2 * 0.15 + 0.4
    moves = seeds_example()
    short = (*moves[:3], moves[-1])
    assert [type(move) for move in short] == [Shake, Shake, Carry, TurnOver]
    assert top_bound(short, ROBOTIC, WALLS, HEIGHT) == pytest.approx(2.5 + 3.0 + packet + indicator)


def test_the_whole_example_is_its_lifts_throws_and_moves_one_after_another() -> None:
    moves = seeds_example()
    kinematics = Kinematics(ROBOTIC, HEIGHT)
    begun = top_bound(moves[:3], ROBOTIC, WALLS, HEIGHT)
    _, pose = kinematics.seconds(moves[2], Pose(height=0.057))
    for move in moves[3:]:
        seconds, pose = kinematics.seconds(move, pose)
        begun += seconds
    assert top_bound(moves, ROBOTIC, WALLS, HEIGHT) == pytest.approx(begun)
    assert begun == pytest.approx(51.402, abs=0.001)


def test_dice_that_are_thrown_by_hand_leave_out_the_time_of_the_dome() -> None:
    moves = seeds_example()
    shaken = top_bound(moves, ROBOTIC, WALLS, HEIGHT)
    events = top_bound(moves[2:], ROBOTIC, WALLS, HEIGHT)
    assert shaken - events == pytest.approx(2 * 1.5)


def test_what_people_do_counts_nothing() -> None:
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
