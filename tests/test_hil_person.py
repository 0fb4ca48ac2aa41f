"""Tests the person as the hand of the bench, at a pseudo-terminal."""

from __future__ import annotations

import os
import pty
import select
import sys
import time
from collections.abc import Sequence

import pytest

from hil_tests import hands

PROMPTED = """
import asyncio
from hil_tests import hands
hands.LONGEST_ANSWER = {limit}
try:
    asyncio.run(hands.hand_named("person").press("emergency", True))
    print("PRESSED")
except (EOFError, TimeoutError) as error:
    print(type(error).__name__, error)
"""


def at_terminal(answers: Sequence[str], limit: float = 120.0) -> str:
    """Run a prompt at a new terminal and type the answers; return what the terminal shows."""
    child, terminal = pty.fork()
    if child == 0:
        command = [sys.executable, "-c", PROMPTED.format(limit=limit)]
        os.execv(command[0], command)  # noqa: S606 - this interpreter
    shown, waiting = "", list(answers)
    ends = time.monotonic() + 240.0
    while time.monotonic() < ends:
        if not select.select([terminal], [], [], 1.0)[0]:
            continue
        try:
            data = os.read(terminal, 4096)
        except OSError:  # the child has ended
            break
        shown += data.decode()
        if waiting and shown.endswith("Type 'done': "):
            os.write(terminal, waiting.pop(0).encode())
    os.close(terminal)
    assert os.waitpid(child, 0)[1] == 0
    return shown


@pytest.mark.slow
def test_a_person_is_asked_again_until_the_answer_is_done() -> None:
    shown = at_terminal(["no\n", "\n", " Done \n"])
    assert shown.count("Press the emergency stop. Type 'done': ") == 3
    assert shown.endswith("PRESSED\r\n")


@pytest.mark.slow
def test_a_closed_terminal_and_a_missing_answer_end_the_question() -> None:
    assert "EOFError The terminal was closed at the question" in at_terminal(["\x04"])
    assert "TimeoutError Nobody answered in 0.2 s" in at_terminal([], limit=0.2)


def test_a_person_without_a_terminal_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hands, "TERMINAL", "/dev/no_such_terminal")
    with pytest.raises(ValueError, match="there is no terminal to ask at"):
        hands.hand_named("person")
