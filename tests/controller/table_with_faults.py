"""A simulated table at which things go wrong, and what it tells about that."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

from config.loader import game_parameters, load_game, load_table
from config.schema import Recovery
from controller.assembly import Hardware, daemon_for, simulated
from controller.daemon import Daemon
from controller.events import Event, EventLog
from controller.faults.table_fault import TableFault
from controller.journal import Entry, Journal
from controller.orders import Orders
from controller.planning.setup_forecast import seats_of
from firmware_bridge.sim.clock import run
from firmware_bridge.sim.faults.injection import parse
from rules.games import find_game

FAULT_EVENTS = ("recovered", "operator_prompted", "prompt_answered", "fault")


@dataclass(frozen=True)
class Evening:
    """What a table has told, and where its tiles lie in the end."""

    events: tuple[Event, ...]
    entries: tuple[Entry, ...]
    census: Mapping[str, int]
    fault: TableFault | None
    pins: tuple[tuple[float, str, int], ...] = ()
    """When which output took which value, and which axis set off."""

    @property
    def fault_events(self) -> list[tuple[object, object, object]]:
        """The events about faults: event, code, part."""
        return [
            (event["event"], event["code"], event["part"])
            for event in self.events
            if event["event"] in FAULT_EVENTS
        ]

    def when(self, **facts: object) -> list[float]:
        """The instants of the events that say this."""
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
    """Play with these mishaps; `meanwhile` is somebody's doings beside it."""
    machine, config, rules = load_table(table), load_game(game), find_game(game)
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
        hardware.plant.onlookers.append(lambda *at: pins.append((loop.time(), *at)))
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
