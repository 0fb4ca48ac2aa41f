"""Tests that docs/reference/MACHINE.md contains all states and triggers of the state machine."""

from __future__ import annotations

from controller.run.state_machine import ABOVE, MODE, TOP, TRIGGERS, UNDER
from tools.machine_page import MEANINGS, page


def test_the_page_contains_every_state_and_every_trigger() -> None:
    text = page()
    assert {*ABOVE, *MODE, *UNDER, *TOP} == set(MEANINGS)
    for name in (*MEANINGS, *TRIGGERS):
        assert f"`{name}`" in text
