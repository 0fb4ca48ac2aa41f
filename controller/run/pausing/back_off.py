"""Backs parts off from an obstacle after an over-current, before a person is asked.

The board has latched an over-current and switched all outputs off, so each part has stopped where
it was, and the one that met the obstacle may still press on it. It is driven back a little at once:
a hand that is caught must not wait until a person who may clear faults has come.

A board that measures the current of all its motors at one shunt can only name the motor that
started last. So every part within reach of people that was moving is driven back, unless the named
motor has an analogue input of its own for its current.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from config.schema import MotorChannel, Table
from config.validation.currents import sensed_motors
from controller.run.pausing.pause_gate import PauseCause
from controller.run.pausing.resumable_board import ResumableBoard
from controller.run.stations.switched import BACK_OFF
from firmware_bridge.board import FaultCode
from firmware_bridge.wire.errors import BoardRefusedError


@dataclass(frozen=True)
class _Part:
    """A part within reach of people: its name for people, and its travel time in seconds."""

    name: str
    seconds: float


class BackingOff:
    """Backs off once from each over-current of one pause.

    `report` is called with each motor and the seconds for which it was driven back. If the pause
    has any other cause as well, no part moves, because an emergency stop and a hand in the light
    curtain may require that every part stays where it is.
    """

    def __init__(
        self,
        table: Table,
        boards: Mapping[str, ResumableBoard],
        report: Callable[[str, float], None],
    ) -> None:
        self._parts = _parts(table)
        self._measured = _measured(table)
        self._board_of = {motor: table.board_of(motor) for motor in self._parts}
        self._boards = boards
        self._report = report
        self._suspects: dict[PauseCause, tuple[str, ...]] = {}
        """The motors that may have met the obstacle, by the causes of this pause."""
        self._moved: set[str] = set()
        """Motors that were driven back in this pause."""

    async def obstructed(self, cause: PauseCause) -> tuple[str, ...]:
        """The names of the parts of which one has met an obstacle; none for any other cause.

        Raises BoardError.
        """
        return tuple(self._parts[motor].name for motor in await self._suspected(cause))

    async def answer(self, causes: tuple[PauseCause, ...]) -> None:
        """Drive back a little every part that may have met an obstacle. Raises BoardError."""
        suspects = [await self._suspected(cause) for cause in causes]
        if not all(suspects):
            return
        for cause, motors in zip(causes, suspects, strict=True):
            await self._back_off(cause.board, [each for each in motors if each not in self._moved])

    def end_pause(self) -> None:
        """Reset at the end of a pause, so that each part can back off once in the next pause."""
        self._suspects.clear()
        self._moved.clear()

    async def _suspected(self, cause: PauseCause) -> tuple[str, ...]:
        """The motors that may have met the obstacle of a cause: the interrupted ones of its board.

        A motor whose own current was measured is the only one.
        """
        if cause.code is not FaultCode.OVER_CURRENT:
            return ()
        if cause not in self._suspects:
            alone = cause.channel in self._measured
            board = self._boards[cause.board]
            self._suspects[cause] = tuple(
                [
                    motor
                    for motor, name in self._board_of.items()
                    if name == cause.board
                    and (motor == cause.channel or not alone)
                    and await board.interrupted(motor) is not None
                ]
            )
        return self._suspects[cause]

    async def _back_off(self, board: str, motors: list[str]) -> None:
        """Drive parts of a board back by the share `BACK_OFF` of their travel times."""
        self._moved.update(motors)
        seconds = {motor: self._parts[motor].seconds * BACK_OFF for motor in motors}
        try:
            moved = await self._boards[board].back_off(seconds)
        except BoardRefusedError:
            return  # the board has latched another fault meanwhile, which it reports by itself
        for motor in moved:
            self._report(motor, seconds[motor])


def _measured(table: Table) -> frozenset[str]:
    """The motors whose limit is compared with their own current, at an input of their own."""
    channels = ((motor, table.channel(motor)) for motor in sensed_motors(table))
    return frozenset(
        motor
        for motor, config in channels
        if isinstance(config, MotorChannel) and config.current_limit is not None
    )


def _parts(table: Table) -> Mapping[str, _Part]:
    """The parts that move between two switches within reach of people, by their motors.

    The jaws are left out, because they would drop the tiles that they hold.
    """
    modules = table.modules
    parts: dict[str, _Part] = {}
    if modules.lid:
        parts[modules.lid.motor] = _Part("lid", modules.lid.seconds)
    if modules.trays:
        for side, tray in enumerate(modules.trays.sides):
            if tray.lift:
                parts[tray.lift] = _Part(f"lift {side}", modules.trays.lift)
    if modules.lanes:
        for seat, lane in enumerate(modules.lanes.seats):
            parts[lane.presenter] = _Part(f"hand lane {seat}", modules.lanes.present)
    if modules.flipper:
        parts[modules.flipper.motor] = _Part("flipper", modules.flipper.flip)
    return parts
