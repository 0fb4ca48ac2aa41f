"""`python -m tools.wiring TABLE --svg FILE`: the wiring of a table as a drawing for the printer."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tools.wiring.__main__ import main


def test_the_drawing_is_a_file_for_the_printer(tmp_path: Path) -> None:
    file = tmp_path / "bench.svg"
    assert main(["bench", "--svg", str(file)]) == 0
    root = ET.fromstring(file.read_text("utf-8"))  # noqa: S314 - written a line above
    said = {text.text for text in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"head 0", "wheel", "emergency stop, NC"} <= said


def test_a_table_board_or_file_that_cannot_be_is_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    refused = {
        ("no_such_table", "--svg", "-"): "no_such_table: is no table that comes with Wallwright",
        ("robotic", "--svg", "-", "--board", "leg"): (
            "There is no board 'leg'; there are base, arm."
        ),
        ("bench", "--svg", "/no/such/folder/bench.svg"): (
            "The drawing cannot be written to '/no/such/folder/bench.svg' (No such file or"
            " directory); name a writable file."
        ),
    }
    for arguments, sentence in refused.items():
        assert main(arguments) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert sentence in said.err
