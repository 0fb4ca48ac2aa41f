"""Homing of parts in service mode, on request and at its end, and the leases for a motion.

Service mode ends with moved parts at the ends at which they were before, and with all outputs at
safe values.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from config.schema import AxisChannel, MotorChannel, OutputChannel, StripChannel, Table, TileSize
from controller.run.faults.failures import TableFault
from controller.run.faults.retry import FaultHandler
from controller.run.pausing.leases import BoardSupply, supplies
from controller.run.stations.homing import GantryHoming
from controller.run.stations.rig import Stations
from controller.run.stations.switched import Switched
from controller.upkeep.service_mode.channels import ChannelMonitor, known_channel
from controller.upkeep.service_mode.mode_status import ServiceModeRefusalError
from firmware_bridge.board import Board
from firmware_bridge.boards.devices import Devices
from firmware_bridge.wire.errors import BoardError

EVERY = ""
"""The name that stands for every part that has a home position."""


class PartHoming:
    """The parts of one table that have a home position: axes, parts between switches, the chain."""

    def __init__(self, table: Table, tile: TileSize, devices: Devices) -> None:
        self._table = table
        self._devices = devices
        self.stations = Stations(table, tile, devices, FaultHandler())
        rig = self.stations
        gripper = rig.gantry.switched if rig.gantry else ()
        parts = (rig.lid, *rig.lifts, *rig.lanes, rig.flipper, *gripper)
        self.parts: dict[str, Switched] = {
            part.motor.channel: part for part in parts if part is not None
        }
        """The parts between two switches, by the channel of their motor."""
        gantry, chain = table.modules.gantry, table.modules.chain
        self._axes: tuple[str, ...] = (gantry.z, gantry.x, gantry.y) if gantry else ()
        self._chain = chain.motor if chain else None
        self._ends: dict[str, str] = {}

    @property
    def channels(self) -> frozenset[str]:
        """The motors and axes that can be homed."""
        return frozenset({*self.parts, *self._axes, *([self._chain] if self._chain else [])})

    def channels_of(self, channel: str) -> tuple[str, ...]:
        """The channels that the homing of a channel moves. Raises ServiceModeRefusalError."""
        if channel == EVERY:
            return tuple(sorted(self.channels))
        config = known_channel(self._table, channel)
        if channel not in self.channels:
            raise ServiceModeRefusalError(
                "no_home",
                f"{channel} has no home position; its kind is {config.kind}.",
                "Name an axis, the chain, or a motor between two switches.",
            )
        if channel in self._axes[1:]:
            return (self._axes[0], channel)
        return (channel,)

    async def home(self, channel: str, step: Callable[[str], None]) -> None:
        """Home one channel, or `EVERY` part: the gantry first. Raises BoardError, TableFault.

        An axis of the gantry moves only after z is proven to be up. `step` takes the name of each
        part before it moves. The leases of `channels_of` are held.
        """
        if channel == EVERY:
            if self.stations.gantry:
                step("gantry")
                await self.stations.gantry.home()
            for motor, part in self.parts.items():
                if not self._is_in_gripper(motor):
                    step(part.part)
                    await part.go_back()
            await self._home_chain(step)
        elif channel in self._axes:
            await self._home_axis(channel, step)
        elif channel == self._chain:
            await self._home_chain(step)
        else:
            step(self.parts[channel].part)
            await self.parts[channel].go_back()

    async def raise_gantry(self) -> None:
        """Home the axes of the gantry, so that its jaws are up. Raises BoardError, TableFault."""
        if self.stations.gantry:
            await self.stations.gantry.find_axes()

    def remember(self, levels: Mapping[str, float]) -> None:
        """Record at which switch each part stands; `levels` are those of the sensors."""
        for motor, part in self.parts.items():
            for switch in (part.forth, part.back):
                if levels.get(switch):
                    self._ends[motor] = switch

    def channels_to_return(self, moved: set[str]) -> tuple[str, ...]:
        """The channels that `return_to_ends` moves for these moved channels."""
        axes = self._axes if moved & set(self._axes) else ()
        return (*axes, *sorted(moved - set(axes)))

    async def return_to_ends(self, moved: set[str]) -> list[str]:
        """Move parts that have moved back to the switch at which they stood; home moved axes.

        Returns a sentence for each part that did not return. The leases are held.
        """
        failed: list[str] = []
        if moved & set(self._axes) and self.stations.gantry:
            try:
                await self.stations.gantry.find_axes()
            except (BoardError, TableFault) as error:
                failed.append(f"The gantry did not return to its home: {error}")
        for motor in sorted(moved & set(self.parts)):
            part, end = self.parts[motor], self._ends.get(motor)
            if end is None:
                failed.append(f"{part.part} stood between its switches before; it stays there.")
                continue
            try:
                await (part.go_forth() if end == part.forth else part.go_back())
            except (BoardError, TableFault) as error:
                failed.append(f"{part.part} did not return to {end}: {error}")
        if self._chain in moved:
            try:
                await self._home_chain(lambda _: None)
            except (BoardError, TableFault) as error:
                failed.append(f"The chain did not return to its zero: {error}")
        return failed

    # Helpers

    def _is_in_gripper(self, motor: str) -> bool:
        gripper = self.stations.gantry.switched if self.stations.gantry else ()
        return any(part.motor.channel == motor for part in gripper)

    async def _home_axis(self, axis: str, step: Callable[[str], None]) -> None:
        """Home z, then the axis; z alone if it is the axis."""
        assert self._table.modules.gantry is not None
        homing = GantryHoming(self._table, self._table.modules.gantry)
        board = self._devices.boards[self._table.board_of(axis)]
        for each in dict.fromkeys((self._axes[0], axis)):
            assert isinstance(self._table.channel(each), AxisChannel)
            step(each)
            await homing.find_axis(board, each)

    async def _home_chain(self, step: Callable[[str], None]) -> None:
        if self.stations.chain:
            step("chain")
            await self.stations.chain.to_zero()


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
