"""`wallwright plan` at a terminal asks for each missing throw until the answer is valid."""

from __future__ import annotations

import os
import select
import subprocess
import time
from collections.abc import Iterator

import pytest

from tests.controller.cli.conftest import Start

LIMIT = 120.0
QUESTION_END = "type the dice as 3,5: "


class Keyboard:
    """A pseudo-terminal whose simulated person waits for a question before typing."""

    def __init__(self) -> None:
        self.end, self.side = os.openpty()
        self.output = ""

    def type(self, line: str) -> None:
        """Wait for a question, then answer it. A question can arrive in parts."""
        end = time.monotonic() + LIMIT
        while not self.output.endswith(QUESTION_END):
            left = max(0.0, end - time.monotonic())
            ready = select.select([self.end], [], [], left)[0]
            assert ready and self._read(), f"no further question after: {self.output}"
        self.output += "\n"
        os.write(self.end, line.encode())

    def read_to_end(self) -> str:
        """Read until the terminal is closed by the command; returns the whole output."""
        os.close(self.side)
        while self._read():
            pass
        return self.output.replace("\r", "")

    def _read(self) -> bool:
        try:
            data = os.read(self.end, 4096)
        except OSError:
            return False
        self.output += data.decode()
        return bool(data)


@pytest.fixture
def keyboard() -> Iterator[Keyboard]:
    opened = Keyboard()
    yield opened
    os.close(opened.end)


@pytest.mark.slow
def test_missing_throws_are_asked_for_with_their_seats(keyboard: Keyboard, start: Start) -> None:
    plan = start("plan wenzhou --json", stdin=keyboard.side, stderr=keyboard.side)
    keyboard.type("3,5\n")
    keyboard.type("2,4\n")
    out, _ = plan.communicate(timeout=LIMIT)
    assert plan.returncode == 0
    assert '"left": 71' in out
    output = keyboard.read_to_end()
    assert "Seat 0, first throw: type the dice as 3,5: " in output
    assert "Seat 3, second throw: type the dice as 3,5: " in output


@pytest.mark.slow
def test_after_an_invalid_throw_the_error_is_shown_and_the_question_is_repeated(
    keyboard: Keyboard, start: Start
) -> None:
    plan = start("plan wenzhou --throw 3,5 --json", stdin=keyboard.side, stderr=keyboard.side)
    for line in ("2,9\n", "2\n", "2,4\n"):
        keyboard.type(line)
    out, _ = plan.communicate(timeout=LIMIT)
    assert plan.returncode == 0
    assert '"left": 71' in out
    output = keyboard.read_to_end()
    assert "A die shows 1 to 6, not 9 (in '2,9'); throw again." in output
    assert "The second throw needs 2 dice faces, not 2; throw again." in output
    assert output.count("Seat 3, second throw") == 3


@pytest.mark.slow
def test_at_the_end_of_the_input_the_missing_throw_is_an_error(
    keyboard: Keyboard, start: Start
) -> None:
    plan = start("plan wenzhou", stdin=keyboard.side, stderr=keyboard.side)
    keyboard.type("\x04")
    out, _ = plan.communicate(timeout=LIMIT)
    assert (plan.returncode, out) == (2, "")
    error = "The first throw is missing: seat 0 throws 2 dice; add --throw 3,5."
    assert error in keyboard.read_to_end()


@pytest.mark.slow
def test_without_a_terminal_no_question_is_asked(start: Start) -> None:
    plan = start("plan wenzhou", stdin=subprocess.PIPE)
    out, err = plan.communicate("3,5\n2,4\n", timeout=LIMIT)
    assert (plan.returncode, out) == (2, "")
    assert err == "The first throw is missing: seat 0 throws 2 dice; add --throw 3,5.\n"
