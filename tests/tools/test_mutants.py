"""Tests the mutation tool: changes, outcomes, report and exit code."""

from __future__ import annotations

import ast
from pathlib import Path
from random import Random

import pytest

from tools import mutants

SOURCE = '''"""A module."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    LIMIT = 3


def smaller(a: int, b: int = 2) -> bool:
    """A docstring is not changed: 1 < 2."""
    # ä: offsets are counted in bytes
    if not a and b:
        raise ValueError(f"{a + 1} is wrong")
    return max(a, 0.5) < b
'''
TEST = """from room.small import smaller

def test_smaller():
    assert smaller(1)
    assert not smaller(2)
"""


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """Return a project with one module and one test file, which does not test the ValueError."""
    (tmp_path / "room").mkdir()
    (tmp_path / "room/small.py").write_text(SOURCE)
    (tmp_path / "test_small.py").write_text(TEST)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = slow\naddopts = -p no:schemathesis\n")
    (tmp_path / "conftest.py").write_text(
        "from hypothesis import settings\nsettings.register_profile('quick')\n"
    )
    return tmp_path


def _of(old: str, new: str) -> mutants.Mutant:
    every = mutants.mutants_of("room/small.py", SOURCE.encode())
    return next(mutant for mutant in every if (mutant.old, mutant.new) == (old, new))


def test_every_kind_of_change_is_made_and_nothing_else() -> None:
    every = list(mutants.mutants_of("room/small.py", SOURCE.encode()))
    assert {(mutant.line, mutant.old, mutant.new) for mutant in every} == {
        (9, "2", "3"),
        (12, "not a and b", "(not a or b)"),
        (12, "not a", "(a)"),
        (13, 'raise ValueError(f"{a + 1} is wrong")', "pass"),
        (14, "return max(a, 0.5) < b", "return None"),
        (14, "max(a, 0.5) < b", "(max(a, 0.5) <= b)"),
        (14, "max(a, 0.5)", "max(0.5, a)"),
        (14, "0.5", "1.0"),
    }


def test_every_mutant_is_a_program_that_differs_from_the_original() -> None:
    for mutant in mutants.mutants_of("room/small.py", SOURCE.encode()):
        changed = ast.parse(mutant.applied(SOURCE.encode()))
        assert ast.dump(changed) != ast.dump(ast.parse(SOURCE))


@pytest.mark.slow
def test_a_change_that_a_test_detects_is_killed_and_the_file_is_restored(house: Path) -> None:
    mutant = _of("max(a, 0.5) < b", "(max(a, 0.5) <= b)")
    assert mutants.outcome(mutant, house, [["test_small.py"]]) == (
        "killed by test_small.py::test_smaller"
    )
    assert (house / "room/small.py").read_text() == SOURCE


@pytest.mark.slow
def test_a_change_that_no_test_detects_survives(house: Path) -> None:
    mutant = _of('raise ValueError(f"{a + 1} is wrong")', "pass")
    assert mutants.outcome(mutant, house, [["test_small.py"]]) == "SURVIVED"
    assert (house / "room/small.py").read_text() == SOURCE


@pytest.mark.slow
def test_a_test_that_fails_without_the_change_does_not_kill_a_mutant(house: Path) -> None:
    (house / "test_small.py").write_text("def test_never():\n    assert False\n")
    verdict = mutants.outcome(_of("0.5", "1.0"), house, [["test_small.py"]])
    assert verdict == "UNSOUND: test_small.py::test_never"


@pytest.mark.slow
def test_tests_that_cannot_run_are_an_error_and_not_a_kill(house: Path) -> None:
    with pytest.raises(RuntimeError, match=r"pytest cannot run missing\.py"):
        mutants.outcome(_of("0.5", "1.0"), house, [["missing.py"]])


def test_the_same_seed_draws_the_same_mutants(house: Path) -> None:
    first = mutants.drawn(house, 4, Random(7), ["room"])
    assert first == mutants.drawn(house, 4, Random(7), ["room"])
    assert first != mutants.drawn(house, 4, Random(8), ["room"])
    assert len(mutants.drawn(house, 100, Random(7), ["room"])) == 8


def test_every_file_that_can_be_changed_has_tests_that_exist() -> None:
    for file in mutants._changeable_files(mutants.HOUSE, mutants.CHANGED):
        assert mutants.tests_of(file)
    named = {path for paths in mutants.TESTS.values() for path in paths}
    assert [path for path in sorted(named) if not (mutants.HOUSE / path).exists()] == []


def test_the_share_of_killed_mutants_sets_the_exit_code_and_survivors_are_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = [(_of("2", "3"), "killed by a"), (_of("0.5", "1.0"), "SURVIVED")]
    assert mutants._reported(results, 50, tmp_path / "report") == 0
    assert mutants._reported(results, 51, None) == 1
    assert (tmp_path / "report").read_text() == "room/small.py:14: 0.5  ->  1.0\n"
    assert "1 of 2 mutants killed: 50.0 %" in capsys.readouterr().out
    assert mutants._reported([(_of("2", "3"), "UNSOUND: a")], 0, None) == 2
