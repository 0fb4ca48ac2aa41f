"""Ctrl-C during a campaign."""

from __future__ import annotations

import os
import signal
import sys
from itertools import count
from types import FrameType
from typing import Any

from controller.proof.campaign import is_stopped, until_interrupted


def looked_with_ctrl_c_before(instruction: int) -> bool:
    """Look at the flag, with Ctrl-C before this instruction of it; False if it has fewer.

    Asserts that the campaign was stopped.
    """
    passed = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal passed
        frame.f_trace_opcodes = True
        if event == "opcode":
            passed += 1
            if passed == instruction:
                os.kill(os.getpid(), signal.SIGINT)
        return trace

    before = sys.gettrace()
    with until_interrupted():
        sys.settrace(trace)
        try:
            is_stopped()
        finally:
            sys.settrace(before)
        was_sent = passed >= instruction
        assert is_stopped() == was_sent
    return was_sent


def test_ctrl_c_at_any_instruction_of_the_look_at_the_flag_stops_the_campaign() -> None:
    """At some of them, an event with a lock blocked the process."""
    sent = next(number for number in count(1) if not looked_with_ctrl_c_before(number)) - 1
    assert sent > 10
