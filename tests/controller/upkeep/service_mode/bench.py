"""A simulated table in service mode, without players, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from config.loader import game_names, load_game, load_table
from config.schema import Table, TileSize
from config.validation.checks import fit
from controller.run.assembly import Hardware, simulated
from controller.run.planning.setup_forecast import seats_of
from controller.upkeep.service_mode.jogging import Press
from controller.upkeep.service_mode.mode_status import ModeFinding, ServiceModeStatus
from controller.upkeep.service_mode.service_mode import ServiceMode, Workshop
from firmware_bridge.sim import clock
from firmware_bridge.sim.faults.injected_fault import InjectedFault, check, parse
from firmware_bridge.sim.people.selftest_watcher import NoPeople, SelftestWatcher
from firmware_bridge.sim.plant.machine import Plant
from rules.games import GAMES

ANN = Press("tablet", "Ann", "1")
BOB = Press("phone", "Bob", "1")


@dataclass
class ServiceBench:
    """Service mode on a simulated table, every change of an output, and every published status."""

    mode: ServiceMode
    table: Table
    plant: Plant
    hardware: Hardware
    tile: TileSize
    outputs: list[tuple[float, str, int]] = field(default_factory=list)
    published: list[ServiceModeStatus] = field(default_factory=list)

    @property
    def findings(self) -> list[str]:
        """The sentences of all findings."""
        return [finding.text for finding in self.mode.status.findings]

    def faults(self) -> list[ModeFinding]:
        """The findings that are faults."""
        return [finding for finding in self.mode.status.findings if finding.kind == "fault"]

    def last(self, channel: str) -> tuple[float, int]:
        """Time and value of the last change of an output."""
        return next((at, value) for at, name, value in reversed(self.outputs) if name == channel)

    async def hold(self, channel: str, direction: Any, speed: int, seconds: float) -> None:
        """Hold the jog button for this time, with a renewal every 100 ms."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while loop.time() < end:
            await self.mode.jog(channel, direction, speed, ANN)
            await asyncio.sleep(0.1)

    async def finish(self, answers: dict[str, str] | None = None) -> None:
        """Answer every question until the activity is over; `answers` by the text's first word."""
        while self.mode.status.activity is not None:
            question = self.mode.status.question
            if question is not None:
                first = question.text.split()[0]
                default = question.choices[0] if question.choices else ""
                self.mode.answer(question.id, (answers or {}).get(first, default))
            await asyncio.sleep(0.05)


def on_bench(
    table: str | Table,
    scenario: Callable[[ServiceBench], Awaitable[None]],
    *faults: str,
    file: Path | None = None,
    helped: bool = True,
    pace: float = 1.0,
) -> None:
    """Run a scenario in service mode of a simulated table; then leave service mode."""
    machine = load_table(table) if isinstance(table, str) else table

    async def run() -> None:
        async with opened(machine, *faults, file=file, helped=helped, pace=pace) as bench:
            await scenario(bench)
            await bench.mode.leave()

    clock.run(run())


@asynccontextmanager
async def opened(
    machine: Table,
    *faults: str,
    file: Path | None = None,
    helped: bool = True,
    pace: float = 1.0,
) -> AsyncIterator[ServiceBench]:
    """A simulated table in service mode, which the block has to leave."""
    game, config = next(
        (GAMES[config.game], config)
        for config in map(load_game, game_names())
        if GAMES[config.game].setup().layout.count and fit(machine, GAMES[config.game], config).fits
    )
    injected: list[InjectedFault] = [check(parse(each), machine) for each in faults]
    hardware = simulated(
        machine,
        config,
        game,
        seats_of(game.setup()),
        0,
        chance=False,
        injected_faults=injected,
        people=NoPeople,
    )
    assert hardware.plant is not None
    for board in hardware.boards.values():
        await board.start()
    loop = asyncio.get_running_loop()
    helper = SelftestWatcher(hardware.plant) if helped else None
    workshop = Workshop(
        machine,
        config.tile,
        hardware.boards,
        loop.time,
        table_file=file,
        helper=helper,
        pace=pace,
    )
    published: list[ServiceModeStatus] = []
    mode = ServiceMode(workshop, "Ann", published.append)
    bench = ServiceBench(mode, machine, hardware.plant, hardware, config.tile, published=published)
    hardware.plant.output_observers.append(
        lambda channel, value: bench.outputs.append((loop.time(), channel, value))
    )
    await mode.enter()
    try:
        yield bench
    finally:
        for board in hardware.boards.values():
            await board.close()
        hardware.close()
