"""Tests power failures, unplugged cables, noise and stalled hosts, with the real link."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from random import Random
from typing import Any

import pytest

from config.loader import load_table
from firmware_bridge.board import BoardFault, Elapsed, FaultCode, Reason
from firmware_bridge.boards.encoding import flags_of
from firmware_bridge.boards.serial_board import SerialBoard
from firmware_bridge.executor.virtual_board import KEY
from firmware_bridge.sim import clock
from firmware_bridge.sim.bench import Bench
from firmware_bridge.sim.faults.injected_fault import parse
from firmware_bridge.sim.line import memory_line
from firmware_bridge.sim.plant.machine import Plant
from firmware_bridge.sim.stall import StallingLoop
from firmware_bridge.wire.codes import ResetCause
from firmware_bridge.wire.errors import BoardError, BoardSilentError
from firmware_bridge.wire.link import SerialLine
from tests.firmware_bridge.sim.rack import FACES, TILE

now = asyncio.get_running_loop

Scenario = Callable[[Bench, dict[str, SerialBoard]], Coroutine[Any, Any, None]]


@asynccontextmanager
async def linked(texts: tuple[str, ...]) -> AsyncIterator[tuple[Bench, dict[str, SerialBoard]]]:
    """Connect the robotic table with these injected faults; start and lease its boards."""
    table = load_table("robotic")
    here, there = memory_line()
    plant = Plant(table, TILE, FACES, 1, now(), injected_faults=map(parse, texts))
    bench = Bench(plant, there.write)
    there.connect(bench.receive, lambda _: None)
    line, random = SerialLine(here), Random(1)
    boards = {
        name: SerialBoard(name, board, line, KEY, lambda: random.randbytes(8), flags_of(table))
        for name, board in table.boards.items()
    }
    for board in boards.values():
        await board.start()
        await board.hold_lease()
    try:
        yield bench, boards
    finally:
        line.close()
        bench.close()
        plant.census()


def run_scenario(scenario: Scenario, *texts: str) -> None:
    """Run the scenario with these injected faults on a virtual clock."""

    async def main() -> None:
        async with linked(texts) as (bench, boards):
            await scenario(bench, boards)

    clock.run(main())


async def next_fault(board: SerialBoard) -> BoardFault:
    """Wait for the board's next fault; return that fault."""
    async for fault in board.faults:
        return fault
    raise AssertionError("The board was closed before it reported a fault.")


@pytest.mark.parametrize(
    ("kind", "cause"),
    [
        ("board_reset", ResetCause.WATCHDOG),
        ("brown_out", ResetCause.BROWN_OUT),
        ("power_cut", ResetCause.POWER),
    ],
)
def test_a_board_that_was_reset_reports_the_cause_at_the_next_start(
    kind: str, cause: ResetCause
) -> None:
    async def main(bench: Bench, boards: dict[str, SerialBoard]) -> None:
        base = boards["base"]
        await base.set("drum", 700)
        await asyncio.sleep(5)
        assert bench.plant.drum is not None
        assert not bench.plant.drum.stirring
        with pytest.raises(BoardError):
            await base.set("drum", 700)
        await base.close()
        again = await base.start()
        assert (again.boots, again.reset_cause) == (2, cause)
        assert (await boards["arm"].start()).boots == 1

    run_scenario(main, f"{kind}:base@3")


def test_a_power_cut_of_the_table_resets_every_board_and_is_reported_to_the_host() -> None:
    async def main(bench: Bench, boards: dict[str, SerialBoard]) -> None:
        received: list[str] = []
        bench.plant.injected_faults.on_host(lambda injected: received.append(str(injected)))
        await asyncio.sleep(4)
        assert received == ["power_cut:table@3"]
        for board in boards.values():
            await board.close()
            assert (await board.start()).reset_cause == ResetCause.POWER

    run_scenario(main, "power_cut:table@3")


def test_a_silent_board_stops_its_motors_and_answers_again_when_it_is_plugged_in() -> None:
    async def main(bench: Bench, boards: dict[str, SerialBoard]) -> None:
        base = boards["base"]
        await base.set("drum", 700)
        await asyncio.sleep(3)
        assert bench.plant.drum is not None
        assert not bench.plant.drum.stirring
        with pytest.raises(BoardSilentError):
            await base.set("drum", 700)
        assert await boards["arm"].read("loaded") == 0
        assert bench.plant.repair("SILENT", "base")
        assert (await base.start()).boots == 1

    run_scenario(main, "board_silent:base@2")


def test_a_silent_board_with_a_duration_answers_again_after_it() -> None:
    async def main(bench: Bench, boards: dict[str, SerialBoard]) -> None:
        await asyncio.sleep(2.5)
        reading = asyncio.create_task(boards["base"].read("lid_closed"))
        assert await reading == 1
        assert 3 <= now().time() < 4

    run_scenario(main, "board_silent:base@2~1")


