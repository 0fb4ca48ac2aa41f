"""Tests that the firmware's axes home, move and brake like those of the virtual board."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_bridge.board import FaultCode, Reason
from firmware_bridge.wire.messages import NONE, Clear, Held, Home, Move, Read, Stop, TakeLease
from tests.firmware_bridge.firmware.twin_scenarios import codes, reasons, run_scenario
from tests.firmware_bridge.firmware.twins import Twins


async def home_all(twins: Twins) -> None:
    """Home the arm's three axes; each axis reaches its home switch after 0.7 s."""
    for axis in ("gantry_x", "gantry_y", "gantry_z"):
        await twins.send(Home(twins.number(axis)))
        await twins.advance(700)
        await twins.sense(f"{axis}_home", True)
        await twins.advance(50)
        await twins.send(Read(twins.number(axis)))


def move(twins: Twins, x: int, y: int, z: int, speed: int = 1000) -> Move:
    numbers = [twins.number(f"gantry_{axis}") for axis in "xyz"]
    return Move(numbers[0], x, numbers[1], y, numbers[2], z, speed)


async def leave_switches(twins: Twins) -> None:
    await twins.advance(60)
    for axis in ("gantry_x", "gantry_y", "gantry_z"):
        await twins.sense(f"{axis}_home", False)


@pytest.mark.slow
def test_an_axis_that_is_not_homed_does_not_move(library: Path) -> None:
    async def scenario(twins: Twins) -> None:
        await twins.send(move(twins, 0, 0, 0))
        await home_all(twins)
        await twins.send(move(twins, 0, 0, 300_001))
        await twins.send(move(twins, 0, 0, 0, speed=1001))
        x = twins.number("gantry_x")
        await twins.send(Move(x, 0, x, 10, NONE, 0, 1000))

    run_scenario(library, scenario, "arm")


@pytest.mark.slow
def test_three_axes_begin_together_and_stop_at_their_targets(library: Path) -> None:
    async def scenario(twins: Twins) -> None:
        await home_all(twins)
        begin = [twins.chip.steps(axis) for axis in range(3)]
        await twins.send(move(twins, 150_000, -90_000, 120_000))
        await leave_switches(twins)
        await twins.advance(300)
        await twins.send(Read(twins.number("gantry_x")))
        await twins.send(move(twins, 0, 0, 0))
        await twins.advance(1500)
        await twins.send(Read(twins.number("gantry_x")))
        gone = [twins.chip.steps(axis) - begin[axis] for axis in range(3)]
        assert gone[:2] == [600_000 // 150, 360_000 // 150]

    twins = run_scenario(library, scenario, "arm")
    assert reasons(twins) == [Reason.DONE] * 4


@pytest.mark.slow
def test_a_stopped_axis_brakes_by_its_ramp_and_so_do_the_axes_that_began_with_it(
    library: Path,
) -> None:
    async def scenario(twins: Twins) -> None:
        await home_all(twins)
        await twins.send(move(twins, 150_000, -90_000, 120_000))
        await leave_switches(twins)
        await twins.advance(240)
        await twins.send(Stop(twins.number("gantry_y")))
        await twins.send(move(twins, 0, 0, 0))
        await twins.advance(400)
        for axis in "xyz":
            await twins.send(Read(twins.number(f"gantry_{axis}")))
        await twins.send(move(twins, 0, 0, 200_000, speed=700))
        await twins.advance(1500)

    twins = run_scenario(library, scenario, "arm")
    assert reasons(twins)[-2:] == [Reason.STOPPED, Reason.DONE]


@pytest.mark.slow
def test_reaching_a_limit_switch_during_a_move_is_a_fault(library: Path) -> None:
    async def scenario(twins: Twins) -> None:
        await home_all(twins)
        await twins.send(move(twins, 150_000, -90_000, 120_000))
        await leave_switches(twins)
        await twins.advance(100)
        await twins.sense("gantry_x_home", True)
        await twins.advance(600)
        await twins.send(Clear())
        await twins.send(Read(twins.number("gantry_x")))

    twins = run_scenario(library, scenario, "arm")
    assert codes(twins) == [FaultCode.LIMIT_SWITCH]


@pytest.mark.slow
def test_held_is_sent_after_the_last_axis_has_stopped(library: Path) -> None:
    async def scenario(twins: Twins) -> None:
        await home_all(twins)
        await twins.send(TakeLease(300))
        await twins.send(move(twins, 150_000, -90_000, 120_000))
        await leave_switches(twins)
        await twins.advance(900)

    twins = run_scenario(library, scenario, "arm")
    assert reasons(twins)[-1] is Reason.HELD
    assert isinstance(twins.received[1][-1].message, Held)
