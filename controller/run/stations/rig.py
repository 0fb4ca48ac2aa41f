"""Creates all stations of one table from its modules."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from config.schema import AxisChannel, Modules, Table, TileSize
from controller.run.faults.failures import Fault
from controller.run.faults.retry import FaultHandler
from controller.run.health.condition import ConditionSampler
from controller.run.stations.chain import ChainStation
from controller.run.stations.dice import DiceStation
from controller.run.stations.gantry import GantryStation
from controller.run.stations.heads import HeadStation
from controller.run.stations.magazine import MagazineStation
from controller.run.stations.standstill import Standstill
from controller.run.stations.switched import Switched
from firmware_bridge.boards.devices import Devices, Sensor


class Stations:
    """All stations of one table; a station whose module is absent is None or missing in its tuple.

    `fault_handler` handles their faults.
    """

    def __init__(
        self,
        table: Table,
        tile: TileSize,
        devices: Devices,
        fault_handler: FaultHandler | None = None,
    ) -> None:
        modules = table.modules
        self.fault_handler = fault_handler = fault_handler or FaultHandler()
        self._devices = devices
        self.lid = _lid(modules, devices, fault_handler)
        self.below = Standstill()
        """Receives all commands for the parts below the table, for lifts and hand lanes, so that
        they can be stopped together."""
        self.drum = devices.motor(modules.drum.motor) if modules.drum else None
        self.magazine = (
            MagazineStation(modules.magazine, devices, fault_handler, self.below)
            if modules.magazine
            else None
        )
        self.heads = (
            tuple(
                HeadStation(
                    number,
                    head,
                    modules.heads,
                    devices,
                    fault_handler,
                    self.below,
                    self.drum,
                    self.magazine,
                    _pass_seconds(modules, table),
                )
                for number, head in enumerate(modules.heads.ports)
            )
            if modules.heads
            else ()
        )
        self.lifts = _lifts(modules, devices, fault_handler, self.below)
        self.counters = self._counters(modules)
        self.condition = ConditionSampler(table, tile, devices)
        self.chain = (
            ChainStation(modules.chain, devices, fault_handler, self.below)
            if modules.chain
            else None
        )
        self.lanes = _lanes(modules, devices, fault_handler, self.below)
        self.gates = (
            tuple(devices.output(lane.gate) for lane in modules.lanes.seats)
            if modules.lanes
            else ()
        )
        self.dice = DiceStation(modules.dice, devices, fault_handler) if modules.dice else None
        self.gantry = (
            GantryStation(
                modules.gantry, modules, devices, tile.height_mm / 1000, _top(table), fault_handler
            )
            if modules.gantry
            else None
        )
        self._arm = (modules.gantry.x,) if modules.gantry else ()
        """A channel of the gantry's board, if the table has a gantry."""
        self.flipper = _flipper(modules, devices, fault_handler)
        self.lamps = (
            tuple(devices.output(strip) for strip in modules.lamps.walls) if modules.lamps else ()
        )
        self.ready = devices.output(modules.ready) if modules.ready else None
        self.lid_key = devices.sensor(modules.keys.lid)
        self.done_key = devices.sensor(modules.keys.done) if modules.keys.done else None

    def _counters(self, modules: Modules) -> tuple[Sensor, ...]:
        """The sensors whose counts show a build's progress: those of the heads and the magazine."""
        named: list[str] = []
        for head in modules.heads.ports if modules.heads else ():
            named += [head.counter, *([head.vane] if head.vane else [])]
        if modules.magazine:
            named += [modules.magazine.passed, modules.magazine.withdrawn]
        return tuple(map(self._devices.sensor, named))

    async def hold(self, channels: Iterable[str]) -> None:
        """Hold the leases of the boards of these channels; calls nest."""
        for board in self._devices.boards_of(channels):
            await board.hold_lease()

    async def release(self, channels: Iterable[str]) -> None:
        """Release the leases of the boards of these channels."""
        for board in self._devices.boards_of(channels):
            await board.release_lease()

    @asynccontextmanager
    async def leased(self, *channels: str) -> AsyncIterator[None]:
        """Hold the leases of the boards of these channels within a block."""
        await self.hold(channels)
        try:
            yield
        finally:
            await self.release(channels)

    async def find_axes(self) -> None:
        """Find the positions of the gantry's axes, if the table has a gantry."""
        if self.gantry:
            async with self.leased(*self._arm):
                await self.gantry.find_axes()

    async def home(self) -> None:
        """Move every part to its home position; the parts can be at any position before."""
        switched = [self.lid, self.flipper, *self.lifts, *self.lanes]
        parts = [part.motor.channel for part in switched if part]
        async with self.leased(*parts, *self._arm):
            if self.gantry:
                await self.gantry.home()
            if self.lid:
                await self.lid.go_back()
            for part in (*self.lifts, *self.lanes):
                await part.go_back()
            if self.flipper:
                await self.flipper.go_back()


def _pass_seconds(modules: Modules, table: Table) -> float:
    """The time in which the longest tile passes the counter of a magazine; 0 without a magazine."""
    if modules.magazine is None or modules.heads is None:
        return 0.0
    return table.tiles.longest_mm / 1000 / modules.heads.belt_speed


def _top(table: Table) -> float:
    """The height of the jaws at home, metres above the felt."""
    assert table.modules.gantry is not None
    axis = table.channel(table.modules.gantry.z)
    assert isinstance(axis, AxisChannel)
    return axis.home


def _lid(modules: Modules, devices: Devices, fault_handler: FaultHandler) -> Switched | None:
    lid = modules.lid
    if lid is None:
        return None
    motor = devices.motor(lid.motor)
    return Switched("lid", motor, lid.opened, lid.closed, lid.seconds, Fault.LID, fault_handler)


def _lifts(
    modules: Modules, devices: Devices, fault_handler: FaultHandler, below: Standstill
) -> tuple[Switched, ...]:
    trays = modules.trays
    if trays is None:
        return ()
    return tuple(
        Switched(
            f"lift {side}",
            devices.motor(tray.lift),
            tray.up,
            tray.down,
            trays.lift,
            Fault.LIFT,
            fault_handler,
            below,
        )
        for side, tray in enumerate(trays.sides)
    )


def _lanes(
    modules: Modules, devices: Devices, fault_handler: FaultHandler, below: Standstill
) -> tuple[Switched, ...]:
    lanes = modules.lanes
    if lanes is None:
        return ()
    return tuple(
        Switched(
            f"hand lane {seat}",
            devices.motor(lane.presenter),
            lane.presented,
            lane.home,
            lanes.present,
            Fault.LANE,
            fault_handler,
            below,
        )
        for seat, lane in enumerate(lanes.seats)
    )


def _flipper(modules: Modules, devices: Devices, fault_handler: FaultHandler) -> Switched | None:
    flipper = modules.flipper
    if flipper is None:
        return None
    motor = devices.motor(flipper.motor)
    return Switched(
        "flipper",
        motor,
        flipper.flipped,
        flipper.home,
        flipper.flip,
        Fault.FLIPPER,
        fault_handler,
    )
