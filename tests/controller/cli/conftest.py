"""Fixtures that run a command line in this process, or in a process of its own."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from controller.cli import main
from firmware_bridge.commissioning.probe import answers
from firmware_bridge.wire import sliding_window

Events = list[dict[str, Any]]

COMMAND = (sys.executable, "-m", "controller.cli")


class CommandResult(NamedTuple):
    """The exit code, standard output and standard error of a command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """Standard output as one JSON value. Asserts that the command succeeded."""
        assert (self.code, self.err) == (0, "")
        return dict(json.loads(self.out))

    @property
    def events(self) -> Events:
        """Standard output as JSON lines. Asserts that the command succeeded."""
        assert (self.code, self.err) == (0, "")
        return [json.loads(line) for line in self.out.splitlines()]


Wallwright = Callable[[str], CommandResult]
Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def wallwright(capsys: pytest.CaptureFixture[str]) -> Wallwright:
    """A function that runs a command line, without the word `wallwright`, in this process."""

    def run_command(line: str) -> CommandResult:
        code = main(shlex.split(line))
        out, err = capsys.readouterr()
        return CommandResult(code, out, err)

    return run_command


@pytest.fixture
def late_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Boards in another process, which a busy computer may hold, have a minute for an answer."""
    patient = partial(answers, patience=60.0)
    monkeypatch.setattr("controller.cli.runs.board_checks.answers", patient)
    monkeypatch.setattr("controller.cli.runs.supply_calibration.answers", patient)
    monkeypatch.setattr(sliding_window, "REPETITIONS", 120)


@pytest.fixture
def lamp_on_13(tmp_path: Path) -> Path:
    """The file of a table whose ready lamp is on the pin of the bootloader's LED."""
    text = (resources.files("config") / "tables" / "robotic.yaml").read_text("utf-8")
    changed = text.replace("ready: {kind: output, pin: 38,", "ready: {kind: output, pin: 13,")
    assert changed != text
    file = tmp_path / "lamp.yaml"
    file.write_text(changed, encoding="utf-8")
    return file


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """A function that starts a command line in a process of its own."""

    def begin(line: str, **streams: Any) -> subprocess.Popen[str]:
        return subprocess.Popen(
            (*COMMAND, *shlex.split(line)),
            stdin=streams.get("stdin", subprocess.DEVNULL),
            stdout=streams.get("stdout", subprocess.PIPE),
            stderr=streams.get("stderr", subprocess.PIPE),
            text=True,
            start_new_session=True,
        )

    return begin


def named(events: Events, name: str) -> Events:
    """The events with this name, in order."""
    return [event for event in events if event["event"] == name]


def hands_of(plan: dict[str, Any]) -> dict[int, list[str]]:
    """Each seat's places, in the order in which they are dealt."""
    hands: dict[int, list[str]] = {}
    for packet in plan["deal"]:
        hands.setdefault(packet["seat"], []).extend(packet["from"])
    return hands


def true_tiles(events: Events) -> tuple[dict[str, str], dict[int, list[str]]]:
    """The plant's tiles in each place of the raised walls, and in each hand when it was dealt."""
    raised, ready = named(events, "tiles_revealed")
    assert (raised["when"], ready["when"]) == ("walls_raised", "ready")
    return raised["places"], {int(seat): hand for seat, hand in ready["hands"].items()}
