"""Tests the examples: a game that pip installs beside Wallwright, and a table file."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from controller.cli import main

TOP = Path(__file__).parents[2]
GAME = TOP / "examples" / "game_high_bone"
TABLE = TOP / "examples" / "table_domino_club" / "domino_club.yaml"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the example game, installed by pip, and with a broken plug-in."""
    source = tmp_path_factory.mktemp("source") / GAME.name
    shutil.copytree(GAME, source, ignore=shutil.ignore_patterns("__pycache__"))
    folder = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q", "install"]
    options = ["--no-index", "--no-deps", "--no-build-isolation", "--target", str(folder)]
    subprocess.run([*pip, *options, str(source)], check=True)
    broken = folder / "broken_whist-1.0.dist-info"
    broken.mkdir()
    (broken / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-whist\nVersion: 1.0\n")
    (broken / "entry_points.txt").write_text("[wallwright.games]\nwhist = broken_whist:PLUGIN\n")
    return folder


def run_installed(installed: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own, with the installed plug-ins."""
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=TOP,
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_the_installed_game_passes_the_conformance_tests(installed: Path) -> None:
    suite = ["pytest", "--pyargs", "controller.proof.conformance", "-k", "high_bone"]
    tested = run_installed(installed, *suite, "-q", "-p", "no:cacheprovider")
    assert tested.returncode == 0, tested.stdout + tested.stderr
    passed = re.search(r"^(\d+) passed, \d+ deselected", tested.stdout, re.MULTILINE)
    assert passed is not None, tested.stdout
    assert int(passed[1]) > 20


@pytest.mark.slow
def test_the_games_own_tests_pass(installed: Path) -> None:
    tested = run_installed(installed, "pytest", "-q", "-p", "no:cacheprovider", str(GAME / "tests"))
    assert tested.returncode == 0, tested.stdout + tested.stderr


@pytest.mark.slow
def test_a_broken_plug_in_is_reported_and_the_other_game_is_listed_and_played(
    installed: Path,
) -> None:
    listed = run_installed(installed, "controller.cli", "games")
    assert listed.returncode == 0
    assert re.search(r"^ *high_bone +High Bone +2-4 +28 ", listed.stdout, re.MULTILINE)
    sentence = (
        "The entry point 'whist' of wallwright.games: 'broken_whist:PLUGIN' cannot be imported"
        " (No module named 'broken_whist'); repair or uninstall its package.\n"
    )
    assert listed.stderr == sentence
    played = run_installed(installed, "controller.cli", "run", "--game", "high_bone", "--play")
    assert played.returncode == 0, played.stderr
    assert re.search(r"^faults +0 *$", played.stdout, re.MULTILINE)
    refused = run_installed(installed, "controller.cli", "plan", "whist")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.endswith(sentence)


@pytest.mark.slow
def test_the_table_plays_the_game_from_their_own_files(tmp_path: Path) -> None:
    """Each command runs in a new process, because a process keeps a game that it has loaded."""
    record = tmp_path / "hands.jsonl"
    both = ["--table", str(TABLE), "--game", str(GAME)]
    run = ["controller.cli", "run", *both, "--play", "--rounds", "2", "--record", str(record)]
    nothing_installed = tmp_path / "nothing_installed"
    played = run_installed(nothing_installed, *run)
    assert played.returncode == 0, played.stderr
    assert re.search(r"^faults +0 *$", played.stdout, re.MULTILINE)
    unknown = run_installed(nothing_installed, "controller.cli", "replay", str(record))
    assert unknown.returncode != 0
    assert "There is no game 'high_bone'" in unknown.stderr
    again = run_installed(
        nothing_installed, "controller.cli", "replay", str(record), "--game", str(GAME)
    )
    assert again.returncode == 0, again.stderr
    assert "High Bone, hand 2, seat 3 deals" in again.stdout


@pytest.mark.slow
def test_the_table_passes_check_wiring_selftest_and_plan(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["check", str(TABLE)]) == 0
    assert "  block: fits; by hand: packets\n" in capsys.readouterr().out
    assert main(["wiring", str(TABLE)]) == 0
    assert "head 1, S23 vane" in capsys.readouterr().out
    assert main(["selftest", "--sim", "--yes", "--table", str(TABLE)]) == 0
    assert main(["plan", "block", "--table", str(TABLE)]) == 0


@pytest.mark.slow
def test_chaos_plays_the_game_on_the_table_from_their_own_files(tmp_path: Path) -> None:
    both = ["--tables", str(TABLE), "--games", str(GAME)]
    played = run_installed(
        tmp_path, "controller.cli", "chaos", "--rounds", "3", "--seed", "5", *both
    )
    assert played.returncode == 0, played.stdout + played.stderr
    settings = GAME / "high_bone" / "high_bone.yaml"
    refused = run_installed(tmp_path, "controller.cli", "chaos", "--games", str(settings))
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == (
        f"Chaos draws a game's parameters at random, so the file '{settings}' cannot be used; give"
        " the name of the game, or the folder of its package.\n"
    )


@pytest.mark.parametrize(
    ("project", "sentence"),
    [
        (None, "has no pyproject.toml; it needs [project.entry-points"),
        ("[project", "cannot be read (Expected ']' at the end of a table declaration"),
        ("[project]\nname = 'whist'\n", "names no game; it needs [project.entry-points"),
        (
            '[project.entry-points."wallwright.games"]\nwhist = 3\n',
            "has an entry point that is not a text; it needs",
        ),
        (
            '[project.entry-points."wallwright.games"]\nwhist = "no_whist:PLUGIN"\n',
            "The entry point 'whist' of wallwright.games: 'no_whist:PLUGIN' cannot be imported",
        ),
    ],
    ids=["no project", "no toml", "no entry point", "no text", "no module"],
)
def test_a_folder_without_a_game_is_refused_and_the_error_names_what_is_missing(
    project: str | None, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if project is not None:
        (tmp_path / "pyproject.toml").write_text(project, encoding="utf-8")
    for command in (["plan", str(tmp_path)], ["judge", str(tmp_path), "case.yaml"]):
        assert main(command) == 2
        error = capsys.readouterr().err
        assert sentence in error
        assert error.count("\n") == 1
