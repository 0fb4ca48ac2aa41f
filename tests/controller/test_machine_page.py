"""docs/MACHINE.md says what the machine's tables say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from controller.machine import ABOVE, TOP, TRIGGERS, UNDER
from controller.machine_page import MEANINGS, page

HOUSE = Path(__file__).parents[2]


def test_the_page_is_fresh() -> None:
    assert (HOUSE / "docs" / "MACHINE.md").read_text(encoding="utf-8") == page(), (
        "docs/MACHINE.md is stale: run python -m controller.machine_page docs/MACHINE.md"
    )


def test_the_page_names_every_state_and_every_trigger() -> None:
    text = page()
    assert {*ABOVE, *UNDER, *TOP, "running"} == set(MEANINGS)
    for name in (*MEANINGS, *TRIGGERS):
        assert f"`{name}`" in text


def test_the_command_writes_the_page_to_a_file_or_prints_it(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "controller.machine_page"]
    printed = subprocess.run(command, cwd=HOUSE, capture_output=True, text=True, check=True)
    assert printed.stdout == page()
    file = tmp_path / "page.md"
    subprocess.run([*command, file], cwd=HOUSE, check=True)
    assert file.read_text(encoding="utf-8") == page()
