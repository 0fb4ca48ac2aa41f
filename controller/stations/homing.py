"""Homes the gantry: z first, proven by its switch; x and y only after it. Raises HOMING.

Used when the table is brought up, after an axis fault, and after the arm's board has lost power.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager

from config.schema import AxisChannel, GantryModule, Table
from controller.faults.retry import Care
from controller.faults.table_fault import Fault, TableFault
from firmware_bridge.board import Board, Ended, Reason
from firmware_bridge.wire.errors import BoardRefusedError

PULL_OFF = 0.01
"""How far an axis leaves its home switch to prove that the switch is not stuck, metres (ours)."""
AT_ONCE = 0.05
"""A homing that ends sooner found its switch active before the axis moved, seconds (ours)."""

Leased = Callable[[], AbstractAsyncContextManager[None]]
"""Holds the lease of the axes' board, with power on its motors, within a block."""
Homing = Callable[[Board, Mapping[str, float], Leased], Awaitable[None]]
"""Finds a board's axes again, and sends them back to where they were last sent (metres)."""


class GantryHoming:
    """The homing of one table's gantry."""

    def __init__(self, table: Table, gantry: GantryModule) -> None:
        self._table = table
        self._gantry = gantry

    async def find_axes(self, board: Board) -> None:
        """Home z, then x, then y; each axis begins when the one before it is proven at home.

        Raises TableFault HOMING, with the switch as its part, at the first axis that is not.
        """
        for axis in (self._gantry.z, self._gantry.x, self._gantry.y):
            await self._find(board, axis)

    async def go_back_to(self, board: Board, sent: Mapping[str, float]) -> None:
        """Over the spot where the gantry was last sent, then down to its height.

        Raises TableFault AXIS where a move does not arrive.
        """
        for axes in ((self._gantry.x, self._gantry.y), (self._gantry.z,)):
            back = {axis: sent[axis] for axis in axes if axis in sent}
            if back:
                axis = " and ".join(back)
                arrived(not_cut_short(board, axis, await board.move(back)), axis)

    async def _find(self, board: Board, axis: str) -> None:
        channel = self._table.channel(axis)
        assert isinstance(channel, AxisChannel)
        found = await self._home(board, axis, channel)
        if found.seconds < AT_ONCE:
            # The switch was active before the axis moved: a stuck one looks the same. An axis that
            # stands at its switch leaves it within the pull-off; then the homing is repeated.
            away = -PULL_OFF if channel.home_end == "high" else PULL_OFF
            left = await board.move({axis: channel.home + away})
            arrived(not_cut_short(board, axis, left), axis)
            if await board.read(channel.home_switch):
                evidence = f"it is still active {1000 * PULL_OFF:g} mm away from {axis}'s home"
                raise TableFault(Fault.HOMING, channel.home_switch, evidence)
            await self._home(board, axis, channel)

    async def _home(self, board: Board, axis: str, channel: AxisChannel) -> Ended:
        ended = not_cut_short(board, axis, await board.home(axis))
        if ended.reason is not Reason.DONE:
            evidence = (
                f"{axis} looked for it for {ended.seconds:.1f} s; ended by {ended.reason.name}"
            )
            raise TableFault(Fault.HOMING, channel.home_switch, evidence)
        return ended


def gantry_homing(table: Table, gantry: GantryModule, care: Care) -> Homing:
    """What a pause does about a gantry that lost its power: home it, then send it back.

    `care` retries and asks; the board's lease is held during an attempt only, so the arm has no
    power while a person works at it.
    """
    homing = GantryHoming(table, gantry)

    async def home(board: Board, sent: Mapping[str, float], leased: Leased) -> None:
        async def attempt() -> None:
            async with leased():
                await homing.find_axes(board)
                await homing.go_back_to(board, sent)

        await care.cured(attempt)

    return home


def not_cut_short(board: Board, axis: str, ended: Ended) -> Ended:
    """Raise BoardRefused where the board itself cut a motion short: that is a pause, no fault."""
    if ended.reason in (Reason.HELD, Reason.FAULT):
        raise BoardRefusedError(
            f"board {board.name}: {axis} was cut short by {ended.reason.name} while the axes were"
            " found again; clear the board, then home again."
        )
    return ended


def arrived(ended: Ended, axis: str) -> None:
    """Raise TableFault AXIS unless a move came to its end."""
    if ended.reason is not Reason.DONE:
        raise TableFault(Fault.AXIS, "gantry", f"{axis} ended by {ended.reason.name} on the way")
