"""One run of a table: what is played on which boards, and where its journal is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from config.schema import GameConfig, Table
from controller.run.orders import Orders

if TYPE_CHECKING:
    from firmware_bridge.commissioning.device_keys import DeviceKeys
    from firmware_bridge.sim.faults.injected_fault import InjectedFault


@dataclass(frozen=True)
class RunJob:
    """The options of a run: table, game, number of rounds, speed, ports and files.

    `pace` is 1.0 for real time, None for as fast as possible, or a factor of real time. `ports`
    maps boards to serial ports; if it is empty the table is simulated, with `injected_faults`.
    """

    table: Table
    config: GameConfig
    orders: Orders
    rounds: int
    until_ready: bool
    seed: int
    pace: float | None
    ports: dict[str, str]
    reveal: bool
    journal: Path | None
    journal_copy: Path | None = None
    injected_faults: tuple[InjectedFault, ...] = ()
    abandon: bool = False
    keys: DeviceKeys | None = None
    """The keys of the real boards; None for a simulated table."""
    put_away_reason: str | None = None
    """Why people put every tile away before the first round; None if the journal decides."""
    emulated: bool = False
    """Whether simulated processors execute the firmware, instead of virtual boards."""
    audit_anchor: dict[str, object] | None = None
    """The size and the root of the audit log when the run begins, for the journal."""

    @property
    def title(self) -> str:
        """The game and the table, as the heading of the live view."""
        return f"{self.orders.game.title} on the table {self.table.name}"
