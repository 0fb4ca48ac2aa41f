"""`wallwright selftest`: tests every channel while a person watches, and writes a report."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from config.loader import load_table, table_names
from controller.cli.runs.selftest_session import READY
from tests.controller.cli.conftest import Start, Wallwright


def report_of(wallwright: Wallwright, tmp_path: Path, options: str) -> tuple[int, dict[str, Any]]:
    """Run a self-test with a simulated person; returns the exit code and the JSON report."""
    page, values = tmp_path / "report.md", tmp_path / "report.json"
    for file in (page, values):
        file.unlink(missing_ok=True)
    result = wallwright(f"selftest --sim --yes {options} --report {page}")
    return result.code, json.loads(values.read_text("utf-8"))


@pytest.mark.parametrize("table", table_names())
def test_every_channel_of_a_table_without_faults_passes(
    table: str, wallwright: Wallwright, tmp_path: Path
) -> None:
    code, report = report_of(wallwright, tmp_path, f"--table {table}")
    assert code == 0
    assert report["counts"]["failed"] == report["counts"]["skipped"] == 0
    machine = load_table(table)
    tested = {channel for trial in report["trials"] for channel in trial["channels"]}
    homes = {
        getattr(channel, "home_switch", None)
        for board in machine.boards.values()
        for channel in board.channels.values()
    }
    every = {name for board in machine.boards.values() for name in board.channels}
    assert every - tested <= homes, "a home switch is tested with its axis"


def test_the_emergency_stop_is_tested_before_anything_moves(
    wallwright: Wallwright, tmp_path: Path
) -> None:
    _, report = report_of(wallwright, tmp_path, "--table robotic")
    parts = [trial["part"] for trial in report["trials"]]
    assert parts[:2] == ["emergency stop"] * 2
    ordered = [trial["ordered"] for trial in report["trials"]]
    assert ordered.index(next(each for each in ordered if each != "nothing")) == sum(
        each == "nothing" for each in ordered
    )


def test_a_stuck_counter_fails_and_the_other_channels_are_tested(
    wallwright: Wallwright, tmp_path: Path
) -> None:
    code, report = report_of(wallwright, tmp_path, "--table bench --fault stuck_sensor:counter")
    assert code == 1
    (failed,) = [trial for trial in report["trials"] if trial["verdict"] == "failed"]
    assert (failed["part"], failed["channels"]) == ("head 0", ["counter"])
    assert failed["seen"] == "counter did not become active in 60 s"
    assert report["counts"]["passed"] == len(report["trials"]) - 1
    page = (tmp_path / "report.md").read_text("utf-8")
    assert "## Failed trials" in page and "| head 0 | counter |" in page


@pytest.mark.slow
def test_the_same_self_test_twice_gives_the_same_report(
    wallwright: Wallwright, tmp_path: Path
) -> None:
    first, second = (report_of(wallwright, tmp_path, "--table classic")[1] for _ in range(2))
    assert first["trials"] == second["trials"]


# With a person


def answered(
    start: Start, lines: str, options: str = "--table bench --sim"
) -> tuple[int, str, str]:
    """Type these lines and close the input; returns exit code, output and errors."""
    process = start(f"selftest {options}", stdin=subprocess.PIPE)
    out, err = process.communicate(lines, timeout=120)
    return process.returncode, out, err


@pytest.mark.slow
def test_no_channel_is_tested_before_the_person_confirms_that_the_table_is_clear(
    start: Start,
) -> None:
    code, out, err = answered(start, "n\n")
    assert (code, READY in out) == (2, True)
    assert err == "Nothing was moved; repeat the command when the table is clear.\n"
    assert "passed:" not in out and "Press" not in out


@pytest.mark.slow
def test_a_person_can_skip_a_trial_and_can_answer_no(start: Start) -> None:
    skipped = "skip\n" * 3
    code, out, _ = answered(start, f"y\n{skipped}\nno\n" + "skip\n" * 6)
    assert code == 1
    assert "failed: relay of relay: powered followed, the person answered no" in out
    assert "0 passed, 1 failed, 9 skipped" in out


@pytest.mark.slow
def test_if_the_terminal_is_closed_all_motions_stop(start: Start) -> None:
    code, _, err = answered(start, "y\nskip\n")
    assert code == 1
    assert err == "The terminal was closed before the answer; all motions were stopped.\n"


@pytest.mark.slow
def test_ctrl_c_at_the_first_question_ends_the_self_test(start: Start) -> None:
    process = start("selftest --table bench --sim", stdin=subprocess.PIPE)
    assert process.stdout is not None
    assert READY in process.stdout.readline()
    os.kill(process.pid, signal.SIGINT)
    assert process.wait(120) == 130
    process.communicate()


@pytest.mark.slow
def test_ctrl_c_stops_all_motions_and_writes_the_report_so_far(
    start: Start, tmp_path: Path
) -> None:
    options = f"--table bench --sim --report {tmp_path / 'kept'}"
    process = start(f"selftest {options}", stdin=subprocess.PIPE)
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write("y\nskip\nskip\n")
    process.stdin.flush()
    assert any("Cover lid" in line for line in process.stdout), "the self-test has ended"
    os.kill(process.pid, signal.SIGINT)
    assert process.wait(120) == 130
    process.communicate()
    report = json.loads((tmp_path / "kept.json").read_text("utf-8"))
    assert report["ended"] == "interrupted"
    assert report["counts"] == {"passed": 0, "failed": 0, "skipped": 2}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("", "The boards are missing; name their port with --port, or add --sim."),
        ("--sim --port /dev/ttyACM0", "leave out --sim, or leave out --port."),
        ("--port /dev/ttyACM0 --yes", "`--yes` works on a simulated table only;"),
        ("--port /dev/ttyACM0 --fault jam:head2", "`--fault` works on a simulated table only;"),
        ("--port /dev/no-such-port", "There is no port /dev/no-such-port; `wallwright scan`"),
        ("--sim --yes --table benhc", "did you mean 'bench'?"),
        ("--sim --yes --report /nowhere/at/all.md", "name a writable file with --report."),
        ("--table bench --port /dev/ttyACM0", "give --port gpio."),
    ],
)
def test_an_invalid_command_line_is_refused_with_one_sentence(
    options: str, sentence: str, wallwright: Wallwright
) -> None:
    result = wallwright(f"selftest {options}")
    assert (result.code, result.out) == (2, "")
    assert sentence in result.err
