"""Tests the pins of the robotic table with emulated firmware, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from config.loader import load_game, load_table
from config.schema import SensorChannel
from controller.cli.errors import BadInputError
from controller.cli.options.boards import require_emulation
from controller.run.assembly import Hardware, simulated
from firmware_bridge.board import Board, Edges, Elapsed, FaultCode, Level, Reason
from firmware_bridge.executor.channels import ImpossibleOrderError
from firmware_bridge.sim import clock
from firmware_bridge.sim.plant.machine import Plant
from firmware_bridge.sim.processors import processor
from firmware_bridge.sim.processors.emulated_bench import EmulatedBench
from firmware_bridge.sim.processors.processor import Processor
from firmware_bridge.wire.codes import ResetCause
from firmware_bridge.wire.errors import BoardError, BoardSilentError
from rules.games import find_game
from tests.firmware_bridge.firmware.firmware_build import build
from tests.quick import EVIDENCE_ONLY

pytestmark = [pytest.mark.slow]

STEP = 0.00015
CLOCK_LAG = 0.033
"""Seconds by which a board's clock may be behind after a reset."""
SAVING_TIME = 0.5
"""Seconds for which a board continues to run after its supply has failed."""
now = asyncio.get_running_loop


@pytest.fixture(scope="session", autouse=True)
def firmware() -> None:
    build()


class Table:
    """A table whose boards are started and leased, with a record of all outputs."""

    def __init__(self, hardware: Hardware) -> None:
        assert hardware.plant is not None
        assert isinstance(hardware.bench, EmulatedBench)
        self.bench = hardware.bench
        self.plant: Plant = hardware.plant
        self.base: Board = hardware.boards["base"]
        self.arm: Board = hardware.boards["arm"]
        self.recorder: list[tuple[float, str, object]] = []
        self._follow("output")
        self._follow("axis_begins")
        self._follow("axis_ends")

    def values(self, channel: str) -> list[object]:
        """Return the values of an output, in order."""
        return [value for _, name, value in self.recorder if name == f"output {channel}"]

    def _follow(self, method: str) -> None:
        execute = getattr(self.plant, method)

        def recorded(channel: str, *values: float) -> None:
            value = values[0] if method == "output" else values
            self.recorder.append((now().time(), f"{method} {channel}", value))
            execute(channel, *values)

        setattr(self.plant, method, recorded)


@asynccontextmanager
async def started_table(stock: bool = False) -> AsyncIterator[Table]:
    game = find_game("wenzhou")
    hardware = simulated(
        load_table("robotic"), load_game("wenzhou"), game, 4, seed=3, emulated=True, stock=stock
    )
    table = Table(hardware)
    try:
        for board in hardware.boards.values():
            await board.start()
            await board.hold_lease()
        yield table
        for board in hardware.boards.values():
            await board.close()
    finally:
        hardware.close()


def recorded(scenario: Callable[[Table], Awaitable[None]]) -> list[tuple[float, str, object]]:
    """Run a scenario at a table; returns the record of its outputs."""

    async def main() -> list[tuple[float, str, object]]:
        async with started_table() as table:
            await scenario(table)
        return table.recorder

    return clock.run(main())


def test_a_lift_stops_at_its_own_switch() -> None:
    async def scenario(table: Table) -> None:
        ended = await table.base.drive("lift0", 1000, Level("lift0_up"), 5.0)
        assert ended.reason is Reason.LEVEL
        assert ended.seconds == pytest.approx(2.505, abs=0.001)
        assert table.values("lift0") == [1000, 0]

    recorded(scenario)


def test_a_drum_at_part_drive_turns_evenly_until_its_time_is_over() -> None:
    async def scenario(table: Table) -> None:
        ended = await table.base.drive("drum", 650, Elapsed(), 0.5)
        assert ended.reason is Reason.TIME
        await asyncio.sleep(0.02)
        assert table.values("drum") == [1000, 0]
        starts, stops = (at for at, name, _ in table.recorder if name == "output drum")
        assert stops - starts == pytest.approx(0.5, abs=0.005)

    recorded(scenario)


def test_the_arm_finds_its_switches_and_stops_at_its_targets() -> None:
    async def scenario(table: Table) -> None:
        for axis in ("gantry_z", "gantry_x", "gantry_y"):
            assert (await table.arm.home(axis)).reason is Reason.DONE
        assert await table.arm.read("gantry_x_home") == 1
        ended = await table.arm.move({"gantry_x": 0.1234, "gantry_y": -0.2, "gantry_z": 0.25})
        assert ended.reason is Reason.DONE
        await asyncio.sleep(0.02)
        assert await table.arm.read("gantry_x_home") == 0
        stops = {name.split()[1]: value for _, name, value in table.recorder if "ends" in name}
        for axis, place in (("gantry_x", 0.1234), ("gantry_y", -0.2), ("gantry_z", 0.25)):
            assert stops[axis] == (pytest.approx(place, abs=STEP / 2),)
        assert (await table.arm.move({"gantry_z": 0.3})).reason is Reason.DONE
        assert await table.arm.read("gantry_z_home") == 1

    recorded(scenario)


def test_the_emergency_stop_cuts_a_motors_power_within_half_a_millisecond() -> None:
    async def scenario(table: Table) -> None:
        await table.base.set("drum", 1000)
        await asyncio.sleep(0.1)
        faults = table.base.faults
        pressed = now().time()
        table.plant.emergency_stop(True)
        assert (await anext(faults)).code is FaultCode.EMERGENCY_STOP
        at, _, value = next(each for each in reversed(table.recorder) if each[1] == "output drum")
        assert value == 0
        assert at - pressed < 0.0005
        with pytest.raises(BoardError, match="fault"):
            await table.base.set("drum", 1000)
        table.plant.emergency_stop(False)
        await asyncio.sleep(0.01)
        await table.base.clear()
        await table.base.set("drum", 1000)

    recorded(scenario)


