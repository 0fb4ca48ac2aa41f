"""Forecasts which tiles a set-up will deal and leave, for hand lanes and planning."""

from __future__ import annotations

from rules.geometry import Layout, Place, WallPlace, Walls
from rules.setup import Setup
from rules.steps import Choose, Packet, Throw


def foreseen(setup: Setup, probe: int = 0) -> Setup:
    """The complete set-up if every open choice has its default and no turned tile is read.

    Open throws show 1, then 2 and so on, so that repeated throws after a tie end. The forecast is
    exact after the throws that determine the deal. Another `probe` gives other throws and choices.
    """
    thrown = probe
    while (step := setup.pending) is not None:
        match step:
            case Throw():
                setup = setup.apply((thrown % 6 + 1,) * (step.dice * step.times))
                thrown += 1
            case Choose():
                answer = step.among[probe % len(step.among)] if probe else step.default
                setup = setup.apply(answer)
            case _:
                setup = setup.apply()
    return setup


def packets_ahead(setup: Setup) -> tuple[Packet, ...]:
    """The next packets, up to the next step that is not a packet."""
    packets = []
    while isinstance(setup.pending, Packet):
        packets.append(setup.pending)
        setup = setup.apply(None)
    return tuple(packets)


def rest_of(end: Setup) -> tuple[Place, ...]:
    """The tiles that a complete set-up has not dealt, in the order in which they are drawn."""
    dealt = {place for hand in end.hands.values() for place in hand}
    draws = end.ready.draws if end.ready else ()
    return tuple(place for place in _in_order(end.layout, draws) if place not in dealt)


def _in_order(layout: Layout, draws: tuple[Place, ...]) -> tuple[Place, ...]:
    if isinstance(layout, Walls) and draws and isinstance(draws[0], WallPlace):
        return tuple(layout.walk(draws[0].owner, draws[0].column))
    return tuple(layout.places)


def seats_of(setup: Setup) -> int:
    """The number of delivery places of a game.

    A game with more than four seats (pai gow: eight) needs all of them, others one for each player.
    """
    return setup.game.seats if setup.game.seats > 4 else setup.seating.players
