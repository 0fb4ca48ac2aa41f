"""A simulated table that outlasts its hosts: each host is a service that can be killed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random
from typing import cast

from config.loader import load_table
from controller.events import Event
from controller.proof.chaos.host_restarts import KillableStorage
from controller.run.assembly import Hardware, faces_by_tag, simulated_plant
from controller.run.planning.setup_forecast import seats_of
from controller.service.evening.evening_store import EveningStore
from controller.service.evening.game_choices import PlannedGame
from controller.service.evening.store_thread import ImmediateStore
from controller.service.prompts.service_guide import ServiceGuide, SimulatedHands
from controller.service.settings import ServiceSettings
from controller.service.status import TableFacts
from controller.service.table_service import TableService
from controller.upkeep.service_mode.questions import Helper
from firmware_bridge.boards.encoding import flags_of
from firmware_bridge.boards.serial_board import SerialBoard
from firmware_bridge.executor.virtual_board import KEY
from firmware_bridge.sim.bench import Bench
from firmware_bridge.sim.faults.injected_fault import InjectedFault
from firmware_bridge.sim.host_computer import SeededChance, SlowDisk
from firmware_bridge.sim.line import CablePlug
from firmware_bridge.sim.people.simulated_guide import SimulatedGuide
from firmware_bridge.sim.plant.machine import Plant
from firmware_bridge.wire.link import SerialLine
from tests.controller.service.service_at_a_table import Guests

PORTS = {"base": "a port"}


class SurvivingTable:
    """One table with its people; a new one replaces it when people change the tiles."""

    def __init__(
        self,
        table: str,
        folder: Path,
        seed: int,
        *,
        sync_s: float = 0.0,
        automatic: bool = True,
        injected_faults: Iterable[InjectedFault] = (),
    ) -> None:
        self.machine = self.table = load_table(table)
        self.events: list[Event] = []
        """The events of all hosts."""
        self.tables = 0
        """How often the tiles were changed."""
        self.plant: Plant | None = None
        self._folder = folder
        self._seed = seed
        self._sync_s = sync_s
        self._injected_faults = tuple(injected_faults)
        self.automatic = automatic
        self._random = Random(seed)
        self._game: PlannedGame | None = None
        self.hands: SimulatedGuide | None = None
        self._plug = CablePlug()
        self._line: SerialLine | None = None
        self._storage: KillableStorage | None = None

    async def host(
        self, scenario: Callable[[Guests], Awaitable[None]], *, kill: bool = False
    ) -> None:
        """Run one host until the scenario ends; then it is killed, or stopped as by SIGTERM."""
        store = EveningStore(self._folder / "evening.db")
        service = TableService(
            self.machine,
            TableFacts(name=self.machine.name, seats=4, simulated=False, software="test"),
            self,
            store,
            ImmediateStore(store),
            ServiceSettings(
                storage=self._new_storage,
                journal=self._folder / "table.journal",
                ports=PORTS,
                automatic=self.automatic,
            ),
        )
        service.listen(self.events.append)
        serving = asyncio.ensure_future(service.serve())
        running = asyncio.ensure_future(scenario(Guests(service)))
        await asyncio.wait((serving, running), return_when=asyncio.FIRST_COMPLETED)
        if not running.done():
            serving.result()
            raise AssertionError("The service ended before the scenario.")
        if kill:
            if self._storage is not None:
                self._storage.die()
            self.cut_line()
            store.close()
            serving.cancel()
            with suppress(BaseException):
                await serving
        else:
            service.stop()
            async with asyncio.timeout(5.0):
                await serving
            service.close()
            store.close()
        running.result()

    def cut_line(self) -> None:
        """Cut the line of the present host to the boards."""
        if self._line is not None:
            self._line.close()

    def _new_storage(self) -> KillableStorage:
        self._storage = KillableStorage(SlowDisk(self._sync_s), Random(self._seed))
        return self._storage

    def __call__(self, game: PlannedGame, guide: ServiceGuide) -> Hardware:
        """Open the boards for a run; people change the tiles if the game needs others."""
        if self._game is None or not game.uses_tiles_of(self._game):
            self._change_tiles(game)
        elif self.hands is not None:
            self.hands.host_restarted()
        assert self.hands is not None
        guide.use(cast(SimulatedHands, self.hands))
        return self._attached(game, guide)

    def open_for_service(
        self, game: PlannedGame, guide: ServiceGuide
    ) -> tuple[Hardware, Helper | None]:
        """Open the same boards for service mode; nobody helps."""
        return self._attached(game, guide), None

    def _attached(self, game: PlannedGame, guide: ServiceGuide) -> Hardware:
        """The boards on a new line."""
        line = self._line = SerialLine(self._plug.open())
        flags = flags_of(self.machine)
        boards = {
            name: SerialBoard(name, board, line, KEY, lambda: self._random.randbytes(8), flags)
            for name, board in self.machine.boards.items()
        }
        return Hardware(
            boards,
            guide,
            faces_by_tag(game.orders.game),
            (),
            lambda: None,
            partial(SeededChance, 7),
        )

    def _change_tiles(self, game: PlannedGame) -> None:
        """Put all tiles into their boxes, and take those of another game."""
        self.tables += 1
        self._game = game
        orders = game.orders
        self.plant = simulated_plant(
            self.machine,
            game.config,
            orders.game,
            seats_of(orders.setup(orders.dealer)),
            self._seed + self.tables,
            injected_faults=self._injected_faults,
        )
        self.plant.expect(game.staging.fills)
        self.hands = SimulatedGuide(self.plant, parameters=orders.parameters)
        self._plug = CablePlug()
        bench = Bench(self.plant, self._plug.send)
        self._plug.on_receive = bench.receive
        bench.set_cable(self._plug)
