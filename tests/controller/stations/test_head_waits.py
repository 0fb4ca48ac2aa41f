"""How long a head waits for its tiles, and what it concludes from how many are still to come."""

from __future__ import annotations

import pytest

from config.loader import load_table
from controller.stations.load import FEW, STARVED, Load, longest_wait, looks

HEADS = load_table("robotic").modules.heads
assert HEADS is not None


def shared(*tiles: int) -> Load:
    return Load({f"head {number}": share for number, share in enumerate(tiles)})


def test_a_full_drum_gives_its_tiles_within_seconds() -> None:
    assert longest_wait(HEADS, 2, shared(34, 34, 34, 34)) == pytest.approx(2.0 + 6 * 0.28 * 2)


def test_the_tail_may_take_longer_but_not_for_ever() -> None:
    waits = [longest_wait(HEADS, 1, shared(0, 0, 0, left)) for left in range(30, 0, -1)]
    assert waits == sorted(waits)
    assert waits[-1] == pytest.approx(2.0 + 6 * 0.28 * 24)
    assert longest_wait(HEADS, 4, shared(0, 0, 0, 4)) == STARVED


def test_where_nobody_knows_what_is_in_the_drum_the_wait_is_the_longest() -> None:
    assert longest_wait(HEADS, 1, Load()) == STARVED


def test_a_counter_is_looked_at_on_the_way_and_sooner_where_a_tile_was_stuck() -> None:
    assert looks(10.0, again=False) == (6.0, 4.0)
    assert looks(10.0, again=True) == (2.0, 8.0)


def test_a_tile_that_was_taken_out_again_is_still_to_come() -> None:
    load = shared(2, 2)
    load.came("head 0", 2)
    load.came("head 0", -1)
    assert (load.left, load.shares["head 0"]) == (3, 1)


def test_a_few_tiles_that_only_one_head_waits_for_are_missing() -> None:
    assert shared(0, 1, 0, 0).is_missing("head 1")
    assert not shared(0, 1, 0, 1).is_missing("head 1")
    assert not shared(0, FEW + 1, 0, 0).is_missing("head 1")
    assert not Load().is_missing("head 1")


def test_a_drum_is_full_while_tiles_come_without_waiting() -> None:
    assert shared(10, 10, 10, 10).is_full(HEADS)
    assert not shared(7, 7, 7, 7).is_full(HEADS)
