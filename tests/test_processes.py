"""Several processes run the tests: failures, a process that ends, and shared services."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HOUSE = Path(__file__).parents[1]
CONFTEST = """
from pathlib import Path

import pytest
from tests.processes import Processes


def pytest_configure(config):
    config.pluginmanager.register(Processes(2), "processes")


@pytest.fixture(scope="session")
def service(worker_id):
    yield
    Path("ended").open("a").write("ended ")
"""
ONE = """
import os


def test_passes(service, tmp_path):
    (tmp_path / "file").write_text("text")


def test_fails(service):
    print("printed by the test")
    assert 1 == 2


def test_ends_its_process():
    os._exit(7)


def test_after_it(service):
    pass
"""
OTHER = """
def test_of_another_file(service):
    pass


def test_is_interrupted_or_not(service):
    pass
"""


def run_tests(folder: Path, *options: str) -> str:
    """Run three files of tests in two processes; return the output."""
    (folder / "conftest.py").write_text(CONFTEST)
    for name, text in (("one", ONE), ("other", OTHER), ("third", OTHER)):
        (folder / f"test_{name}.py").write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    environment = {**os.environ, "PYTHONPATH": str(HOUSE)}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    ).stdout


@pytest.mark.slow
def test_every_test_has_its_result_although_a_process_ends_in_one(tmp_path: Path) -> None:
    output = run_tests(tmp_path)
    assert "2 failed, 6 passed" in output
    assert "The process of this test ended with the code 7." in output
    assert "printed by the test" in output
    # Three processes have used the service, and one of them ended at once.
    assert (tmp_path / "ended").read_text() == "ended ended "


@pytest.mark.slow
def test_the_first_failure_ends_the_run_and_the_services_of_its_tests(tmp_path: Path) -> None:
    output = run_tests(tmp_path, "-x")
    assert "1 failed" in output
    assert "stopping after 1 failures" in output
    # The other process may not have used it yet.
    assert (tmp_path / "ended").read_text() in {"ended ", "ended ended "}
