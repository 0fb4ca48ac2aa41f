"""How axes are found again after they lost their power, and sent back to where they were."""

from __future__ import annotations

from collections.abc import Mapping

from config.schema import Gantry
from controller.steady import Homing
from firmware_bridge.board import Board, BoardError, Ended, Reason


def gantry_homing(gantry: Gantry) -> Homing:
    """Up first, out of the tiles; then the plane; back over the spot, and down to the height."""

    async def home(board: Board, sent: Mapping[str, float]) -> None:
        for axis in (gantry.z, gantry.x, gantry.y):
            _arrived(board, axis, await board.home(axis))
        for axes in ((gantry.x, gantry.y), (gantry.z,)):
            back = {axis: sent[axis] for axis in axes if axis in sent}
            if back:
                _arrived(board, axes[0], await board.move(back))

    return home


def _arrived(board: Board, axis: str, ended: Ended) -> None:
    if ended.reason is not Reason.DONE:
        raise BoardError(
            f"board {board.name}: {axis} was not found again, it ended by {ended.reason.name};"
            " look at its switch and for something in its way."
        )
