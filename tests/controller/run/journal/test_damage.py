"""Tests that any journal operations are read back as written, also after a power cut."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.run.journal import Entry, Journal
from controller.run.journal.copies import paths_of
from tests.controller.run.journal.any_note import NOTES
from tests.controller.run.journal.on_disk import now

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
OPERATIONS = st.lists(
    st.tuples(st.just("intend"), st.dictionaries(st.text(), VALUES, max_size=3))
    | st.tuples(st.just("note"), NOTES)
    | st.tuples(st.just("confirm"), VALUES)
    | st.tuples(st.sampled_from(["flush", "check", "end", "close", "cut"]), st.none()),
    max_size=20,
)


@contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def execute(journal: Journal, operation: str, value: Any, open_steps: list[int]) -> None:
    match operation:
        case "intend":
            open_steps.append(journal.intend("top", 1.0, value))
        case "note" if open_steps:
            journal.note(open_steps[-1], 1.5, value)
        case "confirm" if open_steps:
            journal.confirm(open_steps.pop(), 2.0, value)
        case "flush":
            journal.flush()
        case "check":
            assert now(journal.check()) == ()
        case "end":
            journal.end()


@given(operations=OPERATIONS)
@pytest.mark.slow
def test_the_journal_is_read_back_as_it_was_written(operations: list[tuple[str, Any]]) -> None:
    with folder() as home:
        file, memory = home / "journal", Journal.in_memory("now", {"a": 1})
        journal = Journal(file, "now", {"a": 1})
        steps: list[int] = []
        twin: list[int] = []
        for operation, value in operations:
            if operation in ("close", "cut"):
                journal.flush()
                if operation == "cut":
                    _tear(file)
                before = journal.history()
                journal.close()
                journal, steps, twin = Journal(file, "now", {"a": 1}), [], []
                assert journal.history() == before
                assert journal.repairs == ()
                continue
            execute(journal, operation, value, steps)
            execute(memory, operation, value, twin)
        assert _contents(journal.history()) == _contents(memory.history())
        before = journal.history()
        journal.close()
        with Journal(file, "later", {}) as again:
            assert again.history() == before
            left = again.unfinished()
            assert left is None or all(entry in before for entry in left.entries)
        assert len({path.read_bytes() for path in paths_of(file)}) == 1


def _tear(file: Path) -> None:
    """Append a partial record to every copy, as a power cut during a write leaves it."""
    for path in paths_of(file):
        path.write_bytes(path.read_bytes() + b'{"number":99,"kind":"inte')


def _contents(entries: tuple[Entry, ...]) -> list[tuple[object, ...]]:
    """Return the steps without their numbers, which depend on the number of run records."""
    return [
        (entry.activity, entry.at, entry.intent, entry.notes, entry.outcome, entry.confirmed)
        for entry in entries
    ]
