"""A person at the terminal who is asked to put something right."""

from __future__ import annotations

import asyncio
import io
import os
import sys
from collections.abc import Iterator

import pytest

from controller.cli.terminal import Terminal
from controller.faults.table_fault import TableFault
from firmware_bridge.guide import Ask

ASK = Ask(
    "JAM",
    "head 2",
    "head2_counter has been active for 3 s",
    "Clear the tile that is stuck at head 2.",
    ("done", "stop"),
)


@pytest.fixture
def keyboard(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Standard input is a terminal; what is written here is typed there."""
    end, side = os.openpty()
    with os.fdopen(side) as typed:
        monkeypatch.setattr(sys, "stdin", typed)
        yield end
    os.close(end)


@pytest.mark.parametrize(
    ("typed", "answer"), [(b"\n", "done"), (b"done\n", "done"), (b"Stop\n", "stop")]
)
def test_what_is_typed_is_one_of_the_answers(keyboard: int, typed: bytes, answer: str) -> None:
    prompts = io.StringIO()
    os.write(keyboard, typed)
    assert asyncio.run(Terminal(prompts).help(ASK)) == answer
    assert prompts.getvalue() == (
        "head 2: head2_counter has been active for 3 s. Clear the tile that is stuck at head 2."
        " Type Enter or 'done' when it is done, or 'stop'.\n"
    )


def test_an_answer_that_is_not_offered_is_asked_for_again(keyboard: int) -> None:
    prompts = io.StringIO()
    os.write(keyboard, b"maybe\nstop\n")
    assert asyncio.run(Terminal(prompts).help(ASK)) == "stop"
    assert prompts.getvalue().splitlines()[1].startswith("'maybe' is no answer here; type Enter or")


def test_where_nobody_is_nobody_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("done\n"))
    with pytest.raises(TableFault, match="no terminal is attached"):
        asyncio.run(Terminal(io.StringIO()).help(ASK))
