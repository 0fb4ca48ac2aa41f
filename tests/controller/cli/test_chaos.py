"""`wallwright chaos` on the command line: however many play at once, the report is the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controller.cli import main

ROUNDS = ("--rounds", "7", "--seed", "3", "--tables", "single_port", "--games", "block")


def told(folder: Path, jobs: int) -> list[tuple[int, str]]:
    """Each event's round and name, as some processes wrote them."""
    events = folder / f"{jobs}.jsonl"
    assert main(["chaos", *ROUNDS, "--jobs", str(jobs), "--events", str(events)]) == 0
    lines = [json.loads(line) for line in events.read_text(encoding="utf-8").splitlines()]
    return [(line["round"], line["event"]) for line in lines]


def test_evenings_that_are_played_at_once_are_told_in_their_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alone, together = told(tmp_path, 1), told(tmp_path, 2)
    assert alone == together
    assert [number for number, _ in alone] == sorted(number for number, _ in alone)
    assert "rounds" in capsys.readouterr().out
