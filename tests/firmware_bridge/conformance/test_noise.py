"""The firmware on a bad line, at the other end of the host's real link."""

from __future__ import annotations

from pathlib import Path

from benchmarks.firmware_noise import measured

COMMANDS = 20_000


def test_twenty_thousand_commands_on_a_bad_line_are_each_done_exactly_once(library: Path) -> None:
    row = measured(COMMANDS, library)
    assert row.met, row.measured
