"""Which deals can be picked into hand lanes before the walls are built."""

from __future__ import annotations

from collections.abc import Mapping

from config.schema import Table
from controller.rest import foreseen
from controller.workplace import Orders
from rules.geometry import Seat
from rules.setup import Setup

PROBES = (1, 2, 3, 4, 5, 6)
"""Ways in which the throws and choices could fall."""


def hands_for_lanes(table: Table, orders: Orders) -> Mapping[Seat, int] | None:
    """Each seat's tiles, if the lanes can hold them and nothing still open changes them.

    A deal qualifies when every throw and every choice leads to the same number of tiles at the same
    seats (Filipino does not: the dice name the seat that gets one more).
    """
    lanes = table.modules.lanes
    setup = orders.setup(orders.dealer)
    if lanes is None or not setup.layout.count:
        return None
    sizes = _sizes(foreseen(setup))
    if not sizes or len(sizes) > len(lanes.seats) or max(sizes.values()) > lanes.capacity:
        return None
    if any(_sizes(foreseen(setup, probe)) != sizes for probe in PROBES):
        return None
    return sizes


def _sizes(setup: Setup) -> dict[Seat, int]:
    return {seat: len(hand) for seat, hand in sorted(setup.hands.items())}
