"""Tests the firmware on a noisy line to the host's real link."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.firmware_noise import measured

COMMANDS = 20_000


@pytest.mark.slow
def test_twenty_thousand_commands_on_a_noisy_line_are_each_executed_once(library: Path) -> None:
    row = measured(COMMANDS, library)
    assert row.met, row.measured
