"""The table under test: its boards, its stations and the person who watches it."""

from __future__ import annotations

from collections.abc import Mapping

from config.schema import HeadModule, Table, TileSize
from controller.run.faults.retry import FaultHandler
from controller.run.stations.rig import Stations
from controller.run.stations.switched import Switched
from controller.upkeep.selftest.asking import Watcher, wait_for_sensor
from firmware_bridge.board import Board
from firmware_bridge.boards.devices import Devices


class TableUnderTest:
    """One table during its self-test. `boards` are open, by name."""

    def __init__(
        self, table: Table, tile: TileSize, boards: Mapping[str, Board], watcher: Watcher
    ) -> None:
        self.table = table
        self.boards = boards
        self.watcher = watcher
        self.rig = Stations(table, tile, Devices(table, boards), FaultHandler())

    def board(self, channel: str) -> Board:
        """The board that a channel is wired to."""
        return self.boards[self.table.board_of(channel)]

    def heads(self) -> tuple[HeadModule, ...]:
        """Every head of the drum; empty if the table has none."""
        return self.table.modules.heads.ports if self.table.modules.heads else ()

    def travellers(self) -> list[Switched]:
        """Every part that a motor drives between two switches."""
        rig = self.rig
        gripper = rig.gantry.switched if rig.gantry else ()
        parts = (rig.lid, *rig.lifts, *rig.lanes, rig.flipper, *gripper)
        return [part for part in parts if part is not None]

    def own_sensors(self) -> set[str]:
        """Every sensor that is tried with a moving part instead of by hand."""
        modules = self.table.modules
        found = {switch for part in self.travellers() for switch in (part.forth, part.back)}
        found |= {relay.contact for relay in modules.relay if relay.contact}
        found |= {head.vane for head in self.heads() if head.vane}
        if modules.chain:
            found |= {modules.chain.zero, modules.chain.corner}
        if modules.magazine:
            found |= {modules.magazine.home, modules.magazine.vane, modules.magazine.withdrawn}
        return found

    async def ask(self, please: str, sensor: str, active: bool) -> None:
        """Ask the person to change a sensor and wait for it. Raises DisagreementError."""
        await wait_for_sensor(self.watcher, self.board(sensor), please, sensor, active)
