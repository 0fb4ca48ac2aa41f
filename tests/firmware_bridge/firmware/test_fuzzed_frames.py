"""Sends sound frames with random contents to the emulated firmware, which must keep running."""

from __future__ import annotations

import asyncio
from random import Random

import pytest

from config.loader import load_game, load_table
from controller.run.assembly import simulated
from firmware_bridge.sim import clock
from firmware_bridge.sim.falsifying_board import FieldValues
from firmware_bridge.sim.processors.emulated_bench import EmulatedBench
from firmware_bridge.wire import messages as wire
from firmware_bridge.wire.codec import COMMANDS, encode
from rules.games import find_game
from tests.firmware_bridge.firmware.firmware_build import build
from tests.quick import tries

pytestmark = [pytest.mark.slow, pytest.mark.evidence]

FRAMES = tries(1000, quick=1000, evidence=20_000)
KINDS = tuple(
    row.message for row in wire.TABLE if row.message in COMMANDS - {wire.Bootloader, wire.Identify}
)
"""Every command except those that leave the firmware and that end the session."""


@pytest.fixture(scope="session", autouse=True)
def firmware() -> None:
    build()


@pytest.mark.timeout(900)
def test_an_emulated_board_survives_thousands_of_random_commands() -> None:
    async def main() -> tuple[int, int]:
        chance = Random(20261123)
        values = FieldValues(chance)
        hardware = simulated(
            load_table("robotic"), load_game("wenzhou"), find_game("wenzhou"), 4, 3, emulated=True
        )
        bench = hardware.bench
        assert isinstance(bench, EmulatedBench)
        board = hardware.boards["base"]
        address = load_table("robotic").boards["base"].address
        try:
            boots = (await board.start()).boots
            await board.hold_lease()
            link = hardware.serial[0]._link
            answered = 0
            for sent in range(FRAMES):
                message = values.message(chance.choice(KINDS), (sent & 0xFF,))
                if chance.random() < 0.5:
                    reply = link.post(message)
                    await asyncio.sleep(0.004)
                    answered += reply.done()
                else:
                    bench.receive(encode(address, chance.randrange(256), message))
                    await asyncio.sleep(0.003)
                if board.is_closed:  # type: ignore[attr-defined]
                    await asyncio.sleep(0.5)
                    await board.start()
                    await board.hold_lease()
            await board.close()
            await asyncio.sleep(1.0)
            return answered, (await board.start()).boots - boots
        finally:
            hardware.close()

    answered, resets = clock.run(main())
    # Half of the frames have no session and close the host's; with five seeds 92 to 108 of 1,000
    # commands were answered.
    assert answered > FRAMES // 20
    assert resets == 0, "no frame hangs or crashes the firmware"
