"""Hosts of a board in another process are killed a hundred times, and the round is dealt once."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.chaos.killing import Killing, kill_hosts

KILLS = 50


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_round_whose_host_is_killed_fifty_times_is_dealt_once(seed: int, tmp_path: Path) -> None:
    killed = kill_hosts(Killing("robotic", "wenzhou", seed, KILLS), tmp_path)
    assert killed.wrong == []
    assert killed.kills == KILLS
    assert killed.resumes > 0
