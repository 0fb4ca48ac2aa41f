"""`wallwright selftest`: every channel is tried while somebody watches, and all is written down."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from config.loader import load_table, table_names
from controller.cli.selftest_session import READY
from tests.controller.cli.conftest import Start, Wallwright


def report_of(wallwright: Wallwright, tmp_path: Path, options: str) -> tuple[int, dict[str, Any]]:
    """The exit code, and the report as programs read it."""
    said = wallwright(f"selftest --sim --yes {options} --report {tmp_path / 'report.md'}")
    return said.code, json.loads((tmp_path / "report.json").read_text("utf-8"))


@pytest.mark.parametrize("table", table_names())
def test_every_channel_of_a_sound_table_passes(
    table: str, wallwright: Wallwright, tmp_path: Path
) -> None:
    code, report = report_of(wallwright, tmp_path, f"--table {table}")
    assert code == 0
    assert report["counts"]["failed"] == report["counts"]["skipped"] == 0
    machine = load_table(table)
    tried = {channel for trial in report["trials"] for channel in trial["channels"]}
    homes = {
        getattr(channel, "home_switch", None)
        for board in machine.boards.values()
        for channel in board.channels.values()
    }
    every = {name for board in machine.boards.values() for name in board.channels}
    assert every - tried <= homes, "a home switch is tried with its axis"


def test_the_emergency_stop_is_tried_before_anything_moves(
    wallwright: Wallwright, tmp_path: Path
) -> None:
    _, report = report_of(wallwright, tmp_path, "--table robotic")
    parts = [trial["part"] for trial in report["trials"]]
    assert parts[:2] == ["emergency stop"] * 2
    ordered = [trial["ordered"] for trial in report["trials"]]
    assert ordered.index(next(each for each in ordered if each != "nothing")) == sum(
        each == "nothing" for each in ordered
    )


def test_a_counter_that_sticks_fails_by_name_and_the_rest_is_tried_all_the_same(
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


def test_the_same_test_twice_is_the_same_report(wallwright: Wallwright, tmp_path: Path) -> None:
    first, second = (report_of(wallwright, tmp_path, "--table classic")[1] for _ in range(2))
    assert first["trials"] == second["trials"]


# With a person


def answered(
    start: Start, lines: str, options: str = "--table bench --sim"
) -> tuple[int, str, str]:
    """What the command says to somebody who types these lines and leaves."""
    process = start(f"selftest {options}", stdin=subprocess.PIPE)
    out, err = process.communicate(lines, timeout=60)
    return process.returncode, out, err


def test_nothing_is_tried_before_somebody_says_that_the_table_is_clear(start: Start) -> None:
    code, out, err = answered(start, "n\n")
    assert (code, READY in out) == (2, True)
    assert err == "Nothing was moved; begin again when the table is clear.\n"
    assert "passed:" not in out and "Press" not in out


def test_a_person_may_skip_and_may_say_no(start: Start) -> None:
    skipped = "skip\n" * 3
    code, out, _ = answered(start, f"y\n{skipped}\nno\n" + "skip\n" * 6)
    assert code == 1
    assert "failed: relay of relay: powered followed, the person said no" in out
    assert "0 passed, 1 failed, 9 skipped" in out


def test_who_leaves_in_the_middle_leaves_a_table_at_rest(start: Start) -> None:
    code, _, err = answered(start, "y\nskip\n")
    assert code == 1
    assert err == "The terminal was closed before the answer; everything was stopped.\n"


def test_ctrl_c_at_the_first_question_leaves_too(start: Start) -> None:
    process = start("selftest --table bench --sim", stdin=subprocess.PIPE)
    assert process.stdout is not None
    assert READY in process.stdout.readline()
    os.kill(process.pid, signal.SIGINT)
    assert process.wait(30) == 130
    process.communicate()


def test_ctrl_c_stops_everything_and_keeps_what_was_found(start: Start, tmp_path: Path) -> None:
    options = f"--table bench --sim --report {tmp_path / 'kept'}"
    process = start(f"selftest {options}", stdin=subprocess.PIPE)
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write("y\nskip\nskip\n")
    process.stdin.flush()
    while "Cover lid" not in process.stdout.readline():
        pass
    os.kill(process.pid, signal.SIGINT)
    assert process.wait(30) == 130
    process.communicate()
    report = json.loads((tmp_path / "kept.json").read_text("utf-8"))
    assert report["ended"] == "it was interrupted"
    assert report["counts"] == {"passed": 0, "failed": 0, "skipped": 2}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("", "Name the boards with --port, or add --sim."),
        ("--sim --port /dev/ttyACM0", "leave out --sim or --port."),
        ("--port /dev/ttyACM0 --yes", "A real table is watched by a person"),
        ("--port /dev/ttyACM0 --fault jam:head2", "A real table has its own faults"),
        ("--sim --yes --table benhc", "did you mean 'bench'?"),
        ("--sim --yes --report /nowhere/at/all.md", "name a writable file with --report."),
        ("--table bench --port /dev/ttyACM0", "give --port gpio."),
    ],
)
def test_what_cannot_be_obeyed_is_one_sentence(
    options: str, words: str, wallwright: Wallwright
) -> None:
    said = wallwright(f"selftest {options}")
    assert (said.code, said.out) == (2, "")
    assert words in said.err
