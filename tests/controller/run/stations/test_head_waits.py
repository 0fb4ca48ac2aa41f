"""Tests how long a head waits for its tiles, and when tiles count as missing."""

from __future__ import annotations

import pytest

from config.loader import load_table
from controller.run.stations.tile_counter import (
    MOST_MISSING,
    STARVED,
    Load,
    longest_wait,
    wait_parts,
)

HEADS = load_table("robotic").modules.heads
assert HEADS is not None


def shared(*tiles: int) -> Load:
    return Load({f"head {number}": share for number, share in enumerate(tiles)})


def test_a_full_drum_gives_its_tiles_within_seconds() -> None:
    assert longest_wait(HEADS, 2, shared(34, 34, 34, 34)) == pytest.approx(2.0 + 6 * 0.28 * 2)


def test_the_last_tiles_take_longer_up_to_a_limit() -> None:
    waits = [longest_wait(HEADS, 1, shared(0, 0, 0, left)) for left in range(30, 0, -1)]
    assert waits == sorted(waits)
    assert waits[-1] == pytest.approx(2.0 + 6 * 0.28 * 24)
    assert longest_wait(HEADS, 4, shared(0, 0, 0, 4)) == STARVED


def test_a_head_waits_longest_if_the_number_of_tiles_in_the_drum_is_unknown() -> None:
    assert longest_wait(HEADS, 1, Load()) == STARVED


def test_the_counter_is_read_during_a_wait_and_earlier_after_a_jam() -> None:
    assert wait_parts(10.0, again=False) == (6.0, 4.0)
    assert wait_parts(10.0, again=True) == (2.0, 8.0)


def test_a_removed_tile_has_to_be_lifted_again() -> None:
    load = shared(2, 2)
    load.count("head 0", 2)
    load.count("head 0", -1)
    assert (load.left, load.shares["head 0"]) == (3, 1)


def test_a_few_tiles_that_only_one_head_lacks_are_missing() -> None:
    assert shared(0, 1, 0, 0).is_missing("head 1")
    assert not shared(0, 1, 0, 1).is_missing("head 1")
    assert not shared(0, MOST_MISSING + 1, 0, 0).is_missing("head 1")
    assert not Load().is_missing("head 1")


def test_a_drum_is_full_while_tiles_come_without_delay() -> None:
    assert shared(10, 10, 10, 10).is_full(HEADS)
    assert not shared(7, 7, 7, 7).is_full(HEADS)
