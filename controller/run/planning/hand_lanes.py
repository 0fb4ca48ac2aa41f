"""Decides whether the table fills hand lanes before the walls, and where each tile is staged."""

from __future__ import annotations

from collections.abc import Mapping

from config.layout.staging import Staging, stage
from config.schema import Table
from controller.run.orders import Orders
from controller.run.planning.setup_forecast import foreseen
from rules.geometry import Seat
from rules.setup import Setup

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
