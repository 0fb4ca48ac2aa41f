"""Decides whether hands are picked into lanes before the walls, and where each tile is staged."""

from __future__ import annotations

from collections.abc import Mapping

from config.layout.staging import Staging, stage
from config.schema import Table
from controller.orders import Orders
from controller.planning.setup_forecast import foreseen
from rules.geometry import Seat
from rules.setup import Setup

PROBES = (0, 1, 2, 3, 4, 5, 6)
"""Ways in which the throws and choices could fall."""


def staging_of(table: Table, orders: Orders) -> Staging:
    """Which tile of every set-up lies where, whoever deals. Raises DoesNotFitError."""
    layout = orders.setup(orders.dealer).layout
    return stage(layout, table, hands_for_lanes(table, orders))


def hands_for_lanes(table: Table, orders: Orders) -> Mapping[Seat, int] | None:
    """Each seat's tiles, if the lanes can hold them and no open throw or choice changes them.

    A deal qualifies when every throw and every choice leads to the same number of tiles at the same
    seats (Filipino does not: the dice name the seat that gets one more). The set is built before
    the dealer is known, so a lane holds what its seat gets whichever seat deals; the dealer takes
    what he gets beyond that from the wall.
    """
    lanes = table.modules.lanes
    setup = orders.setup(orders.dealer)
    if lanes is None or not setup.layout.count:
        return None
    deals = [_sizes(orders, dealer) for dealer in range(setup.seating.players)]
    common: dict[Seat, int] = {}
    for sizes in deals:
        if sizes is None or len(sizes) > len(lanes.seats) or max(sizes.values()) > lanes.capacity:
            return None
        common = {seat: min(size, common.get(seat, size)) for seat, size in sizes.items()}
    return common


def _sizes(orders: Orders, dealer: Seat) -> dict[Seat, int] | None:
    """What each seat gets from this dealer; None where that depends on throws or choices."""
    setup = orders.setup(dealer)
    first, *others = (_hands(foreseen(setup, probe)) for probe in PROBES)
    return first if first and all(other == first for other in others) else None


def _hands(setup: Setup) -> dict[Seat, int]:
    return {seat: len(hand) for seat, hand in sorted(setup.hands.items())}
