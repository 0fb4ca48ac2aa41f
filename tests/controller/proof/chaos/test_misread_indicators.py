"""Tests a reader that misreads the tile that the table turns up."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from controller.proof.chaos.evening import play_evening
from controller.proof.chaos.scenarios import Evening, ScheduledFault
from firmware_bridge.sim.faults.injected_fault import Always, Nth, When

SEEDS = range(6)
SPARE = ScheduledFault("clock_jump", "host", 0, 0.0)
"""A fault without an effect: no table uses the wall clock."""


def events_of_hands(folder: Path, when: When, seeds: range) -> Counter[str]:
    """Play one hand of Wenzhou for each seed with misreads; count the events by their names."""
    counted: Counter[str] = Counter()
    misread = ScheduledFault("misread", "reader", 0, 0.0, when)
    for seed in seeds:
        one = Evening(seed, "robotic", "wenzhou", seed, True, ((misread,),), (SPARE,))
        played = play_evening(one, folder, 1)
        assert played is not None and played.wrong == []
        counted.update(str(event["event"]) for event in played.rounds[0].events)
    return counted


@pytest.mark.slow
@pytest.mark.parametrize("reading", [1, 2])
def test_one_wrong_reading_of_the_indicator_is_read_again_and_the_hand_is_played(
    reading: int, tmp_path: Path
) -> None:
    events = events_of_hands(tmp_path, Nth(reading), SEEDS[:2])
    assert events["settled"] == 2
    assert events["hand_abandoned"] == 0


@pytest.mark.slow
def test_players_who_see_another_tile_than_the_screen_shows_end_the_hand(tmp_path: Path) -> None:
    events = events_of_hands(tmp_path, Always(), SEEDS)
    assert events["settled"] + events["hand_abandoned"] == len(SEEDS)
    assert events["settled"] and events["hand_abandoned"], "no tag, or the same wrong tag"
