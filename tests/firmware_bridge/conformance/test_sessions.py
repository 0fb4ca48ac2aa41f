"""The board and its firmware live through the same sessions, and say the same, to the byte."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.firmware_bridge.conformance.script import Script, play, script_of

SCRIPTS = [
    script_of(told)
    for told in yaml.safe_load(Path(__file__).with_name("sessions.yaml").read_text("utf-8"))
]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.story)
def test_both_live_through_a_session_alike(library: Path, script: Script) -> None:
    play(library, script)


def test_a_script_that_expects_what_does_not_happen_fails(library: Path) -> None:
    for line in ("= Refused BUSY drum", "> Held *", "pin 4 0", "left"):
        script = Script("a story that is not true", f"Set drum 1000\n{line}")
        with pytest.raises(AssertionError, match="a story that is not true, line 2"):
            play(library, script)


def test_every_state_of_motion_has_a_story_of_a_lost_lease() -> None:
    losing = [script.steps for script in SCRIPTS if "> Held" in script.steps]
    for order in ("Drive ", "Pulse ", "Set ", "ThrowDice ", "Move ", "Home "):
        assert any(order in steps for steps in losing), order
