"""Tests that need a hand at the board, or a host that stops: stops, resets, losses of the supply.

A person is prompted; a relay presses by itself. No time of a person is measured: the board's own
time stamps are.
"""

from __future__ import annotations

import asyncio
import time

import pytest

from firmware_bridge.board import BoardFault, BoardIdentity, FaultCode
from firmware_bridge.wire.errors import BoardError, BoardRefusedError
from hil_tests.conftest import Measure
from hil_tests.targets import Bench, Target
from hil_tests.test_harness import SETTLED, edges

PATIENCE = 60.0
"""Seconds in which a person presses a contact."""
STALL = 0.4
"""Seconds for which the host stops beyond the time of its lease."""


@pytest.mark.needs("button")
def test_no_output_is_active_after_the_emergency_stop_until_the_host_sets_it_again(
    target: Target, measure: Measure
) -> None:
    async def scenario(bench: Bench) -> None:
        await bench.board.hold_lease()
        faults, lit = bench.board.faults, bench.board.watch("lit")
        await bench.board.set("lamp", 1)
        (on,) = await edges(lit, 1)
        assert on.active
        await bench.press("emergency", True)
        async with asyncio.timeout(PATIENCE):
            fault = await anext(faults)
        assert isinstance(fault, BoardFault)
        assert fault.code is FaultCode.EMERGENCY_STOP
        (off,) = await edges(lit, 1)
        assert not off.active
        with pytest.raises(BoardRefusedError):
            await bench.board.clear()
        with pytest.raises(BoardRefusedError):
            await bench.board.set("lamp", 1)
        await bench.press("emergency", False)
        await asyncio.sleep(SETTLED)
        await bench.board.clear()
        await asyncio.sleep(SETTLED)
        assert await bench.board.read("lit") == 0, "nothing begins by itself after the release"
        await bench.board.set("lamp", 1)

    target.run(scenario)


@pytest.mark.needs("curtain")
def test_the_light_curtain_reports_an_interruption_and_stops_nothing_that_it_does_not_guard(
    target: Target,
) -> None:
    async def scenario(bench: Bench) -> None:
        await bench.board.hold_lease()
        await bench.board.set("lamp", 1)
        watched = bench.board.watch("curtain")
        await asyncio.sleep(SETTLED)
        await bench.press("curtain", True)
        async with asyncio.timeout(PATIENCE):
            assert (await anext(watched)).active
        await bench.press("curtain", False)
        async with asyncio.timeout(PATIENCE):
            assert not (await anext(watched)).active
        assert await bench.board.read("lit") == 1

    target.run(scenario)


@pytest.mark.needs("wall_clock")
def test_every_output_is_safe_when_the_lease_of_a_stopped_host_expires(
    target: Target, measure: Measure
) -> None:
    async def scenario(bench: Bench) -> None:
        await bench.board.hold_lease()
        watched = bench.board.watch("lit")
        await bench.board.set("lamp", 1)
        (on,) = await edges(watched, 1)
        time.sleep(bench.harness.config.lease + STALL)  # noqa: ASYNC251 - the whole host stops, as it does in swap or suspend
        (off,) = await edges(watched, 1)
        assert (on.active, off.active) == (True, False)
        lease = bench.harness.config.lease
        measure("output on after the last lease", off.at - on.at, "s", most=lease + 0.005)
        await bench.board.release_lease()
        await bench.board.hold_lease()
        await asyncio.sleep(SETTLED)
        assert await bench.board.read("lit") == 0, "a new lease begins with everything safe"

    target.run(scenario)


@pytest.mark.needs("reset")
def test_a_reset_makes_every_output_safe_and_is_counted(target: Target) -> None:
    async def scenario(bench: Bench) -> None:
        await bench.board.hold_lease()
        await bench.board.set("lamp", 1)
        await asyncio.sleep(SETTLED)
        boots = bench.identity.boots
        await bench.press("reset", True)
        await bench.press("reset", False)
        identity = await reopened(bench)
        assert identity.boots == boots + 1
        assert await bench.board.read("lit") == 0

    target.run(scenario)


@pytest.mark.needs("power")
def test_counts_survive_a_loss_of_the_supply_and_every_output_is_safe_after_it(
    target: Target,
) -> None:
    async def scenario(bench: Bench) -> None:
        await bench.board.hold_lease()
        for _ in range(5):
            await bench.board.pulse("lamp", 1, 0.01)
        counted = await bench.board.count("lit")
        assert counted >= 5
        await asyncio.sleep(1.0)
        await bench.board.set("switch", 1)
        await bench.press("power", True)
        await bench.press("power", False)
        await reopened(bench)
        assert await bench.board.count("lit") == counted
        assert await bench.board.read("home") == 0

    target.run(scenario)


async def reopened(bench: Bench) -> BoardIdentity:
    """Close the board's session and open it again, until the board answers; its identity."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                await bench.board.close()
                identity = await bench.board.start()
                await bench.board.clear()
            except BoardError:
                await asyncio.sleep(0.5)
                continue
            return identity
