"""Tests one virtual board's axes: homing, limits, common start and stopping ramps."""

from __future__ import annotations

import asyncio

import pytest

from firmware_bridge.board import Ended, Reason
from firmware_bridge.wire.codes import Refusal
from firmware_bridge.wire.messages import Home, Refused
from tests.firmware_bridge.sim.rack import Rack, run_scenario


def test_an_axis_that_is_not_homed_or_leaves_its_limits_is_refused() -> None:
    async def main(rack: Rack) -> None:
        x, y = rack.number("gantry_x"), rack.number("gantry_y")
        move = rack.moves(gantry_x=0.1)
        assert rack.send("gantry_x", move) == Refused(Refusal.NOT_HOMED, x)
        assert (await rack.home("gantry_x")).reason is Reason.DONE
        assert rack.read("gantry_x") == -450_000
        assert rack.read("gantry_x_home") == 1
        beyond = rack.moves(gantry_x=0.4501)
        assert rack.send("gantry_x", beyond) == Refused(Refusal.OUT_OF_RANGE, x)
        unhomed = rack.moves(gantry_x=0.1, gantry_y=0.1)
        assert rack.send("gantry_x", unhomed) == Refused(Refusal.NOT_HOMED, y)
        assert rack.read("gantry_x") == -450_000

    run_scenario(main)


def test_axes_begin_together_and_end_when_the_last_has_arrived() -> None:
    async def main(rack: Rack) -> None:
        for axis in ("gantry_z", "gantry_x", "gantry_y"):
            await rack.home(axis)
        ended = await rack.move(gantry_x=0.15, gantry_y=-0.15)
        assert ended == Ended(Reason.DONE, 0, 0.7)
        assert (rack.read("gantry_x"), rack.read("gantry_y")) == (150_000, -150_000)

    run_scenario(main)


def test_a_moving_axis_reports_the_position_of_its_trapezoid() -> None:
    async def main(rack: Rack) -> None:
        await rack.home("gantry_x")
        move = asyncio.create_task(rack.move(gantry_x=0.15))
        await asyncio.sleep(0.1)
        assert rack.read("gantry_x") == -450_000 + 30_000
        await asyncio.sleep(0.25)
        assert rack.read("gantry_x") == -150_000
        number = rack.number("gantry_x")
        assert rack.send("gantry_x", Home) == Refused(Refusal.BUSY, number)
        await move

    run_scenario(main)


def test_a_stopped_move_brakes_by_its_ramp_on_every_axis() -> None:
    async def main(rack: Rack) -> None:
        await rack.home("gantry_x")
        await rack.home("gantry_y")
        move = asyncio.create_task(rack.move(gantry_x=0.15, gantry_y=0.0))
        await asyncio.sleep(0.2)
        rack.stop("gantry_y")
        assert await move == Ended(Reason.STOPPED, 0, pytest.approx(0.4))
        assert rack.read("gantry_x") == -450_000 + 240_000
        assert (await rack.move(gantry_x=0.0)).reason is Reason.DONE

    run_scenario(main)


def test_a_homing_whose_switch_stays_inactive_ends_by_time_and_leaves_the_axis_unhomed() -> None:
    async def main(rack: Rack) -> None:
        arm = rack.boards["arm"]
        sensor = arm.sensor
        arm.sensor = lambda *_: None  # type: ignore[method-assign]
        assert (await rack.home("gantry_x")).reason is Reason.TIME
        arm.sensor = sensor  # type: ignore[method-assign]
        unhomed = Refused(Refusal.NOT_HOMED, rack.number("gantry_x"))
        assert rack.send("gantry_x", rack.moves(gantry_x=0.1)) == unhomed

    run_scenario(main)
