"""Tests how the Pico's storage wears: the erases of each sector of its flash, and its life."""

from __future__ import annotations

import ctypes

import pytest

from config.board_profiles import board_profile
from config.loader import load_table
from firmware_bridge.commissioning.pico_storage import BANKS, changes_in
from firmware_bridge.sim import clock
from firmware_bridge.sim.processors.processor import CYCLES_PER_US
from firmware_bridge.sim.processors.rp2040 import STORAGE, STORAGE_SIZE, Rp2040
from tests.firmware_bridge.conformance.pico_twins import START_US, PicoTwins
from tests.firmware_bridge.firmware.firmware_build import build
from tests.firmware_bridge.firmware.virtual_chip import FIRMWARE

CYCLES = board_profile("rp2040").storage.cycles
ROUNDS = 1_000_000
"""The rounds that a board has to last."""
BYTES_A_ROUND = 384
"""Bytes of the board's log in a round, at most (docs/decisions/0022-what-a-board-keeps.md)."""
SAVES_A_ROUND = 6
"""A board saves at rest every 20 s at most; a round takes less than 2 minutes."""
SECTORS_A_BANK = 16
LOG, LOG_SIZE = 256, 3840
RESTING = 3.0


class _Storage:
    """The storage of the Pico, compiled for this computer, on an erased flash."""

    def __init__(self) -> None:
        build("build/host/libpico_storage.so")
        self._c = ctypes.CDLL(str(FIRMWARE / "build" / "host" / "libpico_storage.so"))
        self._c.port_storage_ready.restype = ctypes.c_bool
        self._c.pico_flash_new()
        self._c.storage_start()

    def write(self, at: int, byte: int) -> None:
        """Write a byte as the core does: while the storage is ready."""
        while not self._c.port_storage_ready():
            pass
        self._c.port_storage_write(at, bytes([byte]), 1)

    @property
    def erases(self) -> list[int]:
        """The erases of each sector."""
        return [self._c.pico_flash_erases(sector) for sector in range(BANKS * SECTORS_A_BANK)]


def test_all_sectors_of_the_picos_flash_wear_alike_and_last_a_million_rounds() -> None:
    storage = _Storage()
    written = 0
    while min(storage.erases) < 2:
        for at in range(LOG_SIZE):  # a turn of the core's log: written, then erased
            storage.write(LOG + at, written + at & 0x7F)
        for at in range(LOG_SIZE):
            storage.write(LOG + at, 0xFF)
        written += LOG_SIZE
    assert max(storage.erases) - min(storage.erases) <= 1
    rounds_an_erase = written / BYTES_A_ROUND / max(storage.erases)
    assert rounds_an_erase * CYCLES > 10 * ROUNDS


@pytest.mark.slow
def test_the_saves_of_a_round_on_the_emulated_pico_permit_a_million_rounds() -> None:
    build("rp2040", "rp2040js")
    sensors = {
        name
        for name, channel in load_table("robotic").boards["base"].channels.items()
        if channel.kind == "sensor" and name.startswith(("lid", "head0"))
    }
    found: list[int] = []

    async def play() -> None:
        with Rp2040() as pico:
            twins = PicoTwins(pico, "robotic", "base", 0, sensors | {"lid"})
            await twins.begin()
            before = changes_in(pico.memory(_FLASH + STORAGE, STORAGE_SIZE))
            for name in sorted(sensors):
                for active in (True, False):
                    await twins.sense(name, active)
                    await twins.advance(25)
            await twins.advance(RESTING * 1000)
            found.append(changes_in(pico.memory(_FLASH + STORAGE, STORAGE_SIZE)) - before)
            assert pico.state.erases == 0, "a round erases no sector of a new board"
            assert pico.cycle > START_US * CYCLES_PER_US

    clock.run(play())
    (changes,) = found
    assert changes > len(sensors), "every count is saved"
    changes_a_round = 2 * changes * SAVES_A_ROUND  # each byte is erased later
    assert CYCLES * BANKS * CHANGES_A_BANK / changes_a_round > ROUNDS


_FLASH = 0x10000000
CHANGES_A_BANK = (0x10000 - 256 - 4096) // 4