def test_dice_and_tags_come_from_the_modules_on_the_serial_ports() -> None:
    async def scenario(table: Table) -> None:
        assert table.plant.dome is not None
        thrown = await table.base.throw("dice", 3)
        assert len(thrown) == 3
        assert all(1 <= face <= 6 for face in thrown)
        assert (await table.base.thrown("dice"))[1] == thrown
        assert await table.arm.scan("reader") is None

    recorded(scenario)


def test_a_board_that_loses_its_power_keeps_its_serial_number_and_counts_the_restart() -> None:
    async def scenario(table: Table) -> None:
        await table.base.set("drum", 1000)
        await asyncio.sleep(0.1)
        faults = table.base.faults
        table.bench.reset("base", ResetCause.POWER)
        with pytest.raises(BoardSilentError):
            await anext(faults)
        assert table.values("drum") == [1000, 0]
        identity = await table.base.start()
        assert (identity.serial, identity.boots) == ("SIM00000", 2)

    recorded(scenario)


@EVIDENCE_ONLY
def test_a_board_that_is_to_hang_in_its_bootloader_hangs_when_its_firmware_runs() -> None:
    """In the bootloader the watchdog is off, so a hung bootloader would hang for ever."""

    async def main() -> None:
        async with started_table(stock=True) as table:
            faults = table.base.faults
            table.bench.reset("base", ResetCause.EXTERNAL)
            await asyncio.sleep(0.3)
            table.bench.reset("base", ResetCause.WATCHDOG)
            with pytest.raises(BoardSilentError):
                await anext(faults)
            # It hangs as soon as the bootloader has started it, before it reports its start; its
            # watchdog then starts it once more. It has stored the number of its start or not.
            identity = await table.base.start()
            assert identity.serial == "SIM00000" and identity.boots in (2, 3)
            assert identity.reset_cause == ResetCause.WATCHDOG

    clock.run(main())


@pytest.mark.parametrize("cause", ResetCause)
def test_a_board_reads_every_sensor_correctly_after_a_reset(cause: ResetCause) -> None:
    async def scenario(table: Table) -> None:
        def read_all() -> Awaitable[list[int]]:
            return asyncio.gather(*map(table.base.read, sensors))

        channels = table.plant.table.boards["base"].channels
        keys = table.plant.table.modules.keys
        sensors = [
            name
            for name, each in channels.items()
            if isinstance(each, SensorChannel) and name not in (keys.lid, keys.done)
        ]  # a simulated person presses the keys from second 1 on
        table.plant.sense("head0_counter", True)
        await asyncio.sleep(0.1)
        before = await read_all()
        assert 0 < sum(before) < len(before)
        table.bench.reset("base", cause)
        with suppress(BoardSilentError):
            await anext(table.base.faults)
        await table.base.start()
        await asyncio.sleep(0.1)
        assert await read_all() == before

    recorded(scenario)


@pytest.mark.parametrize(
    "cause", [ResetCause.WATCHDOG, ResetCause.POWER], ids=["hung", "without power"]
)
def test_counts_before_a_hang_or_a_power_loss_are_recalled_to_the_last_tile(
    cause: ResetCause,
) -> None:
    async def scenario(table: Table) -> None:
        drive = table.base.drive("head0_wheel", 1000, Edges("head0_counter", 9), 5.0)
        counting = asyncio.create_task(drive)
        for active in (True, False) * 3:
            await asyncio.sleep(0.05)
            table.plant.sense("head0_counter", active)
        await asyncio.sleep(0.05)
        table.bench.reset("base", cause)
        with pytest.raises(BoardSilentError):
            await counting
        await table.base.start()
        recalled = await table.base.recall("head0_wheel")
        assert recalled is not None
        assert recalled.count == 3
        assert recalled.reason in (Reason.FAULT, Reason.HELD)
        assert 0.35 - CLOCK_LAG < recalled.seconds < 0.35 + SAVING_TIME
        assert await table.base.count("head0_counter") == 3

    recorded(scenario)


@EVIDENCE_ONLY
def test_two_runs_of_a_scenario_are_identical_to_the_cycle() -> None:
    async def scenario(table: Table) -> None:
        await table.arm.home("gantry_z")
        lift = table.base.drive("lift1", 1000, Level("lift1_up"), 5.0)
        move = table.arm.home("gantry_x")
        await asyncio.gather(lift, move)

    assert recorded(scenario) == recorded(scenario)


def test_an_impossible_motion_ends_the_run_with_its_error() -> None:
    async def scenario(table: Table) -> None:
        await table.base.drive("head0_pusher", 1000, Elapsed(), 1.0)

    with pytest.raises(ImpossibleOrderError, match="no tile waits"):
        recorded(scenario)


def test_missing_firmware_is_an_error_that_names_the_make_command() -> None:
    with pytest.raises(FileNotFoundError, match=r"make .* builds it"):
        Processor(Path("/nowhere/wallwright.elf"))


def test_a_missing_simulator_is_an_error_that_names_the_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(processor, "LIBRARY", Path("/nowhere/libwallwright_simavr.so"))
    processor._shim.cache_clear()
    try:
        with pytest.raises(BadInputError, match=r"install libsimavr-dev and run `make"):
            require_emulation(load_table("robotic"))
    finally:
        processor._shim.cache_clear()
