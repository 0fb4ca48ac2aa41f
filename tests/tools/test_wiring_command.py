"""`python -m tools.wiring TABLE --svg FILE` writes the wiring of a table as an SVG drawing."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tools.wiring.__main__ import main


def test_the_drawing_is_written_as_an_svg_file(tmp_path: Path) -> None:
    file = tmp_path / "bench.svg"
    assert main(["bench", "--svg", str(file)]) == 0
    root = ET.fromstring(file.read_text("utf-8"))  # noqa: S314 - written a line above
    texts = {text.text for text in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"head 0", "wheel", "emergency stop, NC"} <= texts


def test_an_unknown_table_or_board_and_a_file_that_cannot_be_written_are_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    refused = {
        ("no_such_table", "--svg", "-"): "no_such_table: is not the name of a table",
        ("robotic", "--svg", "-", "--board", "leg"): (
            "There is no board 'leg'; give one of base, arm."
        ),
        ("bench", "--svg", "/no/such/folder/bench.svg"): (
            "The drawing cannot be written to '/no/such/folder/bench.svg' (No such file or"
            " directory); name a writable file."
        ),
    }
    for arguments, sentence in refused.items():
        assert main(arguments) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert sentence in printed.err
