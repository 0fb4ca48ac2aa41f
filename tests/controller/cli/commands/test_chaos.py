"""`wallwright chaos`: the report does not depend on the number of processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import distributed
import pytest

from controller.cli import main

ROUNDS = ("--rounds", "7", "--seed", "3", "--tables", "single_port", "--games", "block")


def events_of(folder: Path, jobs: int) -> list[tuple[int, str]]:
    """Each event's round and name, with this number of processes."""
    events = folder / f"{jobs}.jsonl"
    assert main(["chaos", *ROUNDS, "--jobs", str(jobs), "--events", str(events)]) == 0
    lines = [json.loads(line) for line in events.read_text(encoding="utf-8").splitlines()]
    return [(line["round"], line["event"]) for line in lines]


@pytest.mark.slow
def test_events_are_written_in_order_if_evenings_are_played_at_the_same_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alone, together = events_of(tmp_path, 1), events_of(tmp_path, 2)
    assert alone == together
    assert [number for number, _ in alone] == sorted(number for number, _ in alone)
    assert "rounds" in capsys.readouterr().out


def report_and_events(folder: Path, *options: str) -> tuple[bytes, bytes]:
    """Play the rounds, and return the bytes of the report and of the events."""
    folder.mkdir()
    report, events = folder / "report.md", folder / "events.jsonl"
    files = ("--report", str(report), "--events", str(events))
    assert main(["chaos", *ROUNDS[:1], "12", *ROUNDS[2:], *options, *files]) == 0
    return report.read_bytes(), events.read_bytes()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::Warning")
def test_a_cluster_that_loses_a_worker_writes_the_report_of_one_process_byte_for_byte(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, scheduler_port=0
    ) as cluster:
        victim = next(iter(cluster.workers.values())).pid
        killed_at: list[float] = []

        def kill_when_it_computes() -> None:
            while not any(worker.processing for worker in cluster.scheduler.workers.values()):
                time.sleep(0.01)
            os.kill(victim, signal.SIGKILL)
            killed_at.append(time.monotonic())

        killer = threading.Thread(target=kill_when_it_computes)
        killer.start()
        from_cluster = report_and_events(
            tmp_path / "cluster", "--cluster", cluster.scheduler_address
        )
        ended_at = time.monotonic()
        killer.join()
    assert killed_at and killed_at[0] < ended_at
    assert from_cluster == report_and_events(tmp_path / "alone")
    capsys.readouterr()


@pytest.mark.slow
def test_the_report_as_json_lists_which_values_of_every_choice_were_taken(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["chaos", *ROUNDS, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["rounds"] == sum(report["endings"].values()) == 7
    assert sum(report["choices"]["block"]["players"].values()) == 7
    assert report["tables"] == [{"table": "single_port", "game": "block", "rounds": 7}]


@pytest.mark.parametrize(
    "more",
    [
        pytest.param((), id="alone"),
        pytest.param(("--jobs", "2"), id="two processes", marks=pytest.mark.slow),
    ],
)
@pytest.mark.slow
def test_ctrl_c_ends_a_long_run_with_a_report_of_the_rounds_so_far(
    more: tuple[str, ...], tmp_path: Path
) -> None:
    events = tmp_path / "events.jsonl"
    command = (sys.executable, "-m", "controller.cli", "chaos", "--rounds", "30000", *more)
    with subprocess.Popen(
        (*command, "--events", str(events)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        try:
            _wait_for_contents(events, running)
            running.send_signal(signal.SIGINT)
            out, err = running.communicate(timeout=60)
        finally:
            running.kill()
    assert running.returncode == 130
    assert "hosts that resumed an unfinished round" in out
    assert err.strip().startswith("Interrupted by Ctrl-C after ")
    assert "of 30000 rounds of seed 0." in err
    assert "Traceback" not in err


def _wait_for_contents(file: Path, running: subprocess.Popen[str]) -> None:
    """Wait until the first evening has been written."""
    for _ in range(3000):
        assert running.poll() is None
        if file.exists() and file.stat().st_size:
            return
        with pytest.raises(subprocess.TimeoutExpired):
            running.wait(0.02)
    raise AssertionError("No evening was written within a minute.")
