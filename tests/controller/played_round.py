"""Plays rounds on simulated tables in virtual time, with disturbances at chosen times."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from config.loader import game_parameters, load_game, load_table
from config.schema import Table
from controller.events import Event, EventLog
from controller.run.assembly import Hardware, daemon_for, simulated
from controller.run.daemon import Daemon
from controller.run.journal import Journal
from controller.run.orders import Orders
from controller.run.planning.setup_forecast import seats_of
from firmware_bridge.guide import Ask
from firmware_bridge.sim import clock
from rules.games import find_game


@dataclass
class Round:
    """One round, from power-on to ready to play: its table, its events and its prompts."""

    hardware: Hardware
    daemon: Daemon
    events: list[Event]
    asked: list[Ask] = field(default_factory=list)
    pin_changes: list[tuple[float, str, int]] = field(default_factory=list)
    """Time, output and value of every change of an output."""

    def seen(self, channel: str, value: int) -> None:
        """Record a change of an output, with the present time."""
        self.pin_changes.append((asyncio.get_running_loop().time(), channel, value))

    def events_named(self, event: str) -> list[Event]:
        """Return all events of one name."""
        return [emitted for emitted in self.events if emitted["event"] == event]

    @property
    def delivered(self) -> list[tuple[object, object]]:
        """The seat and the places of each delivery, in order."""
        return [(emitted["seat"], emitted["from"]) for emitted in self.events_named("delivered")]

    @property
    def hands(self) -> dict[int, list[str]]:
        """The faces of the tiles at each seat."""
        assert self.hardware.plant is not None
        return {
            seat: sorted(tile.face for tile in hand)
            for seat, hand in self.hardware.plant.hands().items()
        }

    def at(self, event: str, **facts: object) -> float:
        """Return the time in seconds of the first event of this name with these facts."""
        for emitted in self.events_named(event):
            if all(emitted[key] == value for key, value in facts.items()):
                return float(str(emitted["t"]))
        raise AssertionError(f"The round emitted no event `{event}` with {facts}.")


Happens = Callable[[Round], None]


def play(
    table: str | Table = "robotic",
    game: str = "wenzhou",
    happens: dict[float, Happens] | None = None,
    *,
    seed: int = 7,
    rounds: int = 1,
    on: Callable[[Round, Event], None] | None = None,
) -> Round:
    """Play rounds on a simulated table until the last one is ready to play.

    `happens` gives disturbances by time; `on` receives every event.
    """

    async def main() -> Round:
        loop = asyncio.get_running_loop()
        machine = load_table(table) if isinstance(table, str) else table
        config = load_game(game)
        orders = Orders(find_game(game), game_parameters(config))
        seats = seats_of(orders.setup(0))
        hardware = simulated(machine, config, orders.game, seats, seed)
        log = EventLog(loop.time)
        with Journal.in_memory("", {}) as journal:
            daemon = daemon_for(hardware, machine, config, orders, journal, log)
            played = Round(hardware, daemon, [])
            if hardware.plant is not None:
                hardware.plant.output_observers.append(played.seen)
            log.listen(played.events.append)
            if on is not None:
                log.listen(lambda event: on(played, event))
            for time, happening in (happens or {}).items():
                loop.call_at(time, happening, played)
            try:
                async with asyncio.timeout(6000):
                    await daemon.run(rounds, until_ready=True)
            finally:
                hardware.close()
        return played

    return clock.run(main())


# Disturbances


def stall(seconds: float) -> Happens:
    """Return a disturbance: the host hangs for some seconds, without sending or receiving."""

    def happen(played: Round) -> None:
        transport = played.hardware.serial[0]._link._line._transport
        late: list[tuple[Callable[[bytes], None], bytes]] = []
        write, arrive = transport.write, transport.arrive  # type: ignore[attr-defined]
        transport.write = lambda data: late.append((write, data))  # type: ignore[method-assign]
        transport.arrive = lambda data: late.append((arrive, data))  # type: ignore[attr-defined]

        def wake() -> None:
            transport.write, transport.arrive = write, arrive  # type: ignore[attr-defined,method-assign]
            for way in (arrive, write):
                for each, data in late:
                    if each is way:
                        way(data)

        asyncio.get_running_loop().call_later(seconds, wake)

    return happen


def unplug(seconds: float) -> Happens:
    """Return a disturbance: the plug is pulled, and put back after some seconds."""

    def happen(played: Round) -> None:
        plug = played.hardware.plug
        assert plug is not None
        plug.pull()
        asyncio.get_running_loop().call_later(seconds, plug.put_back)

    return happen


def power_cut(board: str) -> Happens:
    """Return a disturbance: one board loses its power for a moment and restarts."""

    def happen(played: Round) -> None:
        assert played.hardware.bench is not None
        played.hardware.bench.reset(board, 1)

    return happen


def emergency(seconds: float) -> Happens:
    """Return a disturbance: the emergency stop is pressed, and released after some seconds."""

    def happen(played: Round) -> None:
        plant = played.hardware.plant
        assert plant is not None
        plant.emergency_stop(True)
        asyncio.get_running_loop().call_later(seconds, plant.emergency_stop, False)

    return happen


def reach_in(seconds: float) -> Happens:
    """Return a disturbance: for some seconds every board's light curtain is interrupted."""

    def happen(played: Round) -> None:
        plant = played.hardware.plant
        assert plant is not None
        for sensor in plant.table.modules.curtain:
            plant.sense(sensor, True)
            asyncio.get_running_loop().call_later(seconds, plant.sense, sensor, False)

    return happen
