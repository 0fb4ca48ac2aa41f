"""Tests that virtual board and firmware send the same bytes in the same sessions."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.firmware_bridge.conformance.script import Script, play, script_of

SCRIPTS = [
    script_of(entry)
    for entry in yaml.safe_load(Path(__file__).with_name("sessions.yaml").read_text("utf-8"))
]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.scenario)
def test_both_boards_behave_alike_in_a_session(library: Path, script: Script) -> None:
    play(library, script)


def test_a_script_fails_if_an_expected_output_does_not_occur(library: Path) -> None:
    for line in ("= Refused BUSY drum", "> Held *", "pin 4 0", "left"):
        script = Script("a wrong scenario", f"Set drum 1000\n{line}")
        with pytest.raises(AssertionError, match="a wrong scenario, line 2"):
            play(library, script)


def test_every_state_of_motion_has_a_scenario_with_a_lost_lease() -> None:
    losing = [script.steps for script in SCRIPTS if "> Held" in script.steps]
    for order in ("Drive ", "Pulse ", "Set ", "ThrowDice ", "Move ", "Home "):
        assert any(order in steps for steps in losing), order
