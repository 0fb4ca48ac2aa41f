"""`make evidence`: the commands that it runs, the seeds that it prints, and its exit codes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import evidence


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """Collects the commands instead of running them; a command whose seed ends with 7 fails."""
    collected: list[tuple[str, ...]] = []

    def run(command: tuple[str, ...], *, check: bool) -> object:
        collected.append(command[len(evidence.WALLWRIGHT) :])
        seed = command[command.index("--seed") + 1]
        return type("Ended", (), {"returncode": 1 if seed.endswith("7") else 0})

    monkeypatch.setattr("subprocess.run", run)
    return collected


def test_without_a_name_two_seeds_of_ten_thousand_rounds_and_one_of_kills_are_run(
    commands: list[tuple[str, ...]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evidence.main(["--seed", "10", "--reports", str(tmp_path)]) == 0
    report = ("--report", str(tmp_path / "chaos-10.md"))
    assert commands[0] == (
        *("chaos", "--rounds", "10000", "--seed", "10", "--jobs", "2"),
        *report,
    )
    assert commands[1][4] == "11"
    assert commands[2] == ("chaos", "--kill", "--kills", "250", "--seed", "10")
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
        "There is no measurement 'proofs'; give chaos or kills, or no name for all.\n"
    )
