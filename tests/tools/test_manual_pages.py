"""The manual pages that are written from the command line: complete, and without a warning."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from controller.cli.application import COMMANDS
from tools.debian_package.manual_pages import pages

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every page."""
    found = tmp_path_factory.mktemp("man")
    for name, text in pages("0.2.0", "2026-01-01"):
        (found / f"{name}.1").write_text(text, "utf-8")
    return found


def test_every_command_has_a_page_that_the_first_page_lists(folder: Path) -> None:
    first = (folder / "wallwright.1").read_text("utf-8")
    for name in COMMANDS:
        assert (folder / f"wallwright-{name}.1").exists()
        assert rf".BR wallwright\-{name} (1)" in first


def test_the_readers_of_manual_pages_find_nothing_to_warn_of(folder: Path) -> None:
    names = sorted(folder.glob("*.1"))
    linted = subprocess.run(
        ["mandoc", "-T", "lint", "-W", "warning", *names],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (linted.returncode, linted.stdout + linted.stderr) == (0, "")
    for file in names:
        shown = subprocess.run(
            ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", file],
            env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (shown.returncode, shown.stderr) == (0, ""), file.name


def test_a_page_has_every_option_with_its_value_and_its_default(folder: Path) -> None:
    shown = subprocess.run(
        ["mandoc", "-T", "ascii", "-O", "width=200", folder / "wallwright-serve.1"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    plain = "".join(  # mandoc prints bold and italic letters twice, with a backspace
        letter
        for letter, after in zip(shown, shown[1:] + " ", strict=True)
        if after != "\b" and letter != "\b"
    )
    assert "--listen TEXT" in plain
    assert "Default: 127.0.0.1:8080." in plain
    assert "wallwright serve [OPTION]..." in plain
