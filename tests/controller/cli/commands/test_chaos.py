"""`wallwright chaos`: the report does not depend on the number of processes."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import distributed
import pytest

from controller.cli import main
from controller.cli.runs import chaos_session
from controller.cli.runs.chaos_session import ChaosJob
from tests.controller.cli.conftest import COMMAND
from tests.quick import EVIDENCE_ONLY

ROUNDS = ("--rounds", "7", "--seed", "3", "--tables", "single_port", "--games", "block")


def events_of(folder: Path, jobs: int) -> list[tuple[int, str]]:
    """Each event's round and name, with this number of processes.

    The command has a process of its own: those of the campaign are forks of it, and this process
    may have threads, whose locks a fork would keep.
    """
    events = folder / f"{jobs}.jsonl"
    command = (*COMMAND, "chaos", *ROUNDS, "--jobs", str(jobs), "--events", str(events))
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "rounds" in done.stdout
    lines = [json.loads(line) for line in events.read_text(encoding="utf-8").splitlines()]
    return [(line["round"], line["event"]) for line in lines]


@pytest.mark.slow
def test_events_are_written_in_order_if_evenings_are_played_at_the_same_time(
    tmp_path: Path,
) -> None:
    alone, together = events_of(tmp_path, 1), events_of(tmp_path, 2)
    assert alone == together
    assert [number for number, _ in alone] == sorted(number for number, _ in alone)


def report_and_events(folder: Path, *options: str) -> tuple[bytes, bytes]:
    """Play the rounds, and return the bytes of the report and of the events."""
    folder.mkdir()
    report, events = folder / "report.md", folder / "events.jsonl"
    files = ("--report", str(report), "--events", str(events))
    assert main(["chaos", *ROUNDS[:1], "12", *ROUNDS[2:], *options, *files]) == 0
    return report.read_bytes(), events.read_bytes()


def played_with_a_loss(folder: Path) -> tuple[bytes, bytes] | None:
    """Play on a cluster that loses a worker; None if a busy computer ended it too late."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, scheduler_port=0
    ) as cluster:
        victim = next(iter(cluster.workers.values())).pid
        killed_at: list[float] = []
        is_over = threading.Event()

        def kill_when_it_computes() -> None:
            # The scheduler adds and removes workers meanwhile, in a thread of its own.
            while not any(worker.processing for worker in list(cluster.scheduler.workers.values())):
                if is_over.wait(0.01):
                    return
            os.kill(victim, signal.SIGKILL)
            killed_at.append(time.monotonic())

        killer = threading.Thread(target=kill_when_it_computes, daemon=True)
        killer.start()
        try:
            found = report_and_events(folder, "--cluster", cluster.scheduler_address)
            ended_at = time.monotonic()
        finally:
            is_over.set()
            killer.join(120)
    return found if killed_at and killed_at[0] < ended_at else None


@EVIDENCE_ONLY
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::Warning")
def test_a_cluster_that_loses_a_worker_writes_the_report_of_one_process_byte_for_byte(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.proof.campaign.CONNECTING", 120.0)
    tries = (played_with_a_loss(tmp_path / f"cluster {number}") for number in range(5))
    from_cluster = next((found for found in tries if found is not None), None)
    assert from_cluster is not None, "no worker was lost while it computed"
    assert from_cluster == report_and_events(tmp_path / "alone")
    capsys.readouterr()
    gc.collect()  # here, where warnings of what the cluster leaves are ignored


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
    events, report = tmp_path / "events.jsonl", tmp_path / "report.md"
    command = (*COMMAND, "chaos", "--rounds", "30000", *more)
    with subprocess.Popen(
        (*command, "--events", str(events), "--report", str(report)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        try:
            _wait_for_contents(events, running)
            running.send_signal(signal.SIGINT)
            out, err = running.communicate(timeout=120)
        finally:
            running.kill()
    assert running.returncode == 130
    assert "hosts that resumed an unfinished round" in out
    assert err.strip().startswith("Interrupted by Ctrl-C after ")
    assert "of 30000 rounds of seed 0." in err
    assert "Traceback" not in err
    assert f"**{err.strip()}**" in report.read_text("utf-8")


def test_ctrl_c_writes_the_report_file_and_says_in_it_which_rounds_are_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pressed: list[object] = []
    monkeypatch.setattr(chaos_session, "is_stopped", lambda: bool(pressed))
    monkeypatch.setattr(chaos_session, "_print_failures", lambda *at: pressed.append(at))
    report = tmp_path / "report.md"
    job = ChaosJob(
        30, 0, 0, ["block"], ["single_port"], play=False, report=report, events=None, jobs=1
    )
    assert chaos_session.play_rounds(job, as_json=False) == 130
    page = report.read_text("utf-8")
    assert "**Interrupted by Ctrl-C after 3 of 30 rounds of seed 0.**" in page
    assert "Interrupted by Ctrl-C after 3 of 30 rounds" in capsys.readouterr().err
    assert "| rounds | 3 |" in page


def _wait_for_contents(file: Path, running: subprocess.Popen[str]) -> None:
    """Wait until the first evening has been written."""
    for _ in range(3000):
        assert running.poll() is None
        if file.exists() and file.stat().st_size:
            return
        with pytest.raises(subprocess.TimeoutExpired):
            running.wait(0.02)
    raise AssertionError("No evening was written within a minute.")
