"""Backs a part off from an obstacle after an over-current, then waits for a person.

The board has latched an over-current and switched all outputs off, so a driven part stands where it
met the obstacle and may press on it. It is driven back a little at once, before a person is asked:
a hand that is caught must not wait for a person who may clear faults.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from config.schema import Table
from controller.pausing.pause_gate import PauseCause
from controller.pausing.resumable_board import ResumableBoard
from controller.stations.switched import BACK_OFF
from firmware_bridge.board import FaultCode
from firmware_bridge.wire.errors import BoardRefusedError


class BackingOff:
    """Answers each over-current of one pause once; calls `told` with the motor and the seconds.

    With any other cause nothing moves: an emergency stop or a hand in the light curtain may require
    exactly that.
    """

    def __init__(
        self,
        table: Table,
        steady: Mapping[str, ResumableBoard],
        told: Callable[[str, float], None],
    ) -> None:
        self._travels = _travels(table)
        self._boards = steady
        self._told = told
        self._answered: set[PauseCause] = set()

    def is_about(self, cause: PauseCause) -> bool:
        """Whether a board's over-current means that an obstacle is in the way of a part."""
        return cause.code is FaultCode.OVER_CURRENT and cause.channel in self._travels

    async def answer(self, causes: tuple[PauseCause, ...]) -> None:
        """Drive back a little every part that met an obstacle. Raises BoardError."""
        if not all(map(self.is_about, causes)):
            return
        for cause in causes:
            if cause not in self._answered:
                self._answered.add(cause)
                await self._back_off(cause)

    def over(self) -> None:
        """The pause is over: the next over-current is a new one."""
        self._answered.clear()

    async def _back_off(self, cause: PauseCause) -> None:
        seconds = self._travels[cause.channel] * BACK_OFF
        try:
            moved = await self._boards[cause.board].back_off(cause.channel, seconds)
        except BoardRefusedError:
            return  # the board has latched a worse fault by now and reports it itself
        if moved:
            self._told(cause.channel, seconds)


def _travels(table: Table) -> Mapping[str, float]:
    """The motor and travel time of every part between two switches within reach of people.

    Jaws are left out: they would drop what they hold.
    """
    modules = table.modules
    travels: dict[str, float] = {}
    if modules.lid:
        travels[modules.lid.motor] = modules.lid.seconds
    if modules.trays:
        travels |= {tray.lift: modules.trays.lift for tray in modules.trays.sides if tray.lift}
    if modules.lanes:
        travels |= {lane.presenter: modules.lanes.present for lane in modules.lanes.seats}
    if modules.flipper:
        travels[modules.flipper.motor] = modules.flipper.flip
    return travels
