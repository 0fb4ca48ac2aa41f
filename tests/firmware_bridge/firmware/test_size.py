"""Tests that the firmware and its deepest stack fit into the memory that they may use."""

from __future__ import annotations

import subprocess

import pytest

from tests.firmware_bridge.firmware.emulated_rounds import build
from tests.firmware_bridge.firmware.virtual_chip import FIRMWARE

pytestmark = [pytest.mark.slow]


def test_flash_static_data_and_the_deepest_stack_fit_their_limits() -> None:
    build()
    command = ["make", "-s", "-C", str(FIRMWARE), "size"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "of 98304 bytes" in done.stdout
    assert "of 7168 bytes" in done.stdout
    assert "of 7936 bytes" in done.stdout
