"""The kind of an event is read faster than the event, and refuses exactly the same lines."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random

import pytest

from controller.records.audit.errors import RefusedProofError
from controller.records.audit.log.event_line import checked_event, kind_of_event
from tests.controller.records.audit.logs_for_tests import entry
from tests.quick import tries

TEXTS = ["", "Mei", "東", 'a"b', "a\\b", "\x00", "\x7f", ',"from":"x', "\ue000\U0001f600", "é" * 9]
PIECES = [
    b"",
    b"0",
    b"-",
    b"-0",
    b"00",
    b"9" * 17,
    b"1.0",
    b"1e2",
    b" ",
    b'"',
    b"\\",
    b"\\u0061",
    b"\\u001f",
    b"\xff",
    b"\xed\xa0\x80",
    b"null",
    b"{}",
    b"}",
    b',"from":"',
    b',"who":"x"',
    b"2030-01-01T12:00:00.000Z",
]


def kind(line: bytes, index: int) -> str | None:
    """The kind of the event, None if it is refused."""
    try:
        return kind_of_event(line, index)
    except RefusedProofError:
        return None


def kind_by_parsing(line: bytes, index: int) -> str | None:
    """The same, from the whole parsed event."""
    try:
        return str(checked_event(line, index)["what"])
    except RefusedProofError:
        return None


@pytest.mark.evidence
def test_the_kind_is_read_of_the_lines_that_are_events_and_of_no_others() -> None:
    chance = Random(3)
    accepted = 0
    for _ in range(tries(4000, quick=600, evidence=100_000)):
        number = chance.choice([0, 7, 10**15, 2**53 - 1])
        who, role, what, source = (chance.choice(TEXTS) for _ in range(4))
        details = {"value": chance.choice([*TEXTS, 1, 1.5, None, {"from": "x"}])}
        changed = replace(entry(1), who=who, role=role, what=what, source=source, details=details)
        line = bytearray(changed.line(number))
        for _ in range(chance.randrange(3)):
            place = chance.randrange(len(line))
            line[place : place + chance.randrange(4)] = chance.choice(PIECES)
        found = kind(bytes(line), number)
        assert found == kind_by_parsing(bytes(line), number), bytes(line)
        accepted += found is not None
    assert accepted > 100


@pytest.mark.parametrize(
    ("key", "wrong"),
    [
        ("details", []),
        ("from", 1),
        ("index", 8),
        ("index", True),
        ("role", None),
        ("table_ms", 1.5),
        ("table_ms", -0.0),
        ("time", "noon"),
        ("what", ["x"]),
        ("who", {}),
        ("more", 1),
    ],
)
def test_an_event_with_a_wrong_value_is_refused_by_both(key: str, wrong: object) -> None:
    value = {**json.loads(entry(1).line(7)), key: wrong}
    line = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    for read in (kind, kind_by_parsing):
        assert read(line, 7) is None


def damaged_lines() -> list[bytes]:
    """Lines that are JSON or nearly so, but not the canonical text of an event."""
    whole = entry(1).line(7)
    found = []
    for key in (b"from", b"role", b"what", b"who", b"time", b"index", b"table_ms"):
        begin = whole.index(b'"%b":' % key) + len(key) + 3
        end = min(at for at in (whole.find(b",", begin), whole.find(b"}", begin)) if at > 0)
        value = whole[begin:end]
        if value.startswith(b'"'):
            pieces = (b"\x1f", b"\x00", b"\xff", b"\xed\xa0\x80", b"\\u0061", b"\\/", b'"')
            values = [b'"' + piece + value[1:] for piece in pieces]
        else:
            values = [b"0" + value, b"-0", b"-0" + value, value + b".0", value + b"e0", b"+1"]
        found += [whole[:begin] + each + whole[end:] for each in (*values, b"null", b" " + value)]
    return [*found, whole + b" ", b" " + whole, whole[:-1], whole.replace(b"{", b"{ ", 1)]


@pytest.mark.parametrize("line", damaged_lines(), ids=range(len(damaged_lines())))
def test_a_line_that_is_nearly_an_event_is_refused_by_both(line: bytes) -> None:
    for read in (kind, kind_by_parsing):
        assert read(line, 7) is None
