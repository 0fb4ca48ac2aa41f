"""Which axes a session homes again after they have lost their power."""

from __future__ import annotations

from typing import cast

from controller.run.pausing.pause_gate import PauseGate
from controller.run.pausing.resumable_board import ResumableSession
from firmware_bridge.board import Board
from tests.firmware_bridge.serial_rig import CONFIG


def test_an_axis_that_is_being_homed_is_no_longer_in_use() -> None:
    session = ResumableSession(cast("Board", None), CONFIG, PauseGate(lambda _: None), None)
    assert not session.has_lost_home()
    session.record_targets({"x": 0.1})
    assert session.has_lost_home()
    session.forget_target("x")
    assert not session.has_lost_home()
