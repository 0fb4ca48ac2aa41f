"""Forecasts which tiles a set-up will deal and leave, for planning and for hand lanes.

The hand lanes are filled while the walls are built, before the dealer is known. The forecast
decides whether a table uses them (`hands_for_lanes`), and where each tile is staged (`staging_of`).
"""

from __future__ import annotations

from collections.abc import Mapping

from config.layout.staging import Staging, stage
from config.schema import Table
from controller.run.orders import Orders
from rules.geometry import Layout, Place, Seat, WallPlace, Walls
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


PROBES = (0, 1, 2, 3, 4, 5, 6)
"""Different series of throws and choices that are tried."""


def staging_of(table: Table, orders: Orders) -> Staging:
    """The staging of the orders' game, for any dealer. Raises DoesNotFitError."""
    layout = orders.setup(orders.dealer).layout
    return stage(layout, table, hands_for_lanes(table, orders))


def hands_for_lanes(table: Table, orders: Orders) -> Mapping[Seat, int] | None:
    """The number of tiles for the lane of each seat; None if the lanes are not used.

    Lanes are used if they can hold the hands, and if every throw and every choice leads to the same
    number of tiles at each seat (at Filipino the dice decide which seat gets one tile more). The
    set is built before the dealer is known, so a lane holds the tiles that its seat gets with any
    dealer. The dealer takes further tiles from the wall.
    """
    lanes = table.modules.lanes
    setup = orders.setup(orders.dealer)
    if lanes is None or not setup.layout.count:
        return None
    common: dict[Seat, int] = {}
    # Each forecast takes milliseconds, so the first one that rules the lanes out is the last one.
    for sizes in (_sizes(orders, dealer) for dealer in range(setup.seating.players)):
        if sizes is None or len(sizes) > len(lanes.seats) or max(sizes.values()) > lanes.capacity:
            return None
        common = {seat: min(size, common.get(seat, size)) for seat, size in sizes.items()}
    return common


def _sizes(orders: Orders, dealer: Seat) -> dict[Seat, int] | None:
    """Number of tiles of each seat with this dealer; None if it depends on throws or choices."""
    setup = orders.setup(dealer)
    forecasts = (_hands(foreseen(setup, probe)) for probe in PROBES)
    first = next(forecasts)
    return first if first and all(other == first for other in forecasts) else None


def _hands(setup: Setup) -> dict[Seat, int]:
    return {seat: len(hand) for seat, hand in sorted(setup.hands.items())}