def test_an_unplugged_line_silences_every_board_until_it_is_plugged_in_again() -> None:
    async def main(bench: Bench, boards: dict[str, SerialBoard]) -> None:
        await asyncio.sleep(5)
        for board in boards.values():
            with pytest.raises(BoardSilentError):
                await board.stop()
        assert bench.plant.repair("SILENT", "arm")
        for board in boards.values():
            await board.start()

    run_scenario(main, "link_unplugged:line@2")


def test_a_noisy_line_causes_retries_and_no_errors() -> None:
    async def main(bench: Bench, boards: dict[str, SerialBoard]) -> None:
        base = boards["base"]
        await asyncio.sleep(2)
        for _ in range(300):
            assert await base.read("lid_closed") == 1
        assert base.traffic.retries > 0
        assert now().time() < 22
        await asyncio.sleep(20)
        before = base.traffic.retries
        for _ in range(300):
            await base.read("lid_closed")
        assert base.traffic.retries == before

    run_scenario(main, "link_noise:line@2~20")


@pytest.mark.parametrize("seconds", [0.6, 1, 2])
def test_a_stalled_host_loses_its_lease_and_no_message(seconds: float) -> None:
    async def main(bench: Bench, boards: dict[str, SerialBoard]) -> None:
        base = boards["base"]
        await base.set("drum", 700)
        running = asyncio.create_task(base.drive("head0_belt", 600, Elapsed(), 20.0))
        fault = asyncio.create_task(next_fault(base))
        await asyncio.sleep(3 - now().time() - 0.01)
        assert bench.plant.drum is not None
        assert bench.plant.drum.stirring
        ended = await running
        assert ended.reason is Reason.HELD
        assert ended.seconds < 3.6
        assert not bench.plant.drum.stirring
        assert now().time() == pytest.approx(3 + seconds, abs=0.01)
        assert (await fault).code is FaultCode.LEASE_EXPIRED

    run_scenario(main, f"host_stall:host@3~{seconds}")


def test_a_host_that_stalls_for_5_s_reports_silent_boards_and_can_start_them_again() -> None:
    async def main(bench: Bench, boards: dict[str, SerialBoard]) -> None:
        base = boards["base"]
        with pytest.raises(BoardSilentError):
            await base.drive("head0_belt", 600, Elapsed(), 20.0)
        assert now().time() < 8
        await asyncio.sleep(8 - now().time())
        again = await base.start()
        assert (again.boots, await base.read("lid_closed")) == (1, 1)

    run_scenario(main, "host_stall:host@3~5")


@pytest.mark.parametrize("seconds", [0.6, 2, 5])
def test_on_a_stalling_loop_the_host_receives_everything_after_the_stall(seconds: float) -> None:
    async def main() -> None:
        async with linked((f"host_stall:host@3~{seconds}",)) as (_, boards):
            base = boards["base"]
            fault = asyncio.create_task(next_fault(base))
            ticks: list[float] = []
            for tick in range(1, 100):
                now().call_at(tick / 10, lambda: ticks.append(now().time()))
            ended = await base.drive("head0_belt", 600, Elapsed(), 20.0)
            assert (ended.reason, ended.seconds < 3.6) == (Reason.HELD, True)
            assert now().time() == pytest.approx(3 + seconds, abs=0.01)
            assert (await fault).code is FaultCode.LEASE_EXPIRED
            assert not [at for at in ticks if 3 < at < 3 + seconds]
            assert len(ticks) == round((3 + seconds) * 10)
            assert await base.read("lid_closed") == 1

    with asyncio.Runner(loop_factory=StallingLoop) as runner:
        runner.run(main())


def test_a_stall_that_is_shorter_than_the_lease_has_no_effect() -> None:
    async def main(bench: Bench, boards: dict[str, SerialBoard]) -> None:
        base = boards["base"]
        ended = await base.drive("drum", 700, Elapsed(), 6.0)
        assert ended.reason is Reason.TIME

    run_scenario(main, "host_stall:host@3~0.2")


@pytest.mark.parametrize("kind", ["clock_jump", "full_disk", "corrupt_journal", "power_cut"])
def test_an_injected_fault_of_the_host_calls_the_hosts_function(kind: str) -> None:
    async def main(bench: Bench, boards: dict[str, SerialBoard]) -> None:
        received: list[str] = []
        bench.plant.injected_faults.on_host(lambda injected: received.append(injected.kind))
        ended = await boards["base"].drive("drum", 700, Elapsed(), 6.0)
        assert ended.reason is Reason.TIME
        assert received == [kind]

    run_scenario(main, f"{kind}:host@3")
