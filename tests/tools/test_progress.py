"""What `make` shows while it installs: little of a long output, and the end of a failed one."""

from __future__ import annotations

import sys
from pathlib import Path

from tools.progress import LAST, run

PRINTS = "import sys; [print('package', n) for n in range(100)]; sys.exit(int(sys.argv[1]))"


def installed(folder: Path, code: int) -> list[str]:
    shown: list[str] = []
    command = (sys.executable, "-c", PRINTS, str(code))
    assert (
        run("Installing packages", command, folder / "log", every=60.0, show=shown.append) == code
    )
    assert len((folder / "log").read_text().splitlines()) == 100
    return shown


def test_a_long_output_is_in_the_log_and_not_on_the_screen(tmp_path: Path) -> None:
    assert installed(tmp_path, 0) == ["Installing packages."]


def test_the_end_of_a_failed_installation_is_shown(tmp_path: Path) -> None:
    shown = installed(tmp_path, 3)
    assert len(shown) == LAST + 2
    assert shown[-2] == "package 99"
    assert "failed with the code 3" in shown[-1]
    assert str(tmp_path / "log") in shown[-1]


def test_a_command_that_takes_long_is_seen_to_work(tmp_path: Path) -> None:
    shown: list[str] = []
    is_seen = tmp_path / "is_seen"
    waits = "import pathlib, sys, time; print('unpacking', flush=True)\n"
    waits += "while not pathlib.Path(sys.argv[1]).exists(): time.sleep(0.01)"

    def show(line: str) -> None:
        shown.append(line)
        if "unpacking" in line:
            is_seen.touch()

    command = (sys.executable, "-c", waits, str(is_seen))
    assert run("Installing packages", command, tmp_path / "log", every=0.01, show=show) == 0
    assert shown[-1] == "  Installing packages, step 1: unpacking"
