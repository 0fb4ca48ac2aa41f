"""The firmware's core as a library, made once for all tests here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.firmware_bridge.firmware.virtual_chip import built


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The firmware's core for this computer, freshly made."""
    return built(tmp_path_factory.mktemp("firmware"))
