"""Samplers of the models: random orders of a perfect shuffle, of riffles, and of shelf passes.

Each function returns an array with one order in each row.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Orders = NDArray[np.int64]
"""Orders, one in each row: the tile numbers by place, as explained in `controller.proof.lab`."""


def uniform(chance: Generator, cycles: int, tiles: int) -> Orders:
    """Orders of a perfect shuffle."""
    return np.argsort(chance.random((cycles, tiles)), axis=1, kind="stable")


def riffles(chance: Generator, cycles: int, tiles: int, times: int) -> Orders:
    """Orders after a number of riffles by the model of Gilbert, Shannon and Reeds."""
    parts = chance.integers(0, 2**times, (cycles, tiles))
    # The places of a part receive its tiles in their old order.
    return places_of(np.argsort(parts, axis=1, kind="stable"))


def shelf_passes(chance: Generator, cycles: int, tiles: int, shelves: int) -> Orders:
    """Orders after one pass of a shelf shuffler."""
    slots = chance.integers(0, 2 * shelves, (cycles, tiles))
    numbers = np.arange(tiles)
    # Within a slot the tiles lie in their old order at an upper end, reversed at a lower end.
    within = np.where(slots % 2 == 0, numbers, tiles - 1 - numbers)
    return np.argsort(slots * tiles + within, axis=1, kind="stable")


def as_orders(rows: Sequence[Sequence[int]]) -> Orders:
    """Orders of equal length as an array."""
    return np.array(rows, dtype=np.int64)


def places_of(orders: Orders) -> Orders:
    """The place of each tile, by its number: the inverse of each order."""
    places = np.empty_like(orders)
    np.put_along_axis(places, orders, np.arange(orders.shape[1])[None, :], axis=1)
    return places
