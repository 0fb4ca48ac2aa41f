"""Leases of boards during service mode, and its end: parts at their ends, outputs at safe values.

A lease is held for one motion, with power on the motors.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from config.schema import MotorChannel, OutputChannel, StripChannel, Table
from controller.run.faults.failures import TableFault
from controller.run.faults.retry import FaultHandler
from controller.run.pausing.power_lease import BoardSupply, supplies
from controller.upkeep.service_mode.channels import ChannelMonitor
from controller.upkeep.service_mode.motion.part_homing import PartHoming
from firmware_bridge.board import Board
from firmware_bridge.wire.errors import BoardError


class BoardLeases:
    """Holds the leases of boards for the duration of a block.

    `supply` are the supplies of boards with a relay or with signal lamps, by name; without them,
    supplies are created for the table.
    """

    def __init__(
        self,
        table: Table,
        boards: Mapping[str, Board],
        supply: Mapping[str, BoardSupply] | None = None,
    ) -> None:
        self._table = table
        self._boards = boards
        self._supply = supplies(table, boards, FaultHandler()) if supply is None else supply

    @asynccontextmanager
    async def held(self, channels: Iterable[str]) -> AsyncIterator[None]:
        """Hold the leases of these channels' boards within a block. Raises BoardError, TableFault.

        At the end all motion of these boards is stopped, also if a lamp keeps the lease.
        """
        names = dict.fromkeys(self._table.board_of(channel) for channel in channels)
        taken: list[Board | BoardSupply] = []
        try:
            for name in names:
                lessor = self._supply.get(name) or self._boards[name]
                await lessor.hold_lease()
                taken.append(lessor)
            yield
        finally:
            self.stop(names)
            for lessor in reversed(taken):
                with suppress(BoardError):
                    await lessor.release_lease()

    def stop(self, boards: Iterable[str] | None = None) -> None:
        """Stop all motion of these boards now; of every board without names."""
        for name in self._boards if boards is None else boards:
            self._boards[name].stop_all()


@dataclass(frozen=True)
class Departure:
    """How service mode was left.

    `defects` has a sentence for each part that is not as it was before. If `tiles_may_have_moved`,
    the records of the tiles' places are uncertain, and the tiles have to be gathered again.
    """

    moved: tuple[str, ...]
    tiles_may_have_moved: bool
    defects: tuple[str, ...]


async def leave_safely(
    table: Table,
    homing: PartHoming,
    leases: BoardLeases,
    monitor: ChannelMonitor,
    moved: Collection[str],
) -> Departure:
    """Return moved parts to their ends, release all leases, and check every output."""
    defects: list[str] = []
    back = set(moved) & homing.channels
    if back:
        try:
            async with leases.held(homing.channels_to_return(back)):
                defects += await homing.return_to_ends(back)
        except (BoardError, TableFault) as error:
            defects.append(f"Parts that have moved did not return: {error}")
    try:
        values = await monitor.read_outputs()
    except BoardError as error:
        defects.append(f"The outputs could not be read: {error}")
    else:
        defects += _unsafe(table, values)
    return Departure(tuple(sorted(moved)), tiles_may_have_moved(table, moved), tuple(defects))


def tiles_may_have_moved(table: Table, moved: Collection[str]) -> bool:
    """Whether one of these motors carries tiles. Lid, drum, axes and wrist move no tile."""
    modules = table.modules
    harmless = {
        modules.lid.motor if modules.lid else "",
        modules.drum.motor if modules.drum else "",
    }
    if gantry := modules.gantry:
        harmless |= {gantry.x, gantry.y, gantry.z, gantry.turn, gantry.turner or ""}
    return not harmless.issuperset(moved)


def _unsafe(table: Table, values: dict[str, float]) -> Iterator[str]:
    """A sentence for each output that is not at its safe value; signal lamps are lit by others."""
    modules = table.modules
    signals = {*(modules.tower.lamps.values() if modules.tower else ())}
    signals |= {modules.buzzer.sounder} if modules.buzzer else set()
    for channel, value in values.items():
        config = table.channel(channel)
        assert isinstance(config, MotorChannel | OutputChannel | StripChannel)
        if channel not in signals and value != config.safe:
            yield f"{channel} is at {value:g} instead of its safe value {config.safe}."
