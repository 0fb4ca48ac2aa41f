"""Tests that the emulated Pico sends the bytes of the virtual board in the same sessions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from config.loader import load_table
from firmware_bridge.sim import clock
from firmware_bridge.sim.processors.rp2040 import Rp2040
from tests.firmware_bridge.conformance.pico_twins import PicoTwins, named_channels
from tests.firmware_bridge.conformance.script import Script, clock_at, play_with
from tests.firmware_bridge.conformance.test_sessions import SCRIPTS
from tests.firmware_bridge.firmware.emulated_rounds import build

BOARDS = load_table("robotic").boards
NAMED = {
    board: named_channels(
        (script.steps for script in SCRIPTS if script.board == board), BOARDS[board].channels
    )
    for board in ("base", "arm")
}


@pytest.fixture(scope="module")
def pico() -> Iterator[Rp2040]:
    build("rp2040", "rp2040js")
    with Rp2040() as chip:
        yield chip


async def play_on_pico(pico: Rp2040, script: Script) -> None:
    if not script.before_wrap_us:
        await clock_at(pico.cycle // 16 + 10_000)
    await play_with(
        lambda: PicoTwins(pico, "robotic", script.board, script.lamps, NAMED[script.board]), script
    )


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.scenario)
def test_the_pico_sends_the_bytes_of_the_virtual_board(pico: Rp2040, script: Script) -> None:
    clock.run(play_on_pico(pico, script))
