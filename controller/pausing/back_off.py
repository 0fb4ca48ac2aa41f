"""Backs a part off from an obstacle after an over-current, before a person is asked.

The board has latched an over-current and switched all outputs off, so the part has stopped where it
met the obstacle and may still press on it. The part is driven back a little at once: a hand that is
caught must not wait until a person who may clear faults has come.
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
    """Backs off once from each over-current of one pause.

    `report` is called with the motor and the seconds for which it was driven back. If the pause has
    any other cause as well, no part moves, because an emergency stop and a hand in the light
    curtain may require that every part stays where it is.
    """

    def __init__(
        self,
        table: Table,
        boards: Mapping[str, ResumableBoard],
        report: Callable[[str, float], None],
    ) -> None:
        self._travel_times = _travel_times(table)
        self._boards = boards
        self._report = report
        self._answered: set[PauseCause] = set()

    def is_obstacle(self, cause: PauseCause) -> bool:
        """Whether a cause is an over-current of a part that can meet an obstacle."""
        return cause.code is FaultCode.OVER_CURRENT and cause.channel in self._travel_times

    async def answer(self, causes: tuple[PauseCause, ...]) -> None:
        """Drive back a little every part that met an obstacle. Raises BoardError."""
        if not all(map(self.is_obstacle, causes)):
            return
        for cause in causes:
            if cause not in self._answered:
                self._answered.add(cause)
                await self._back_off(cause)

    def end_pause(self) -> None:
        """Reset at the end of a pause, so that each part can back off once in the next pause."""
        self._answered.clear()

    async def _back_off(self, cause: PauseCause) -> None:
        """Drive one part back by the share `BACK_OFF` of its travel time."""
        seconds = self._travel_times[cause.channel] * BACK_OFF
        try:
            moved = await self._boards[cause.board].back_off(cause.channel, seconds)
        except BoardRefusedError:
            return  # the board has latched another fault meanwhile, which it reports by itself
        if moved:
            self._report(cause.channel, seconds)


def _travel_times(table: Table) -> Mapping[str, float]:
    """The travel time of each part between two switches within reach of people, by its motor.

    The jaws are left out, because they would drop the tiles that they hold.
    """
    modules = table.modules
    times: dict[str, float] = {}
    if modules.lid:
        times[modules.lid.motor] = modules.lid.seconds
    if modules.trays:
        times |= {tray.lift: modules.trays.lift for tray in modules.trays.sides if tray.lift}
    if modules.lanes:
        times |= {lane.presenter: modules.lanes.present for lane in modules.lanes.seats}
    if modules.flipper:
        times[modules.flipper.motor] = modules.flipper.flip
    return times
