"""Orders as arrays, and random orders of a perfect shuffle."""

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


def as_orders(rows: Sequence[Sequence[int]]) -> Orders:
    """Orders of equal length as an array."""
    return np.array(rows, dtype=np.int64)


def places_of(orders: Orders) -> Orders:
    """The place of each tile, by its number: the inverse of each order."""
    places = np.empty_like(orders)
    np.put_along_axis(places, orders, np.arange(orders.shape[1])[None, :], axis=1)
    return places
