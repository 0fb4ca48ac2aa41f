"""Deliberately bad drums: samplers of orders with one known defect each, of adjustable strength.

The tests find these drums with the stated power. Each function returns one order in each row.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from controller.proof.lab.statistic import Orders, uniform


def kept_order(chance: Generator, cycles: int, tiles: int, share: float) -> Orders:
    """A share of the tiles, drawn at random, comes out in the order in which it went in."""
    orders = uniform(chance, cycles, tiles)
    kept = round(share * tiles)
    places = np.sort(uniform(chance, cycles, tiles)[:, :kept], axis=1)
    in_order = np.sort(np.take_along_axis(orders, places, axis=1), axis=1)
    np.put_along_axis(orders, places, in_order, axis=1)
    return orders


def stuck_side(chance: Generator, cycles: int, tiles: int, share: float, sides: int = 4) -> Orders:
    """A share of the tiles that went in first stays on the first side; the other tiles are mixed.

    The tiles that went in first are as many as come out on one side.
    """
    side = tiles // sides
    stays = np.zeros((cycles, tiles), dtype=np.bool_)
    stays[:, :side] = chance.random((cycles, side)) < share
    # A tile that stays has a key below all others' half of the time: it comes to the first places.
    keys = chance.random((cycles, tiles))
    keys[stays] *= side / tiles
    return np.argsort(keys, axis=1, kind="stable")


def last_in_first_out(chance: Generator, cycles: int, tiles: int, strength: float) -> Orders:
    """Tiles that went in last tend to come out first; `strength` 0 is uniform.

    The expected place of a tile moves by `strength` of the whole length from the first tile to the
    last.
    """
    late = np.linspace(0.5, -0.5, tiles)
    keys = chance.random((cycles, tiles)) + strength * late[None, :]
    return np.argsort(keys, axis=1, kind="stable")


def kept_blocks(chance: Generator, cycles: int, tiles: int, share: float, length: int) -> Orders:
    """In a share of the cycles, `length` tiles that went in one after another stay together."""
    orders = uniform(chance, cycles, tiles)
    first = chance.integers(0, tiles - length + 1, cycles)
    at = chance.integers(0, tiles - length + 1, cycles)
    for cycle in np.flatnonzero(chance.random(cycles) < share):
        block = np.arange(first[cycle], first[cycle] + length)
        others = orders[cycle][~np.isin(orders[cycle], block)]
        orders[cycle] = np.insert(others, at[cycle], block)
    return orders
