"""A seed gives the same run in every process, whatever addresses the system gives to objects."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROCESSES = 3
"""With the order of a set of objects in the run, two processes differed in half of all pairs."""


@pytest.mark.slow
def test_rounds_with_a_reconnected_board_are_the_same_in_every_process(tmp_path: Path) -> None:
    runs = []
    for number in range(PROCESSES):
        events = tmp_path / f"{number}.jsonl"
        line = ("chaos", "--seed", "11", "--from", "3", "--rounds", "2", "--events", str(events))
        subprocess.run(
            (sys.executable, "-m", "controller.cli", *line), check=True, capture_output=True
        )
        runs.append(events.read_text(encoding="utf-8"))
    assert all(run == runs[0] for run in runs)
    assert '"resumed"' in runs[0]
