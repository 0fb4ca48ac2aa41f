"""The distance of one step of an axis: it moves by a known number of steps, a person measures."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager

from config.schema import AxisChannel
from controller.upkeep.service_mode.calibrations.calibration import CalibrationError, Measured
from controller.upkeep.service_mode.calibrations.table_edits import TableEdit
from firmware_bridge.board import Board, Reason

SHARE = 0.8
"""Share of the travel by which the axis moves; a longer way makes the measurement more exact."""
LONGEST = 0.3
"""Longest way, metres: the length of a common ruler."""
SPEED = 250
"""Speed of the move, permille."""
TOLERANCE = 0.002
"""Share of the way by which the measured way may differ without a proposal: reading a ruler to
half a millimetre in 300 mm is as exact (our choice)."""
WRONG = 0.2
"""Share of the way above which the measured number is not believed (our choice)."""


async def measure_steps(
    axis: str,
    config: AxisChannel,
    board: Board,
    home: Callable[[], Awaitable[None]],
    leased: Callable[[], AbstractAsyncContextManager[None]],
    ready: Callable[[str], Awaitable[None]],
    ask: Callable[[str], Awaitable[float]],
    step: Callable[[str], None],
) -> Measured:
    """Home the axis, move it, ask for the measured way in mm, and propose its `step_mm`.

    `leased` holds the lease of the axis's board within a block, so that the axis has none while a
    person measures. `ready` waits until a person agrees to a motion; `ask` returns the number of
    millimetres that a person has measured. Raises CalibrationError, BoardError, TableFault.
    """
    way = round(min(LONGEST, SHARE * (config.high - config.low)), 3)
    target = config.home + (way if config.home_end == "low" else -way)
    async with leased():
        step(f"{axis} goes to its home")
        await home()
    await ready(
        f"Mark the position of {axis}. Then it moves by {way * 1000:g} mm; keep your hands away."
    )
    async with leased():
        step(f"{axis} moves by {way * 1000:g} mm")
        ended = await board.move({axis: target}, SPEED)
    if ended.reason is not Reason.DONE:
        raise CalibrationError(
            f"{axis} did not arrive; the move ended by {ended.reason.name}. Remove the cause, then"
            " calibrate again."
        )
    found = await ask(f"Measure how far {axis} is from the mark.")
    await ready(f"Take your hands away; {axis} moves back to its home.")
    async with leased():
        step(f"{axis} goes back to its home")
        await home()
    return _judge(board.name, axis, config, way * 1000, found)


def _judge(board: str, axis: str, config: AxisChannel, ordered: float, found: float) -> Measured:
    """The proposal for the ordered and the measured way, mm. Raises CalibrationError."""
    error = found / ordered - 1
    if abs(error) > WRONG:
        raise CalibrationError(
            f"{axis} was ordered to move {ordered:g} mm and {found:g} mm were measured, which"
            f" differs by {error:+.0%}. Check the unit and the driver's microsteps, then calibrate"
            " again."
        )
    measured = Measured([f"{axis} was ordered to move {ordered:g} mm; {found:g} mm were measured."])
    if abs(error) <= TOLERANCE:
        measured.sentences.append(
            f"The difference is at most {TOLERANCE:.1%}, which a ruler cannot show; no change."
        )
        return measured
    new = float(f"{config.step_mm * found / ordered:.5g}")
    place = ("boards", board, "channels", axis, "step_mm")
    why = f"{axis}: step of {config.step_mm:g} mm to {new:g} mm ({error:+.2%})."
    measured.edits.append(TableEdit(place, new, why))
    return measured
