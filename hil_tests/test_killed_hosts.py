"""Kills host processes eight times and checks that each round is dealt once.

The boards run in real time, so that it takes five minutes. `make evidence` kills 250 more by
`wallwright chaos --kill`; `tests/controller/test_restart.py` stops hosts in virtual time.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from controller.proof.chaos.killing import Killed, Killing, kill_hosts
from tests.quick import EVIDENCE_ONLY

TABLES, KILLS = 2, 4


@EVIDENCE_ONLY
@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_rounds_whose_hosts_are_killed_eight_times_are_dealt_once(tmp_path: Path) -> None:
    def one_table(seed: int) -> Killed:
        folder = tmp_path / str(seed)
        folder.mkdir()
        return kill_hosts(Killing("robotic", "wenzhou", seed, KILLS), folder)

    # The tables run in real time and mostly wait for motors, so they run in parallel.
    with ThreadPoolExecutor(TABLES) as tables:
        for killed in tables.map(one_table, range(1, TABLES + 1)):
            assert killed.wrong == []
            assert killed.kills == KILLS
            assert killed.resumes > 0
