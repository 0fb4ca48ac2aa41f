"""On a terminal a missing throw is asked for, until it can be one."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

import pytest

from tests.controller.cli.conftest import Start


class Keyboard:
    """A pseudo-terminal with somebody at it, who waits to be asked before he types."""

    def __init__(self) -> None:
        self.end, self.side = os.openpty()
        self.seen = ""

    def type(self, line: str) -> None:
        """Wait for a question, then answer it."""
        while not self.seen.endswith(": "):
            self._read()
        self.seen += "\n"
        os.write(self.end, line.encode())

    def read_on(self) -> str:
        """Everything until nobody writes there any more."""
        os.close(self.side)
        while self._read():
            pass
        return self.seen.replace("\r", "")

    def _read(self) -> bool:
        try:
            piece = os.read(self.end, 4096)
        except OSError:
            return False
        self.seen += piece.decode()
        return bool(piece)


@pytest.fixture
def keyboard() -> Iterator[Keyboard]:
    opened = Keyboard()
    yield opened
    os.close(opened.end)


def test_missing_throws_are_asked_for_with_their_seats(keyboard: Keyboard, start: Start) -> None:
    plan = start("plan wenzhou --json", stdin=keyboard.side, stderr=keyboard.side)
    keyboard.type("3,5\n")
    keyboard.type("2,4\n")
    out, _ = plan.communicate(timeout=20)
    assert plan.returncode == 0
    assert '"left": 71' in out
    asked = keyboard.read_on()
    assert "Seat 0, first throw: the dice, as 3,5: " in asked
    assert "Seat 3, second throw: the dice, as 3,5: " in asked


def test_an_answer_that_is_no_throw_is_told_and_asked_again(
    keyboard: Keyboard, start: Start
) -> None:
    plan = start("plan wenzhou --throw 3,5 --json", stdin=keyboard.side, stderr=keyboard.side)
    for line in ("2,9\n", "2\n", "2,4\n"):
        keyboard.type(line)
    out, _ = plan.communicate(timeout=20)
    assert plan.returncode == 0
    assert '"left": 71' in out
    events = keyboard.read_on()
    assert "A die shows 1 to 6, not 9 (in '2,9'); throw again." in events
    assert "The second throw needs 2 dice faces, not 2; throw again." in events
    assert events.count("Seat 3, second throw") == 3


def test_nobody_at_the_keyboard_leaves_the_throw_missing(keyboard: Keyboard, start: Start) -> None:
    plan = start("plan wenzhou", stdin=keyboard.side, stderr=keyboard.side)
    keyboard.type("\x04")
    out, _ = plan.communicate(timeout=20)
    assert (plan.returncode, out) == (2, "")
    assert (
        "The first throw is missing: seat 0 throws 2 dice; add --throw 3,5." in keyboard.read_on()
    )


def test_nothing_is_asked_where_the_answers_come_from_a_file(start: Start) -> None:
    plan = start("plan wenzhou", stdin=subprocess.PIPE)
    out, err = plan.communicate("3,5\n2,4\n", timeout=20)
    assert (plan.returncode, out) == (2, "")
    assert err == "The first throw is missing: seat 0 throws 2 dice; add --throw 3,5.\n"
