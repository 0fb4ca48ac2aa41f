"""Builds of hand lanes that were interrupted: each hand gets its tiles, and no other tile."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.proof.chaos.evening import play_evening
from controller.proof.chaos.scenarios import evening_of, pairs_of


@pytest.mark.slow
@pytest.mark.parametrize(
    "number",
    [
        # Round 3235: the power failed while the first tile for the wall ran to the counter. The
        # lane was filled and its gate shut; the resumed run must not open it again.
        pytest.param(1078, id="power_fails_after_a_lane_is_filled"),
        # Round 4903: the disk was full while a counted tile ran to the lane. The gate must not
        # shut before that tile, or the tile comes into a stack.
        pytest.param(1634, id="disk_is_full_while_a_tile_runs_to_its_lane"),
    ],
)
def test_a_build_that_was_interrupted_gives_each_lane_its_tiles(
    number: int, tmp_path: Path
) -> None:
    played = play_evening(evening_of(number, 767469, pairs_of()), tmp_path)
    assert [sentence for each in played.rounds for sentence in each.wrong] == []
