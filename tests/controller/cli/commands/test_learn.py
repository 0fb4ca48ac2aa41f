"""`wallwright learn`: a guided session that proposes a table file and overwrites nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from config.loader import check_file, load_table
from config.schema import MotorChannel, Table
from firmware_bridge.sim.rewired import shuffled
from tests.controller.cli.conftest import Wallwright


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_a_learned_table_is_written_to_a_new_file_that_passes_check(
    wallwright: Wallwright, here: Path
) -> None:
    result = wallwright("learn --sim --yes --like single_port --seed 4")
    assert (result.code, result.err) == (0, "")
    file = here / "single_port_learned.yaml"
    found = check_file(file)
    assert isinstance(found, Table)
    truth = shuffled(load_table("single_port"), 4)
    listed = truth.wire_list.boards["base"].channels
    for wire, connection in truth.wires.items():
        channel, pins = found.channel(connection.channel), listed[wire]
        if isinstance(channel, MotorChannel) and isinstance(pins, MotorChannel):
            assert {channel.pin, channel.reverse_pin} == {pins.pin, pins.reverse_pin}
    assert "--- single_port" in result.out
    assert wallwright(f"check {file}").code == 0


def test_an_existing_file_is_not_overwritten(wallwright: Wallwright, here: Path) -> None:
    (here / "mine.yaml").write_text("my table\n", "utf-8")
    result = wallwright("learn --sim --yes --like single_port --out mine.yaml")
    assert result.code == 2
    assert "mine.yaml" in result.err
    assert (here / "mine.yaml").read_text("utf-8") == "my table\n"


def test_what_is_known_already_is_not_moved_again(wallwright: Wallwright, here: Path) -> None:
    assert wallwright("learn --sim --yes --like single_port").code == 0
    (here / "single_port_learned.yaml").unlink()
    state = json.loads((here / "single_port_learned.learn.json").read_text("utf-8"))
    assert len(state["motors"]) == 10
    result = wallwright("learn --sim --yes --like single_port")
    assert result.code == 0
    assert "motor1 is" not in result.out


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("learn", "Name a wire list and its --port, or give --sim"),
        ("learn --yes", "`--yes` works on a simulated table only"),
        ("learn --sim --longest 0.1", "`--longest` must be 1 to 30 seconds; got 0.1."),
        ("learn --sim --like robotic", "it needs exactly one serial board"),
        ("learn --sim --port /dev/null", "exclude each other"),
        ("learn wires.yaml", "wires.yaml: the file does not exist"),
    ],
)
def test_a_wrong_command_line_moves_nothing_and_says_what_to_do(
    line: str, reason: str, wallwright: Wallwright, here: Path
) -> None:
    result = wallwright(line)
    assert result.code == 2
    assert reason in result.err


def test_a_wire_list_without_an_emergency_stop_is_refused(
    wallwright: Wallwright, here: Path
) -> None:
    (here / "wires.yaml").write_text(
        "name: mine\ntitle: my table\nboards:\n  base:\n    kind: serial\n    channels:\n"
        "      m1: {kind: motor, pin: 2, driver: mosfet, max_on: 5.0}\n"
        "      m2: {kind: motor, pin: 2, driver: mosfet, max_on: 5.0}\n"
        "emergency: [stop]\n",
        "utf-8",
    )
    result = wallwright("learn wires.yaml --port /dev/null")
    assert result.code == 2
    assert "boards.base: has no emergency stop ('base')" in result.err
    assert "boards.base.channels.m2.pin: is already used by m1 (pin 2)" in result.err
