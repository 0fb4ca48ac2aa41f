"""Opens the hardware of a table for the service: simulated, or on lines.

Boards and simulation are imported when a run opens them: the service answers its clients before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from config.schema import Table
from controller.service.evening.game_choices import PlannedGame
from controller.service.prompts.service_guide import ServiceGuide, SimulatedHands

if TYPE_CHECKING:
    from controller.run.assembly import Hardware
    from controller.upkeep.service_mode.questions import Helper
    from firmware_bridge.commissioning.device_keys import DeviceKeys
    from firmware_bridge.sim.faults.injected_fault import InjectedFault


class SimulatedTable:
    """Opens a new simulated table for each run, with its tiles in their boxes.

    `injected_faults` happen in the first run.
    """

    def __init__(
        self, table: Table, seed: int, injected_faults: tuple[InjectedFault, ...] = ()
    ) -> None:
        self.table = table
        self._seed = seed
        self._injected_faults = injected_faults
        self._opened = 0

    def __call__(self, game: PlannedGame, guide: ServiceGuide) -> Hardware:
        """Create the simulated table for a game."""
        from controller.run.assembly import simulated  # noqa: PLC0415 - see above
        from controller.run.planning.setup_forecast import seats_of  # noqa: PLC0415 - see above

        orders = game.orders
        hardware = simulated(
            self.table,
            game.config,
            orders.game,
            seats_of(orders.setup(orders.dealer)),
            self._seed + self._opened,
            injected_faults=() if self._opened else self._injected_faults,
        )
        self._opened += 1
        guide.use(cast(SimulatedHands, hardware.guide))
        return replace(hardware, guide=guide)

    def open_for_service(
        self, game: PlannedGame, guide: ServiceGuide
    ) -> tuple[Hardware, Helper | None]:
        """Create the simulated table without players, and a simulated person who covers sensors."""
        from controller.run.assembly import simulated  # noqa: PLC0415 - see above
        from controller.run.planning.setup_forecast import seats_of  # noqa: PLC0415 - see above
        from firmware_bridge.sim.people.selftest_watcher import (  # noqa: PLC0415 - see above
            NoPeople,
            SelftestWatcher,
        )

        orders = game.orders
        hardware = simulated(
            self.table,
            game.config,
            orders.game,
            seats_of(orders.setup(orders.dealer)),
            self._seed,
            injected_faults=() if self._opened else self._injected_faults,
            people=NoPeople,
        )
        assert hardware.plant is not None
        return hardware, SelftestWatcher(hardware.plant)


class TableOnLines:
    """Opens the boards of a real table at their ports."""

    def __init__(self, table: Table, ports: Mapping[str, str], keys: DeviceKeys | None) -> None:
        self.table = table
        self._ports = ports
        self._keys = keys

    def __call__(self, game: PlannedGame, guide: ServiceGuide) -> Hardware:
        """Open the ports. Raises BoardSilentError if one cannot be opened."""
        from controller.run.assembly import on_lines  # noqa: PLC0415 - see above

        return on_lines(self.table, game.orders.game, self._ports, guide, self._keys)

    def open_for_service(
        self, game: PlannedGame, guide: ServiceGuide
    ) -> tuple[Hardware, Helper | None]:
        """Open the ports, without a helper. Raises BoardSilentError if one cannot be opened."""
        return self(game, guide), None
