"""Tests that every generated file of the project equals the text of its generator."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import pages
from tools.pages import GENERATED, main

SLOW = ("docs/build/CONFIGURATION.md", "docs/build/MIXING.md")
"""Files that test_configuration_page.py and test_drum_physics.py check: they take seconds."""
FAST = [name for name in GENERATED if name not in SLOW]


@pytest.mark.parametrize("name", FAST)
def test_a_generated_file_is_current(name: str) -> None:
    assert pages.stale([name]) == [], f"{name} is not current: run `make docs`"


def test_make_docs_writes_a_file_that_is_not_current_and_check_only_reports_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pages, "TOP", tmp_path)
    assert main(["docs/reference/MACHINE.md", "--check"]) == 1
    assert capsys.readouterr().err == "docs/reference/MACHINE.md is not current; run `make docs`.\n"
    assert not (tmp_path / "docs").exists()
    assert main(["docs/reference/MACHINE.md"]) == 0
    assert capsys.readouterr().out == "docs/reference/MACHINE.md: written\n"
    assert (tmp_path / "docs" / "reference" / "MACHINE.md").read_text("utf-8") == GENERATED[
        "docs/reference/MACHINE.md"
    ]()
    assert main(["docs/reference/MACHINE.md", "--check"]) == 0


def test_a_file_that_is_not_generated_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["docs/start/GUIDE.md"]) == 2
    assert capsys.readouterr().err.startswith(
        "docs/start/GUIDE.md: not a generated file; give one of "
    )
