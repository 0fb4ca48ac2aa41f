"""Homes the gantry: z first, proven by its switch, then x and y; failures are HOMING faults.

Used at the start of the table, after an axis fault, and after the gantry's board has lost
power.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager

from config.schema import AxisChannel, GantryModule, Table
from controller.run.faults.failures import Fault, TableFault
from controller.run.faults.retry import FaultHandler
from firmware_bridge.board import Board, Ended, Reason
from firmware_bridge.wire.codes import Refusal
from firmware_bridge.wire.errors import BoardRefusedError

PULL_OFF = 0.01
"""Distance by which an axis leaves its home switch to test the switch, metres (our choice)."""
AT_ONCE = 0.05
"""If homing ends sooner, the switch was active before the axis moved; seconds (our choice)."""

Leased = Callable[[], AbstractAsyncContextManager[None]]
"""Holds the lease of the axes' board, with power for its motors, within a block."""
Homing = Callable[[Board, Mapping[str, float], Leased], Awaitable[None]]
"""Homes a board's axes, then sends them to the given positions (metres)."""


class GantryHoming:
    """The homing of one table's gantry."""

    def __init__(self, table: Table, gantry: GantryModule) -> None:
        self._table = table
        self._gantry = gantry

    async def find_axes(self, board: Board) -> None:
        """Home z, then x, then y; each axis begins when the previous one is proven to be at home.

        Raises TableFault HOMING, with the switch as its part, at the first axis that fails.
        """
        for axis in (self._gantry.z, self._gantry.x, self._gantry.y):
            await self.find_axis(board, axis)

    async def find_axis(self, board: Board, axis: str) -> None:
        """Home one axis and prove that its switch is not stuck. Raises TableFault HOMING.

        The caller makes sure that z is up before x or y moves.
        """
        channel = self._table.channel(axis)
        assert isinstance(channel, AxisChannel)
        found = await self._home(board, axis, channel)
        if found.seconds < AT_ONCE:
            # The switch was active before the axis moved, so it may be stuck. If the axis is really
            # at its switch, the switch becomes inactive within the pull-off; then homing is
            # repeated.
            away = -PULL_OFF if channel.home_end == "high" else PULL_OFF
            left = await board.move({axis: channel.home + away})
            arrived(not_cut_short(board, axis, left), axis)
            if await board.read(channel.home_switch):
                evidence = (
                    f"the switch is still active {1000 * PULL_OFF:g} mm away from {axis}'s home"
                )
                raise TableFault(Fault.HOMING, channel.home_switch, evidence)
            await self._home(board, axis, channel)

    async def go_back_to(self, board: Board, sent: Mapping[str, float]) -> None:
        """Send x and y to their last target, then z. Raises TableFault AXIS if a move fails."""
        for axes in ((self._gantry.x, self._gantry.y), (self._gantry.z,)):
            back = {axis: sent[axis] for axis in axes if axis in sent}
            if back:
                axis = " and ".join(back)
                arrived(not_cut_short(board, axis, await board.move(back)), axis)

    async def _home(self, board: Board, axis: str, channel: AxisChannel) -> Ended:
        try:
            ended = await board.home(axis)
        except BoardRefusedError as refused:
            if refused.why is not Refusal.BUSY:
                raise
            # A board stops the motions of an earlier host when the session of this host begins.
            # An axis stops by its ramp, and the board refuses every order to it until it rests.
            await asyncio.sleep(channel.speed / channel.acceleration)
            ended = await board.home(axis)
        not_cut_short(board, axis, ended)
        if ended.reason is not Reason.DONE:
            evidence = (
                f"{axis} moved towards the switch for {ended.seconds:.1f} s;"
                f" the motion ended by {ended.reason.name}"
            )
            raise TableFault(Fault.HOMING, channel.home_switch, evidence)
        return ended


def gantry_homing(table: Table, gantry: GantryModule, fault_handler: FaultHandler) -> Homing:
    """Create the function that homes a gantry after a loss of power and sends it back.

    `fault_handler` retries and prompts people. The board's lease is held only during an attempt, so
    the gantry has no power while a person works at it.
    """
    homing = GantryHoming(table, gantry)

    async def home(board: Board, sent: Mapping[str, float], leased: Leased) -> None:
        async def attempt() -> None:
            async with leased():
                await homing.find_axes(board)
                await homing.go_back_to(board, sent)

        await fault_handler.run(attempt)

    return home


def not_cut_short(board: Board, axis: str, ended: Ended) -> Ended:
    """Raise BoardRefusedError if the board itself ended a motion: that is a pause, not a fault."""
    if ended.reason in (Reason.HELD, Reason.FAULT):
        raise BoardRefusedError(
            f"board {board.name}: homing of {axis} was interrupted by {ended.reason.name}; clear"
            " the board, then home again."
        )
    return ended


def arrived(ended: Ended, axis: str) -> None:
    """Raise TableFault AXIS if a move did not reach its target."""
    if ended.reason is not Reason.DONE:
        raise TableFault(Fault.AXIS, "gantry", f"the move of {axis} ended by {ended.reason.name}")
