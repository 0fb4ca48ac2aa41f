from __future__ import annotations

import json
from pathlib import Path

import pytest

from controller.proof.lab import LaboratoryError
from controller.proof.lab.recording import read_recording

HEAD = '{"format": "wallwright-cycles", "version": 1, "table": "number 7"}'
CYCLE = '{"in": ["a", "b", "c"], "out": ["c", "a", "b"]}'


def test_a_recorded_cycle_becomes_the_turns_of_its_tiles_place_by_place(tmp_path: Path) -> None:
    file = tmp_path / "cycles.jsonl"
    head = {**json.loads(HEAD), "places": [["east", 1], ["east", 2], ["south", 1]]}
    file.write_text(f"{json.dumps(head)}\n{CYCLE}\n\n" + '{"in": [3, 1, 2], "out": [1, 2, 3]}\n')
    recording = read_recording(file)
    assert recording.table == "number 7"
    assert recording.orders == ((2, 0, 1), (1, 2, 0))
    assert recording.places == (("east", 1), ("east", 2), ("south", 1))


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ([], "is empty; its first line must be"),
        (["no json"], "line 1: this is not JSON"),
        (["[1]"], "line 1: each line must be a JSON object"),
        (['{"format": "other"}'], "line 1: the first line must have the format"),
        ([HEAD, '{"in": ["a"]}'], "line 2: 'out' must be a list of tags"),
        ([HEAD, '{"in": ["a", "a"], "out": ["a", "a"]}'], "the tag a is twice in 'in'"),
        ([HEAD, '{"in": ["a", "b"], "out": ["a", "c"]}'], "the tag b is in one list only"),
        ([HEAD, '{"in": ["a", "b"], "out": ["a", "a", "b"]}'], "a tag is twice in 'out'"),
        ([HEAD, CYCLE, '{"in": ["a"], "out": ["a"]}'], "line 3: a cycle has 1 tiles and the first"),
        (
            ['{"format": "wallwright-cycles", "version": true}', CYCLE],
            "line 1: the first line must have the format",
        ),
        ([HEAD, '{"in": [true, 1], "out": [1, true]}'], "'in' must be a list of tags"),
        (
            [HEAD, '{"in": ["b", "' + "a" * 9000 + '"], "out": ["b", "c"]}'],
            "aaa... is in one list only; drop this cycle",
        ),
        (
            [HEAD.replace("number 7", "\\ud800"), CYCLE],
            "line 1: 'table' must be a text of 1 to 100 printable characters; got \\ud800",
        ),
        ([HEAD.replace('"number 7"', '["x"]'), CYCLE], "'table' must be a text"),
        (
            ['{"format": "wallwright-cycles", "version": 1, "places": 0}', CYCLE],
            "'places' must have the side and row",
        ),
        (
            ['{"format": "wallwright-cycles", "version": 1, "places": [["east", 1]]}', CYCLE],
            "'places' must have the side and row of each of the 3 places",
        ),
    ],
)
def test_a_defective_recording_is_refused_with_line_and_reason(
    tmp_path: Path, lines: list[str], sentence: str
) -> None:
    file = tmp_path / "cycles.jsonl"
    file.write_text("\n".join(lines))
    with pytest.raises(LaboratoryError) as refusal:
        read_recording(file)
    assert sentence in str(refusal.value)


def test_a_byte_order_mark_and_separators_in_a_tag_do_not_matter(tmp_path: Path) -> None:
    """Editors of Windows write the mark; U+2028 separates lines for Python, but not in JSON."""
    file = tmp_path / "cycles.jsonl"
    cycle = '{"in": ["a\u2028", "b"], "out": ["b", "a\u2028"]}'
    file.write_bytes(f"{HEAD}\r\n{cycle}\r\n".encode("utf-8-sig"))
    assert read_recording(file).orders == ((1, 0),)


def test_a_missing_recording_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LaboratoryError, match="cannot be read"):
        read_recording(tmp_path / "none")
