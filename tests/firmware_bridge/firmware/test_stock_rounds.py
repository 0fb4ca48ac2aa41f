"""Tests boards with the Mega's bootloader from power-on to a dealt round, by their pins."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from config.loader import load_game, load_table
from config.schema import MotorChannel
from controller.run.assembly import Hardware, simulated
from firmware_bridge.sim import clock
from firmware_bridge.sim.processors.emulated_bench import EmulatedBench
from firmware_bridge.sim.processors.processor import (
    FREQUENCY,
    PinChange,
    PinLevel,
    PinOutputs,
    Reset,
)
from firmware_bridge.wire.codec import encode
from firmware_bridge.wire.codes import ResetCause
from firmware_bridge.wire.messages import TakeLease
from rules.games import find_game
from tests.firmware_bridge.firmware.firmware_build import build
from tests.firmware_bridge.firmware.lease_watch import LeaseWatch


@pytest.fixture(scope="module", autouse=True)
def firmware() -> None:
    build()


def _watched(hardware: Hardware) -> list[LeaseWatch]:
    bench, plant = hardware.bench, hardware.plant
    assert isinstance(bench, EmulatedBench) and plant is not None
    return [LeaseWatch(board, plant.table.boards[name]) for name, board in bench.boards.items()]


def test_no_motor_can_run_between_power_on_and_the_first_lease() -> None:
    """From power-on through the bootloader and the configuration, every output is released."""

    async def main() -> None:
        table = load_table("pai_gow")
        game = find_game("pai_gow")
        hardware = simulated(table, load_game("pai_gow"), game, 8, 1, emulated=True, stock=True)
        try:
            (watch,) = _watched(hardware)
            (name,) = table.boards
            board = hardware.boards[name]
            began = asyncio.get_running_loop().time()
            identity = await board.start()
            assert asyncio.get_running_loop().time() - began < 1.5
            assert identity.reset_cause in (ResetCause.EXTERNAL, ResetCause.POWER)
            assert watch.resets == 1, "the opening of the port"
            motor = next(
                name
                for name, each in table.boards[name].channels.items()
                if isinstance(each, MotorChannel)
            )
            active = watch.activations
            assert active == 0
            await board.hold_lease()
            await board.set(motor, 1000)
            await asyncio.sleep(0.05)
            assert watch.activations > 0
            await board.release_lease()
            await asyncio.sleep(0.05)
            watch.finish()
            assert watch.violations == []
        finally:
            hardware.close()

    clock.run(main())


def test_a_pin_that_is_active_without_a_lease_is_noticed() -> None:
    table = load_table("pai_gow")
    (config,) = table.boards.values()
    pin = next(c.pin for c in config.channels.values() if isinstance(c, MotorChannel))
    board = SimpleNamespace(cycle=0, receive=lambda data: None)
    watch = LeaseWatch(board, config)  # type: ignore[arg-type]
    change = PinChange(FREQUENCY, pin, PinLevel.HIGH)
    board.observe(0, PinOutputs([change], [], []))
    assert watch.violations == [
        f"pin {pin} became active at 1.000000 s; the lease ended at 0.000000 s"
    ]


def test_a_reset_releases_every_pin() -> None:
    table = load_table("pai_gow")
    (config,) = table.boards.values()
    pin = next(c.pin for c in config.channels.values() if isinstance(c, MotorChannel))
    board = SimpleNamespace(cycle=0, receive=lambda data: None)
    watch = LeaseWatch(board, config)  # type: ignore[arg-type]
    watch._identified = True
    board.receive(encode(config.address, 1, TakeLease(1000)))
    board.observe(0, PinOutputs([PinChange(FREQUENCY // 2, pin, PinLevel.HIGH)], [], []))
    board.observe(0, PinOutputs([], [], [Reset(FREQUENCY * 3 // 4, 1)]))
    board.cycle = 2 * FREQUENCY
    watch.finish()
    assert (watch.activations, watch.violations) == (1, [])
