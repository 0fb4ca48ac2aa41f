"""Tests the fuses of `make fuses` and `wallwright firmware flash --bare`, by the data sheet."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable

import pytest

from firmware_bridge.commissioning.flashing import BARE_FUSES
from firmware_bridge.sim.processors.processor import FIRMWARE

BROWN_OUT_MV = {0b111: None, 0b110: 1800, 0b101: 2700, 0b100: 4300}
"""By the lowest three bits of the extended fuse, BODLEVEL (ATmega2560 data sheet, table 31-5)."""
BOOTLOADER, FIRMWARE_FIRST = 0, 1
"""Which program a reset starts: BOOTRST, the lowest bit of the high fuse."""


def of_make() -> dict[str, int]:
    """Return the fuses in the command of `make fuses`, which is not run."""
    made = subprocess.run(
        ["make", "-n", "-C", FIRMWARE, "fuses", "PROGRAMMER=usbasp"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return {name: int(value, 16) for name, value in re.findall(r"(\w+):w:(0x\w\w):m", made)}


def of_bare_flash() -> dict[str, int]:
    return dict(BARE_FUSES)


@pytest.mark.parametrize(
    ("fuses", "started"), [(of_make, BOOTLOADER), (of_bare_flash, FIRMWARE_FIRST)]
)
def test_a_board_with_these_fuses_is_reset_below_4_3_volts(
    fuses: Callable[[], dict[str, int]], started: int
) -> None:
    values = fuses()
    assert BROWN_OUT_MV[values["efuse"] & 0b111] == 4300
    assert values["hfuse"] & 1 == started
