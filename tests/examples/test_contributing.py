"""Follows CONTRIBUTING.md in a copy of the project, with a new game and a new table."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.quick import EVIDENCE_ONLY

TOP = Path(__file__).parents[2]
EXAMPLE = TOP / "examples" / "game_high_bone" / "high_bone"
TABLE = TOP / "examples" / "table_domino_club" / "domino_club.yaml"
FOR_ALL = [
    *(
        f"tests/config/test_{name}.py"
        for name in ("board_profiles", "fit", "judge_cases", "loading")
    ),
    *("tests/tools", "tests/test_docs.py", "tests/rules/test_setup_values.py"),
    *("tests/rules/test_setup_facts.py", "tests/rules/test_parameters.py"),
    "tests/controller/cli/test_bad_command_lines.py",
    *(f"tests/controller/cli/commands/test_{name}.py" for name in ("plan", "tables_and_games")),
]
"""Tests that check all games and tables together."""
OTHERS = (
    *("wenzhou", "filipino", "pai_gow", "da_san", "backgammon", "matador", "sniff"),
    *("robotic", "auto_deal", "classic", "single_port"),
)
"""Games and tables of the project; the tests of one of them alone are not repeated in the copy."""
WITHOUT_GAMES = (
    *(
        "hil_tests",
        "tests/firmware_bridge",
        "tests/controller/web/api",
        "tests/controller/cli/monitor",
    ),
    *("tests/controller/web/panel", "tests/controller/run/pausing"),
)
"""Folders without tests for each game or table; to collect them takes seconds."""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the project with one more game, one more table and regenerated pages."""
    folder = tmp_path_factory.mktemp("copy") / "project"
    # The compiled modules are copied too: to compile all tests again takes ten seconds.
    # Other processes write files under a passing name and rename them.
    passing = (".tmp-*", "tmp????????", "*.pyc.*")
    left_out = (".git", ".venv", ".*_cache", ".hypothesis", "build")
    skipped = shutil.ignore_patterns(*left_out, *passing)
    shutil.copytree(TOP, folder, ignore=skipped)
    game = folder / "rules" / "games" / "low_bone"
    game.mkdir()
    for file in EXAMPLE.glob("*.py"):
        (game / file.name).write_text(as_low_bone(file.read_text("utf-8")), encoding="utf-8")
    settings = (EXAMPLE / "high_bone.yaml").read_text("utf-8")
    (folder / "config" / "games" / "low_bone.yaml").write_text(as_low_bone(settings), "utf-8")
    case = (EXAMPLE / "case.yaml").read_text("utf-8")
    (folder / "config" / "cases" / "low_bone.yaml").write_text(as_low_bone(case), "utf-8")
    shutil.copy(TABLE, folder / "config" / "tables" / TABLE.name)
    written = in_copy(folder, "-m", "tools.pages")
    assert written.returncode == 0, written.stderr
    return folder


def as_low_bone(text: str) -> str:
    """Return a text of the example, changed for a package of the project with another name."""
    for old, new in (
        ("high_bone", "low_bone"),
        ("HIGH_BONE", "LOW_BONE"),
        ("High Bone", "Low Bone"),
    ):
        text = text.replace(old, new)
    text = re.sub(r"(from |\")low_bone(?=\.\w+| import)", r"\1rules.games.low_bone", text)
    return re.sub(r"    (settings|case)=.*\n|from importlib.resources import files\n", "", text)


def in_copy(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python in the copied project, with the copy's own packages."""
    return subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
@EVIDENCE_ONLY
@pytest.mark.timeout(1800)
def test_a_new_game_and_a_new_table_pass_all_tests_and_get_tests_of_their_own(copy: Path) -> None:
    pytest_ = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--hypothesis-profile", "quick"]
    together = f"not ({' or '.join(OTHERS)})"
    for_all = in_copy(copy, *pytest_, "-m", "not slow", "-k", together, *FOR_ALL)
    assert for_all.returncode == 0, for_all.stdout
    skipped = [f"--ignore={folder}" for folder in WITHOUT_GAMES]
    own = in_copy(copy, *pytest_, *skipped, "-k", "low_bone or domino_club", "-m", "not slow")
    assert own.returncode == 0, own.stdout
    passed = re.search(r"^(\d+) passed", own.stdout, re.MULTILINE)
    assert passed is not None, own.stdout
    assert int(passed[1]) > 40


def test_contributing_lists_the_packages_that_the_makefile_installs() -> None:
    make = (TOP / "Makefile").read_text("utf-8")
    (listed,) = re.findall(r"^FIRMWARE_PACKAGES = ((?:.*\\\n)*.*)$", make, re.MULTILINE)
    assert (
        "NODE_PACKAGES = $(if $(and $(shell command -v node),$(shell command -v npm)),,nodejs npm)"
        in make
    )
    listed = listed.replace("ngspice $(NODE_PACKAGES)", "nodejs npm ngspice")
    packages = " ".join(listed.replace("\\\n", " ").split())
    text = (TOP / "CONTRIBUTING.md").read_text("utf-8")
    assert f"`gcc libc6-dev {packages}`" in text
    assert "`python3-venv`" in text
