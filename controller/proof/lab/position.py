"""Statistics of positions: does a tile's place depend on when it went in, and how far does it move?

The chi-square statistic of positions: with N cycles of n tiles, groups of tiles by their turn
(sizes g) and groups of places (sizes h), M counts the tiles of a group that came to a group of
places, and the statistic is

    (n - 1) / N * sum of (M - N g h / n)^2 / (g h).

The factor n - 1 instead of n accounts for the fact that a cycle puts each tile into one place and
one tile into each place. The expectation is then exactly (groups - 1) * (groups of places - 1), the
degrees of freedom, and the variance is 2 * freedom * (N - 1) / N: exactly for groups of single
tiles, because the permutations of two cycles agree in one tile on average, with variance 1.

The statistics of displacement measure how far tiles move, and whether early tiles come out early.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np

from controller.proof.lab.statistic import (
    Description,
    FailureLevel,
    Orders,
    StatisticResult,
    judge_mean,
    judge_shares,
)

PARTS = 8
"""Parts of the drop order that are compared with parts of the places."""

PLACES = Description(
    "position_places",
    "Tile against place",
    "chi-square",
    "relative deviation of a tile's chance to come to a place, root mean square",
    "single tiles that prefer or avoid single places",
)
REGIONS = Description(
    "position_regions",
    "Drop order against place, in eighths",
    "chi-square",
    "relative deviation of an eighth's chance to come to an eighth of the places, root mean square",
    "tiles that went in early, or together, and come out in one region of the walls",
)
SIDES_AND_ROWS = Description(
    "drop_order_side_row",
    "Drop order against side and row",
    "chi-square",
    "relative deviation of an eighth's chance to come to a row of a side, root mean square",
    "a side or a row of the walls that receives early or late tiles more often",
)


def position_places(orders: Orders, threshold: FailureLevel) -> StatisticResult:
    """Compare each tile with each place."""
    tiles = orders.shape[1]
    return _judge(PLACES, orders, np.arange(tiles), np.arange(tiles), threshold)


def position_regions(orders: Orders, threshold: FailureLevel) -> StatisticResult:
    """Compare eighths of the drop order with eighths of the places."""
    eighths = in_parts(orders.shape[1], PARTS)
    return _judge(REGIONS, orders, eighths, eighths, threshold)


def drop_order_side_row(
    orders: Orders, sides_and_rows: Sequence[object], threshold: FailureLevel
) -> StatisticResult:
    """Compare eighths of the drop order with the side and row of each place, given place by place.

    There must be at least two different sides or rows.
    """
    kinds = {kind: number for number, kind in enumerate(dict.fromkeys(sides_and_rows))}
    groups = np.array([kinds[each] for each in sides_and_rows])
    return _judge(SIDES_AND_ROWS, orders, in_parts(orders.shape[1], PARTS), groups, threshold)


def in_parts(tiles: int, parts: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The part of each number below `tiles`, if they are divided into nearly equal parts."""
    return np.arange(tiles) * min(parts, tiles) // tiles


def counts_by_groups(
    orders: Orders,
    tile_groups: np.ndarray[tuple[int], np.dtype[np.int64]],
    place_groups: np.ndarray[tuple[int], np.dtype[np.int64]],
) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """How many tiles of each group came to each group of places: groups in rows."""
    columns = int(place_groups.max()) + 1
    rows = int(tile_groups.max()) + 1
    cells = tile_groups[orders] * columns + place_groups[None, :]
    return np.bincount(cells.ravel(), minlength=rows * columns).reshape(rows, columns)


def _judge(
    about: Description,
    orders: Orders,
    tile_groups: np.ndarray[tuple[int], np.dtype[np.int64]],
    place_groups: np.ndarray[tuple[int], np.dtype[np.int64]],
    threshold: FailureLevel,
) -> StatisticResult:
    cycles, tiles = orders.shape
    counts = counts_by_groups(orders, tile_groups, place_groups)
    sizes = np.outer(np.bincount(tile_groups), np.bincount(place_groups))
    squares = (counts - cycles * sizes / tiles) ** 2 / sizes
    observed = (tiles - 1) / cycles * float(np.sum(squares))
    freedom = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    return judge_shares(about, observed, freedom, cycles, tiles, threshold)


DISPLACEMENT = Description(
    "displacement",
    "Displacement",
    "places, mean over the tiles",
    "additional places",
    "tiles that stay near their place in the order (too small), or change ends (too large)",
)
CORRELATION = Description(
    "order_correlation",
    "Drop order against place",
    "rank correlation",
    "rank correlation",
    "first in, first out (above 0) and last in, first out (below 0)",
)


def displacement(orders: Orders, threshold: FailureLevel) -> StatisticResult:
    """The mean distance between a tile's number and its place: Spearman's footrule."""
    n = orders.shape[1]
    distances = np.mean(np.abs(orders - np.arange(n)), axis=1)
    deviation = sqrt((n + 1) * (2 * n**2 + 7) / 45) / n
    return judge_mean(DISPLACEMENT, distances, (n**2 - 1) / (3 * n), deviation, threshold)


def order_correlation(orders: Orders, threshold: FailureLevel) -> StatisticResult:
    """Spearman's rank correlation between drop order and place."""
    n = orders.shape[1]
    centred = np.arange(n) - (n - 1) / 2
    products = (orders - (n - 1) / 2) @ centred
    values = products / (n * (n**2 - 1) / 12)
    return judge_mean(CORRELATION, values, 0.0, 1 / sqrt(n - 1), threshold)
