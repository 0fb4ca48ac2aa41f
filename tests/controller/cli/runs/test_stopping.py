"""Runs that end early: signals, a full disk, a closed pipe."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.controller.cli.conftest import COMMAND, Start, Wallwright
from tests.quick import slow_except

ATTEMPTS = 5


@pytest.mark.parametrize(
    "stop", slow_except([signal.SIGTERM], [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
)
def test_a_signal_stops_the_table_safely_with_a_summary_and_an_exit_code_of_its_own(
    stop: signal.Signals, start: Start, tmp_path: Path
) -> None:
    events = tmp_path / "events.jsonl"
    # Slow enough that the first round is not over when a busy computer sends the signal.
    run = start(f"run --speed 10 --rounds 9 --events {events}")
    _wait_for('"shuffling"', events)
    run.send_signal(stop)
    out, err = run.communicate(timeout=120)
    assert (run.returncode, err) == (128 + stop, "")
    assert "rounds played  0" in out
    *_, stopped, summary = [json.loads(line) for line in events.read_text().splitlines()]
    assert (stopped["event"], stopped["under"], stopped["top"]) == ("state", "stopped", "stopped")
    assert (summary["event"], summary["rounds"], summary["faults"]) == ("summary", 0, 0)
    assert summary["tiles"] == {"expected": 272, "accounted": 272}


@pytest.mark.slow
def test_a_second_ctrl_c_does_not_interrupt_the_safe_stop(start: Start, tmp_path: Path) -> None:
    for number in range(ATTEMPTS):
        events = tmp_path / f"events{number}.jsonl"
        run = start(f"run --speed 50 --rounds 9 --events {events}")
        _wait_for('"dealing"', events)
        run.send_signal(signal.SIGINT)
        run.send_signal(signal.SIGINT)
        # The stop takes milliseconds, and on a busy computer the run can have ended in between.
        is_in_time = '"summary"' not in events.read_text()
        _, err = run.communicate(timeout=120)
        if is_in_time:
            break
    assert is_in_time, f"in {ATTEMPTS} runs, the second signal came after the end"
    assert (run.returncode, err) == (128 + signal.SIGINT, "")
    assert json.loads(events.read_text().splitlines()[-1])["event"] == "summary"


@pytest.mark.slow
def test_a_run_under_nohup_continues_when_its_terminal_is_closed(tmp_path: Path) -> None:
    events = tmp_path / "events.jsonl"
    line = ("nohup", *COMMAND, *f"run --speed 50 --until ready --events {events}".split())
    with subprocess.Popen(line, **_pipes()) as run:
        _wait_for('"shuffling"', events)
        run.send_signal(signal.SIGHUP)
        assert run.wait(120) == 0
    assert json.loads(events.read_text().splitlines()[-1])["rounds"] == 1


def test_a_full_disk_stops_the_table_and_is_reported(wallwright: Wallwright) -> None:
    result = wallwright("run --events /dev/full")
    assert result.code == 1
    assert result.err == (
        "Events could not be written (No space left on device), and the table was stopped; free"
        " space on the disk, or name another file with --events.\n"
    )


@pytest.mark.parametrize(
    "line",
    slow_except(
        ["run --rounds 3 --events -"],
        [
            "run --rounds 3 --events -",
            "run --until ready",
            "plan filipino --throw 3,4 --throw 2,3 --json",
            "games",
            "check config/tables/robotic.yaml",
            "--help",
        ],
    ),
)
@pytest.mark.slow
def test_a_pipe_that_its_reader_closes_is_not_an_error(line: str) -> None:
    """As with `| true`, which reads nothing."""
    with subprocess.Popen((*COMMAND, *line.split()), **_pipes()) as begun:
        assert begun.stdout is not None
        assert begun.stderr is not None
        begun.stdout.close()
        assert (begun.stderr.read(), begun.wait(timeout=120)) == (b"", 0)


@pytest.mark.slow
def test_an_output_that_cannot_be_written_is_reported() -> None:
    with Path("/dev/full").open("wb") as full:
        listed = subprocess.run(
            (*COMMAND, "games"), stdout=full, stderr=subprocess.PIPE, check=False, timeout=120
        )
    assert listed.returncode == 2
    assert listed.stderr == (
        b"The output cannot be written (No space left on device); redirect it to another file or"
        b" disk.\n"
    )


def _pipes() -> dict[str, int]:
    return {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}


def _wait_for(text: str, events: Path) -> None:
    end = time.monotonic() + 120
    while not (events.exists() and text in events.read_text()):
        assert time.monotonic() < end, f"{text} was not emitted within 120 s"
        time.sleep(0.05)
