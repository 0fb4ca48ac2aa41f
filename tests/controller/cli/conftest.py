"""What the command line's tests share: a command line obeyed here, or in a process of its own."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from controller.cli import main

Events = list[dict[str, Any]]

COMMAND = (sys.executable, "-m", "controller.cli")


class Printed(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """Standard output as one value, after a success."""
        assert (self.code, self.err) == (0, "")
        return dict(json.loads(self.out))

    @property
    def events(self) -> Events:
        """Standard output as lines of events, after a success."""
        assert (self.code, self.err) == (0, "")
        return [json.loads(line) for line in self.out.splitlines()]


Wallwright = Callable[[str], Printed]
Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def wallwright(capsys: pytest.CaptureFixture[str]) -> Wallwright:
    """Obey a command line, written as after the word `wallwright`, in this process."""

    def obey(line: str) -> Printed:
        code = main(shlex.split(line))
        out, err = capsys.readouterr()
        return Printed(code, out, err)

    return obey


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """Begin a command line in a process of its own, as a shell does."""

    def begin(line: str, **how: Any) -> subprocess.Popen[str]:
        return subprocess.Popen(
            (*COMMAND, *shlex.split(line)),
            stdin=how.get("stdin", subprocess.DEVNULL),
            stdout=how.get("stdout", subprocess.PIPE),
            stderr=how.get("stderr", subprocess.PIPE),
            text=True,
            start_new_session=True,
        )

    return begin


def named(events: Events, name: str) -> Events:
    """The events of one name, in order."""
    return [event for event in events if event["event"] == name]


def hands_of(plan: dict[str, Any]) -> dict[int, list[str]]:
    """Each seat's places, in the order in which they are dealt."""
    hands: dict[int, list[str]] = {}
    for packet in plan["deal"]:
        hands.setdefault(packet["seat"], []).extend(packet["from"])
    return hands


def true_tiles(events: Events) -> tuple[dict[str, str], dict[int, list[str]]]:
    """What the plant had in each place when the walls were raised, and in each hand at the end."""
    raised, ready = named(events, "tiles_revealed")
    assert (raised["when"], ready["when"]) == ("walls_raised", "ready")
    return raised["places"], {int(seat): hand for seat, hand in ready["hands"].items()}
