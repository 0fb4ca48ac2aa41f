"""`run --fault`, `run --faults FILE` and `board --fault`: injected faults and wrong options."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from config.loader import load_table
from controller.cli.options.boards import injected_faults_of
from firmware_bridge.sim.faults.injected_fault import parse
from tests.controller.cli.conftest import Start, Wallwright


@pytest.mark.slow
def test_a_weak_lid_motor_delays_the_round_but_does_not_stop_it(wallwright: Wallwright) -> None:
    quick = wallwright("run --until ready --seed 7 --events -")
    slow = wallwright("run --until ready --seed 7 --events - --fault weak_motor:lid#1~1.5")
    took = [result.events[-1]["virtual_s"] for result in (quick, slow)]
    assert took[1] - took[0] > 0.9


@pytest.mark.slow
def test_a_fault_that_does_not_occur_changes_nothing_in_the_run(wallwright: Wallwright) -> None:
    line = "run --until ready --seed 7 --events -"
    alone, watched = wallwright(line), wallwright(f"{line} --fault jam:head2#100000")
    assert alone.events[:-1] == watched.events[:-1]


def test_the_faults_of_options_and_of_a_campaign_are_combined(tmp_path: Path) -> None:
    campaign = tmp_path / "evening.yaml"
    campaign.write_text("faults: [half_up:lift1#1]\n", encoding="utf-8")
    injected = injected_faults_of(["jam:head2#3"], campaign, load_table("robotic"))
    assert injected == (parse("half_up:lift1#1"), parse("jam:head2#3"))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--fault jamm:head2", "'jamm' is not a kind of injected fault. Did you mean 'jam'?"),
        ("--fault jam", "'jam' is not an injected fault. Write KIND:PART"),
        ("--fault jam:head7", "the table robotic has no 'head7' for jam. Did you mean"),
        ("--fault jam:head2 --port /dev/null", "`--fault` works on a simulated table only;"),
        ("--faults nowhere.yaml", "nowhere.yaml: the file does not exist."),
    ],
)
def test_an_invalid_fault_option_is_refused_before_anything_moves(
    wallwright: Wallwright, options: str, sentence: str
) -> None:
    result = wallwright(f"run {options}")
    assert (result.code, result.out) == (2, "")
    assert sentence in result.err


def test_a_defect_of_a_campaign_is_reported_with_file_and_line(
    wallwright: Wallwright, tmp_path: Path
) -> None:
    file = tmp_path / "evening.yaml"
    file.write_text("faults:\n  - jam:head2\n  - jamm:head2\n", encoding="utf-8")
    result = wallwright(f"run --faults {file}")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"{file}:3: faults.1: 'jamm' is not a kind of injected fault. Did")


def test_a_virtual_board_in_another_process_accepts_faults(wallwright: Wallwright) -> None:
    result = wallwright("board --pty --fault jam:head9")
    assert (result.code, result.out) == (2, "")
    assert "has no 'head9'" in result.err


@pytest.mark.slow
def test_a_power_cut_of_the_host_ends_the_process_without_any_output(
    start: Start, tmp_path: Path
) -> None:
    journal = tmp_path / "journal.db"
    with start(f"run --journal {journal} --fault power_cut:host@30") as run:
        out, err = run.communicate(timeout=60)
    assert run.returncode == -signal.SIGKILL
    assert "rounds played" not in out + err
    assert journal.exists()


@pytest.mark.slow
def test_a_full_disk_stops_the_table_without_a_traceback(start: Start, tmp_path: Path) -> None:
    journal = tmp_path / "journal.db"
    with start(f"run --journal {journal} --fault full_disk:host@30 --rounds 3") as run:
        _, err = run.communicate(timeout=60)
    assert run.returncode == 1
    assert "Traceback" not in err
