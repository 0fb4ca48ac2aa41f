"""What a part between two switches does about a hand: stops, backs off, waits for a person.

Its board has latched an over-current and let everything go, so a part that is driven stands where
it met what is in its way, and may press on it. It is sent back a little at once, before anybody is
asked: whoever has a hand there should not have to wait for someone who may clear faults.
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
    """Each over-current of one pause is answered once; `told` hears of a motor, and for how long.

    Whatever else is wrong, nothing moves: an emergency stop or a hand in the light curtain may be
    the very reason not to.
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
        """Whether a board's over-current means that something is in the way of a part."""
        return cause.code is FaultCode.OVER_CURRENT and cause.channel in self._travels

    async def answer(self, causes: tuple[PauseCause, ...]) -> None:
        """Send every part back a little that something is in the way of. Raises BoardError."""
        if not all(map(self.is_about, causes)):
            return
        for cause in causes:
            if cause not in self._answered:
                self._answered.add(cause)
                await self._back_off(cause)

    def over(self) -> None:
        """The pause is over: the next over-current is another one."""
        self._answered.clear()

    async def _back_off(self, cause: PauseCause) -> None:
        seconds = self._travels[cause.channel] * BACK_OFF
        try:
            moved = await self._boards[cause.board].back_off(cause.channel, seconds)
        except BoardRefusedError:
            return  # the board knows of something worse by now, and tells it by itself
        if moved:
            self._told(cause.channel, seconds)


def _travels(table: Table) -> Mapping[str, float]:
    """The motor of everything between two switches that people can reach, and its own time.

    Jaws are not among them: they would let go of what they hold.
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
