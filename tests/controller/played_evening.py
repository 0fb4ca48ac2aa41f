"""Plays evenings at a simulated table; collects the events and the true state of the tiles."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from config.loader import game_parameters, load_game
from controller.events import Event, EventLog
from controller.run.assembly import daemon_for, simulated
from controller.run.daemon import Daemon
from controller.run.journal import Journal
from controller.run.orders import Orders
from controller.run.planning.setup_forecast import seats_of
from firmware_bridge.sim.clock import run
from firmware_bridge.sim.people.simulated_guide import SimulatedGuide
from firmware_bridge.sim.plant.machine import Plant
from rules.dice import Dice
from rules.games import find_game
from rules.geometry import Seat, parse_place
from rules.setup import Setup
from tests.fitting import long_leased


@dataclass
class Hand:
    """One hand: its events, and the play with all tiles visible."""

    dealer: Seat
    setup: Setup
    events: list[Event] = field(default_factory=list)
    """The events from `ready` to the end of the hand."""
    over: bool = False
    brought: list[tuple[str, Seat]] = field(default_factory=list)
    """The place and the seat of each tile that was brought in the play. A wrong tile raises
    AssertionError."""
    truth: Any = None
    """The play with all tiles visible, when the hand was settled."""
    racks: tuple[int, ...] = ()
    """Number of tiles that each player held when the hand was settled."""

    @property
    def acts(self) -> list[tuple[Seat, str]]:
        """The seat and the text of each action, in order."""
        return [(act["seat"], act["do"]) for act in self._named("action_taken")]  # type: ignore[misc]

    @property
    def texts(self) -> list[str]:
        """The actions as texts, for example `2 discard 5m`."""
        return [f"{seat} {do}" for seat, do in self.acts]

    @property
    def settled(self) -> Event | None:
        """The event `settled` of the hand; None if the hand was abandoned."""
        return next(iter(self._named("settled")), None)

    def _named(self, name: str) -> list[Event]:
        return [event for event in self.events if event["event"] == name]


@dataclass
class Evening:
    """The results of several hands in a row: events, hands, record, positions of tiles, daemon."""

    events: list[Event]
    hands: list[Hand]
    record: list[str]
    census: dict[str, int]
    daemon: Daemon


Meddler = Callable[[Event, Plant], None]
"""A function that is called with every event and can change the plant."""


def spend(
    game: str,
    table: str = "robotic",
    hands: int = 2,
    *,
    seed: int = 0,
    dealer: Seat = 0,
    throws: tuple[Dice, ...] = (),
    play: bool = True,
    house: Any = None,
    meddler: Meddler | None = None,
    orders: Orders | None = None,
    on_event: Callable[[Event, Daemon], None] | None = None,
) -> Evening:
    """Simulate hands, which the rules follow unless `play` is False. Raises TableFault.

    `on_event` receives every event with the daemon that emits it. `orders` replaces `dealer`,
    `throws`, `play` and `house`.
    """
    machine, config, rules = long_leased(table), load_game(game), find_game(game)
    parameters = game_parameters(config) if house is None else house
    orders = orders or Orders(
        rules, parameters, dealer, throws=throws, follow="play" if play else "none"
    )
    play, dealer = orders.follow == "play", orders.dealer
    emitted: list[Event] = []
    played: list[Hand] = []
    record: list[str] = []
    ends: list[Evening] = []

    async def scenario() -> None:
        loop = asyncio.get_running_loop()
        events = EventLog(loop.time)
        hardware = simulated(machine, config, rules, seats_of(orders.setup(dealer)), seed)
        plant, people = hardware.plant, hardware.guide
        assert plant is not None and isinstance(people, SimulatedGuide)
        with Journal.in_memory("now", {}) as journal:
            daemon = daemon_for(
                hardware, machine, config, orders, journal, events, record=record.append
            )

            def watch(event: Event) -> None:
                emitted.append(event)
                if event["event"] == "ready":
                    assert daemon.deal is not None
                    played.append(Hand(int(str(event["dealer"])), daemon.deal.setup))
                if play and played and not played[-1].over:
                    _collect(played[-1], event, plant, people)
                if meddler is not None:
                    meddler(event, plant)
                if on_event is not None:
                    on_event(event, daemon)

            events.listen(watch)
            await daemon.run(hands)
        ends.append(Evening(emitted, played, record, plant.census(), daemon))
        hardware.close()

    run(scenario())
    return ends[0]


def _collect(hand: Hand, event: Event, plant: Plant, people: SimulatedGuide) -> None:
    """Add an event to a hand, and compare delivered tiles with the plant."""
    hand.events.append(event)
    match event:
        case {"event": "delivered", "seat": int(seat), "from": list(places)}:
            meant = {people.hand_players.set_up_at(parse_place(place)) for place in places}
            came = set(plant.hands()[seat][-len(places) :])
            assert came == meant, f"Seat {seat} should have received {meant}, but received {came}."
            hand.brought += [(place, seat) for place in places]
        case {"event": "settled"}:
            hand.truth = people.hand_players.truth
            hand.racks = tuple(len(rack) for rack in plant.people.racks)
            hand.over = True
        case {"event": "hand_abandoned"}:
            hand.over = True


def evening(game: str, table: str = "robotic", hands: int = 2, seed: int = 0) -> Evening:
    """Return a played evening, which several tests share; they must not change it."""
    return _played_once(game, table, hands, seed)


@cache
def _played_once(game: str, table: str, hands: int, seed: int) -> Evening:
    return spend(game, table, hands, seed=seed)
