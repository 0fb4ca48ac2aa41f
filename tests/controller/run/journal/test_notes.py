"""Tests the notes of the journal: each class is read back as written, in the JSON of 0.1."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given

from controller.run.journal import Journal, JournalError
from controller.run.journal.copies import paths_of
from controller.run.journal.lines import JournalRecord, chain_of, line_of
from controller.run.journal.notes import (
    ChainAt,
    ChainLost,
    ChoicesDrawn,
    CountedFrom,
    FacesFallen,
    Flipped,
    KeyPresses,
    LaneFilled,
    MovesMade,
    Note,
    PlayerShareAdded,
    PushDoubted,
    PushProven,
    ShakesBefore,
    ShareCommitted,
    TagRead,
    TileFree,
    TilesSurplus,
    TileSticks,
    UnknownNoteError,
    decode,
    encode,
)
from tests.controller.run.journal.any_note import NOTES
from tests.controller.run.journal.on_disk import NOON, PACKET

OF_VERSION_0_1: list[tuple[object, Note]] = [
    ({"made": 2}, MovesMade(2)),
    ("flipped", Flipped()),
    ({"presses": 4}, KeyPresses(4)),
    ({"shakes": 0}, ShakesBefore(0)),
    ({"faces": [3, 5]}, FacesFallen((3, 5))),
    ({"tag": 4131}, TagRead(4131)),
    ({"tag": None}, TagRead(None)),
    ({"feeding": {"s1": 7, "s2": -1}}, CountedFrom((("s1", 7), ("s2", -1)))),
    ({"stuck": {"s1": {"through": 5, "asked": True}}}, TileSticks("s1", 5, True)),
    ({"stuck": {"s1": None}}, TileFree("s1")),
    ({"doubt": {"v1": "no signal"}}, PushDoubted("v1", "no signal")),
    ({"doubt": {"v1": None}}, PushProven("v1")),
    ({"chain": {"side": 1, "count": 4}}, ChainAt(1, 4)),
    ({"chain": None}, ChainLost()),
]


NEW_IN_VERSION_0_2: list[tuple[object, Note]] = [
    ({"lane": 2}, LaneFilled(2)),
    ({"surplus": {"s1": 1}}, TilesSurplus("s1", 1)),
    (
        {"share": {"device": "robotic/1", "commitment": "0a" * 32, "sealed": "1b" * 32}},
        ShareCommitted("robotic/1", "0a" * 32, "1b" * 32),
    ),
    ({"player": {"seat": 3, "share": "rain"}}, PlayerShareAdded(3, "rain")),
    ({"drawn": "2c" * 32}, ChoicesDrawn("2c" * 32)),
]


NEW_IN_VERSION_0_3: list[tuple[object, Note]] = [
    ({"fell": {"shake": 6, "faces": [3, 5]}}, FacesFallen((3, 5), 6)),
]


@pytest.mark.parametrize(("content", "note"), [*NEW_IN_VERSION_0_2, *NEW_IN_VERSION_0_3])
def test_notes_that_are_new_since_version_0_1_are_written_and_read(
    content: object, note: Note
) -> None:
    assert decode(content) == note
    assert encode(note) == content


@pytest.mark.parametrize(("content", "note"), OF_VERSION_0_1)
def test_notes_are_written_and_read_as_in_version_0_1(content: object, note: Note) -> None:
    assert decode(content) == note
    assert encode(note) == content


def test_every_kind_of_note_is_in_these_lists() -> None:
    known = [*OF_VERSION_0_1, *NEW_IN_VERSION_0_2]
    assert {type(note) for _, note in known} == set(get_args(Note))


@given(NOTES)
def test_every_note_is_read_back_as_it_was_written(note: Note) -> None:
    assert decode(encode(note)) == note


@pytest.mark.parametrize(
    "content",
    [
        None, 7, "gripped", [], {}, {"moved": 1}, {"made": 1, "shakes": 2}, {"made": "1"},
        {"made": True}, {"made": -1}, {"made": 1.0}, {"faces": 3}, {"faces": [3, None]},
        {"tag": "7m"}, {"feeding": [1]}, {"feeding": {"s1": None}}, {"stuck": {}},
        {"stuck": {"s1": {"through": 1}}}, {"stuck": {"s1": {"through": 1, "asked": 1}}},
        {"stuck": {"s1": None, "s2": None}}, {"doubt": {"v1": 7}}, {"doubt": "v1"},
        {"fell": [3]}, {"fell": {"shake": 6, "faces": 3}}, {"fell": {"shake": -1, "faces": [3]}},
        {"chain": 1}, {"chain": {"side": 1, "count": 4, "at": 0}}, {"presses": None},
    ],
)  # fmt: skip
def test_other_json_values_are_refused(content: object) -> None:
    with pytest.raises(UnknownNoteError):
        decode(content)


def test_an_unknown_note_is_an_error_and_the_journal_is_not_changed(tmp_path: Path) -> None:
    file = tmp_path / "table.journal"
    lines: list[bytes] = []
    for record in (
        JournalRecord(1, "run", "", 0.0, {"started": NOON, "facts": {}}),
        JournalRecord(2, "intent", "top", 1.0, PACKET),
        JournalRecord(3, "note", "", 2.0, {"hovering": "w1.1u"}, 2),
    ):
        lines.append(line_of(record, chain_of(lines[-1]) if lines else ""))
    text = b"".join(line + b"\n" for line in lines)
    for path in paths_of(file):
        path.write_bytes(text)
    with pytest.raises(JournalError) as refused:
        Journal(file, NOON, {})
    assert str(refused.value) == (
        'Record 3 of the journal has a note that this version cannot decode ({"hovering":'
        " \"w1.1u\"}: the key 'hovering' is unknown); run the version that wrote it, or name"
        " another file with --journal."
    )
    assert file.read_bytes() == text
