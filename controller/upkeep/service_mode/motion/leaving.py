"""The end of service mode: parts return to their ends, and every output is at its safe value."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from config.schema import MotorChannel, OutputChannel, StripChannel, Table
from controller.run.faults.table_fault import TableFault
from controller.upkeep.service_mode.channels.channel_monitor import ChannelMonitor
from controller.upkeep.service_mode.motion.board_leases import BoardLeases
from controller.upkeep.service_mode.motion.part_homing import PartHoming
from firmware_bridge.wire.errors import BoardError


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
