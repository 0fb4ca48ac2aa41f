"""`wallwright wiring`: the list of pins."""

from __future__ import annotations

import re

from tests.controller.cli.conftest import Wallwright


def test_an_electrician_reads_what_hangs_on_each_pin(wallwright: Wallwright) -> None:
    said = wallwright("wiring robotic")
    assert (said.code, said.err) == (0, "")
    lines = [re.sub(r" {2,}", " | ", line.strip()) for line in said.out.splitlines()]
    assert "base: Arduino Mega 2560, address 0" in lines
    assert (
        "60 | head2_counter | sensor, reads | in | pulled up, closes to ground | - | head 2, S1"
        " counter"
    ) in lines
    assert "6 | head0_wheel | motor, forward | out | high drives | off | head 0, wheel" in lines
    assert "38 | ready | output, switches | out | high is on | on | panel, ready" in lines
    assert any(line.startswith("69 | motor current |") for line in lines)
    assert "free: 14 to 17, 49, 52, 53, 66 to 68" in lines


def test_one_board_alone_can_be_asked_for(wallwright: Wallwright) -> None:
    said = wallwright("wiring robotic --board arm")
    assert "gantry_x_home" in said.out
    assert "head2_counter" not in said.out


def test_a_board_that_the_table_has_not_is_refused(wallwright: Wallwright) -> None:
    said = wallwright("wiring robotic --board leg")
    assert (said.code, said.out) == (2, "")
    assert said.err == "There is no board 'leg'; there are base, arm.\n"
