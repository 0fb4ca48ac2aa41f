"""Deals a round at real speed, with the daemon and the virtual board in separate processes.

hil_tests/test_killed_hosts.py plays whole rounds in the same way.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.quick import EVIDENCE_ONLY

CLI = (sys.executable, "-m", "controller.cli")
WAIT = 600


@pytest.fixture
def port() -> Iterator[str]:
    """Start a virtual board, yield its pseudo-terminal's path, stop the board after the test."""
    command = (*CLI, "board", "--sim", "robotic", "--pty", "--seed", "5")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as board:
        assert board.stdout is not None
        yield board.stdout.readline().strip()
        board.terminate()


@pytest.mark.slow
@EVIDENCE_ONLY
@pytest.mark.timeout(WAIT + 30)
def test_a_wenzhou_round_is_dealt_over_a_line_between_two_processes(
    port: str, tmp_path: Path
) -> None:
    log = tmp_path / "events.jsonl"
    run = subprocess.run(
        (
            *CLI,
            "run",
            "--port",
            port,
            "--allow-simulated",
            "--until",
            "ready",
            "--events",
            str(log),
        ),
        capture_output=True,
        text=True,
        timeout=WAIT,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    events = [json.loads(line) for line in log.read_text().splitlines()]
    summary = events[-1]
    assert (summary["event"], summary["rounds"], summary["faults"]) == ("summary", 1, 0)
    assert summary["tiles"] == {"expected": 272, "accounted": 272}
    dealt = [place for event in events if event["event"] == "delivered" for place in event["from"]]
    assert len(dealt) == len(set(dealt)) == 65
    assert any(event["event"] == "tile_turned_up" for event in events)
