"""Errors have a level in the journal of systemd, and none anywhere else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from controller.cli.errors import print_error


def test_each_line_of_an_error_has_its_level_in_the_journal_of_the_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "journal"
    with file.open("w") as stream:
        monkeypatch.setattr("sys.stderr", stream)
        state = os.fstat(stream.fileno())
        monkeypatch.setenv("JOURNAL_STREAM", f"{state.st_dev}:{state.st_ino}")
        print_error("The disk is full.\nFree space on it.")
        # The program's output can be redirected to another file under the same supervisor.
        monkeypatch.setenv("JOURNAL_STREAM", f"{state.st_dev}:{state.st_ino + 1}")
        print_error("There is no port.")
        monkeypatch.delenv("JOURNAL_STREAM")
        print_error("There is no table.")
    assert file.read_text() == (
        "<3>The disk is full.\n<3>Free space on it.\nThere is no port.\nThere is no table.\n"
    )
