"""`wallwright wiring`: the list of the pins of a table's boards."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.controller.cli.conftest import Wallwright


def test_every_pin_is_listed_with_its_channel_and_its_part(wallwright: Wallwright) -> None:
    result = wallwright("wiring robotic")
    assert (result.code, result.err) == (0, "")
    lines = [re.sub(r" {2,}", " | ", line.strip()) for line in result.out.splitlines()]
    assert "base: Arduino Mega 2560, address 0" in lines
    assert (
        "60 | head2_counter | sensor, reads | in | pulled up, closes to ground | - | head 2, S1"
        " counter"
    ) in lines
    assert "6 | head0_wheel | motor, forward | out | high drives | off | head 0, wheel" in lines
    assert "38 | ready | output, switches | out | high is on | on | panel, ready" in lines
    assert any(line.startswith("69 | motor current |") for line in lines)
    assert "free: 13 to 17, 49, 52, 66 to 68" in lines


def test_the_option_board_lists_one_board_only(wallwright: Wallwright) -> None:
    result = wallwright("wiring robotic --board arm")
    assert "gantry_x_home" in result.out
    assert "head2_counter" not in result.out


def test_an_unknown_board_is_refused(wallwright: Wallwright) -> None:
    result = wallwright("wiring robotic --board leg")
    assert (result.code, result.out) == (2, "")
    assert result.err == "There is no board 'leg'; there are base, arm.\n"


def test_a_lamp_on_the_pin_of_the_bootloaders_led_is_a_warning_of_wiring_and_check(
    lamp_on_13: Path, wallwright: Wallwright
) -> None:
    text = "pin 13 is driven until the board has started. The LED of the bootloader:"
    assert f"warning: channels.ready: {text}" in wallwright(f"wiring {lamp_on_13}").out
    base, arm = json.loads(wallwright(f"wiring {lamp_on_13} --json").out)
    assert (base["chip"], base["warnings"]) == ("mega2560", [])
    assert [warning.startswith("channels.ready: pin 13") for warning in arm["warnings"]] == [True]
    result = wallwright(f"check {lamp_on_13}")
    assert result.code == 0, "a lamp moves nothing"
    assert f"  warning: boards.arm.channels.ready: {text}" in result.out
    (facts,) = json.loads(wallwright(f"check {lamp_on_13} --json").out)
    assert len(facts["warnings"]) == 1
