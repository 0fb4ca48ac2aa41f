"""Plays rounds on a simulated table with injected faults; collects events and journal entries."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

from config.loader import game_parameters, load_game
from config.schema import Recovery
from controller.events import Event, EventLog
from controller.run.assembly import Hardware, daemon_for, simulated
from controller.run.daemon import Daemon
from controller.run.faults.failures import TableFault
from controller.run.journal import Entry, Journal
from controller.run.orders import Orders
from controller.run.planning.setup_forecast import seats_of
from firmware_bridge.sim.clock import run
from firmware_bridge.sim.faults.injected_fault import parse
from rules.games import find_game
from tests.fitting import long_leased

FAULT_EVENTS = ("recovered", "operator_prompted", "prompt_answered", "fault")


@dataclass(frozen=True)
class Evening:
    """The events and journal entries of a run, and the positions of the tiles at its end."""

    events: tuple[Event, ...]
    entries: tuple[Entry, ...]
    census: Mapping[str, int]
    fault: TableFault | None
    pins: tuple[tuple[float, str, int], ...] = ()
    """Time, output and value of every change of an output, and of every start of an axis."""

    @property
    def fault_events(self) -> list[tuple[object, object, object]]:
        """The event name, code and part of every event about a fault."""
        return [
            (event["event"], event["code"], event["part"])
            for event in self.events
            if event["event"] in FAULT_EVENTS
        ]

    def when(self, **facts: object) -> list[float]:
        """Return the times in seconds of all events with these facts."""
        return [float(str(event["t"])) for event in self.events if facts.items() <= event.items()]


Side = Callable[[Daemon, Hardware, EventLog], Coroutine[Any, Any, None]]


def evening(
    *injected_faults: str,
    table: str = "robotic",
    game: str = "wenzhou",
    recovery: Mapping[str, Recovery] | None = None,
    rounds: int = 1,
    until_ready: bool = True,
    meanwhile: Side | None = None,
) -> Evening:
    """Play with these injected faults; `meanwhile` is a coroutine that runs beside the daemon."""
    machine, config, rules = long_leased(table), load_game(game), find_game(game)
    machine = machine.model_copy(update={"recovery": dict(recovery or {})})
    orders = Orders(rules, game_parameters(config))

    async def play() -> Evening:
        loop = asyncio.get_running_loop()
        events, emitted = EventLog(loop.time), list[Event]()
        events.listen(emitted.append)
        hardware = simulated(
            machine,
            config,
            rules,
            seats_of(orders.setup(0)),
            seed=7,
            injected_faults=[parse(text) for text in injected_faults],
        )
        assert hardware.plant is not None
        fault: TableFault | None = None
        pins: list[tuple[float, str, int]] = []
        hardware.plant.output_observers.append(lambda *at: pins.append((loop.time(), *at)))
        with Journal.in_memory("now", {}) as journal:
            daemon = daemon_for(hardware, machine, config, orders, journal, events)
            beside = None if meanwhile is None else meanwhile(daemon, hardware, events)
            task = None if beside is None else loop.create_task(beside)
            try:
                await daemon.run(rounds, until_ready=until_ready)
            except TableFault as failed:
                fault = failed
            if task is not None:
                task.cancel()
            entries = journal.history()
        hardware.close()
        return Evening(tuple(emitted), tuple(entries), hardware.plant.census(), fault, tuple(pins))

    return run(play())
