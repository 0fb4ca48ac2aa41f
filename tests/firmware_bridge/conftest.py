"""Builds the firmware's core as a library, once for all tests of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.firmware_bridge.firmware.virtual_chip import built


@pytest.fixture(scope="session")
def library() -> Path:
    """Return the path of the firmware's core as a library, built for this computer."""
    return built()
