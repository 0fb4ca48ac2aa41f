"""Tests the homing of a gantry whose axes still move when the next host starts."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from random import Random

import pytest

from config.schema import AxisChannel
from controller.proof.chaos.host_restarts import SurvivingTable
from controller.run.stations.homing import GantryHoming
from firmware_bridge.boards.encoding import flags_of
from firmware_bridge.boards.serial_board import SerialBoard
from firmware_bridge.executor.virtual_board import KEY
from firmware_bridge.sim import clock
from firmware_bridge.wire.errors import BoardError
from firmware_bridge.wire.link import SerialLine


@pytest.mark.parametrize("part", ["x", "y", "z"])
def test_a_host_homes_an_axis_that_the_killed_host_had_set_in_motion(part: str) -> None:
    async def scenario() -> None:
        place = SurvivingTable("robotic", "wenzhou", 3)
        gantry = place.machine.modules.gantry
        assert gantry is not None
        axis = getattr(gantry, part)
        channel = place.machine.channel(axis)
        assert isinstance(channel, AxisChannel)
        homing = GantryHoming(place.machine, gantry)

        random = Random(1)
        line, board = await _host(place, axis, random)
        await board.hold_lease()
        await homing.find_axes(board)
        far = channel.low if channel.home_end == "high" else channel.high
        moving = asyncio.ensure_future(board.move({axis: far}))
        # The axis has its full speed, so its ramp takes its longest time.
        await asyncio.sleep(channel.speed / channel.acceleration + 0.05)
        line.close()
        with suppress(BoardError):
            await moving

        _, board = await _host(place, axis, random)
        await board.hold_lease()
        await homing.find_axis(board, axis)
        assert await board.read(axis) == pytest.approx(channel.home * 1e6, abs=10_000)
        await board.close()

    clock.run(scenario())


async def _host(place: SurvivingTable, axis: str, random: Random) -> tuple[SerialLine, SerialBoard]:
    """Connect a new host to the board of an axis, and start the board."""
    name = place.machine.board_of(axis)
    line = SerialLine(place.plug.open())
    config, flags = place.machine.boards[name], flags_of(place.machine)
    board = SerialBoard(name, config, line, KEY, lambda: random.randbytes(8), flags)
    await board.start()
    return line, board
