"""Tests `make evidence`: the commands, the printed seeds, and the exit codes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import evidence


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """Collect the commands instead of running them; a run of chaos with seed 7 fails."""
    collected: list[tuple[str, ...]] = []

    def run(command: tuple[str, ...], *, cwd: Path, check: bool) -> object:
        begun = len(evidence.WALLWRIGHT) if command[:3] == evidence.WALLWRIGHT else 0
        collected.append(command[begun:])
        return type("Ended", (), {"returncode": 1 if command[7:8] == ("7",) else 0})

    monkeypatch.setattr("subprocess.run", run)
    return collected


def test_without_a_name_every_measurement_is_run(
    commands: list[tuple[str, ...]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evidence.main(["--seed", "10", "--reports", str(tmp_path)]) == 0
    report = ("--report", str(tmp_path / "chaos-10.md"))
    assert commands[0] == (
        *("chaos", "--rounds", "10000", "--seed", "10", "--audit", "--jobs", "2"),
        *report,
    )
    assert commands[1][4] == "11"
    assert commands[2] == ("chaos", "--kill", "--kills", "250", "--seed", "10")
    assert commands[3] == (
        *("make", "-s", "-C", "firmware_bridge/firmware"),
        *("fuzz", "FUZZ_SECONDS=600", "FUZZ_SEED=10", "FUZZER=fuzz_frames"),
    )
    assert commands[4][2:] == (
        *("benchmarks.emergency_phases", "--phases", "10000"),
        *("--seed", "10", "--jobs", "2"),
    )
    assert commands[5][2:] == (
        *("tests.firmware_bridge.firmware.stock_rounds", "--rounds", "20"),
        *("--seed", "10"),
    )
    assert commands[6][1:] == (
        *("-m", "tools.false_messages", "--messages", "1000000", "--real-seconds", "60"),
        *("--seed", "10"),
    )
    assert commands[7][-1] == "FUZZER=fuzz_frames_rp2040"
    assert commands[8][-1] == "FUZZER=fuzz_storage_rp2040"
    assert commands[9][2:] == ("tests.firmware_bridge.firmware.pico_round", "--seed", "10")
    assert commands[10][1:] == (
        *("-m", "pytest", "-q", "-n", "2", "-m", "evidence", "--timeout", "3600"),
        *("--hypothesis-profile", "evidence", "--hypothesis-seed", "10"),
    )
    swept = ("-m", "benchmarks.safety_sweep", "--jobs", "2")
    assert commands[11][1:] == swept
    assert commands[12][1:] == (*swept, "--chip", "pico")
    assert commands[13][-1] == "FUZZER=fuzz_usb_rp2040"
    assert len(commands) == 14
    out = capsys.readouterr().out
    assert "chaos, seed 10: wallwright chaos --rounds 10000 --seed 10" in out
    assert "kills, seed 10: passed" in out


def test_a_failed_run_is_reported_and_the_other_runs_still_happen(
    commands: list[tuple[str, ...]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evidence.main(["chaos", "--seed", "7", "--reports", str(tmp_path)]) == 1
    assert len(commands) == evidence.RUNS
    assert "chaos, seed 7: FAILED with exit code 1" in capsys.readouterr().out


def test_without_a_seed_every_run_gets_a_new_one(
    commands: list[tuple[str, ...]], tmp_path: Path
) -> None:
    for _ in range(4):
        evidence.main(["chaos", "--reports", str(tmp_path)])
    assert len({command[4] for command in commands}) > evidence.RUNS


def test_an_unknown_measurement_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert evidence.main(["proofs"]) == 2
    assert capsys.readouterr().err == (
        "There is no measurement 'proofs'; give chaos, kills, fuzz, emergency, boots,"
        " false_messages, fuzz_pico, fuzz_storage, pico_round, cases, sweep,"
        " sweep_pico, fuzz_usb, or no name for all.\n"
    )
