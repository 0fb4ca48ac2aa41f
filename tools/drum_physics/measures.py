"""Measures of a mixed drum: segregation of the heaps, and what an order of picks keeps of them."""

from __future__ import annotations

from typing import Any

import numpy as np

NEIGHBOURS = 6
"""Number of nearest neighbours of a tile that the segregation index looks at."""


def segregation(places: Any, quadrants: Any) -> float:
    """Share of the nearest neighbours that are from the same quadrant, over chance.

    1 when the quadrants are mixed; 4 when they are apart.
    """
    count = len(places)
    squares = ((places[:, None, :] - places[None, :, :]) ** 2).sum(axis=2)
    np.fill_diagonal(squares, np.inf)
    near = np.argsort(squares, axis=1)[:, :NEIGHBOURS]
    share = (quadrants[near] == quadrants[:, None]).mean()
    return float(share / chance_share(count, quadrants))


def chance_share(count: int, quadrants: Any) -> float:
    """Probability that two different tiles are from the same quadrant."""
    sizes = np.bincount(quadrants)
    return float((sizes * (sizes - 1)).sum() / (count * (count - 1)))


def rank_correlation(drop_order: Any, picked: Any) -> float:
    """Correlation of the order of falling with the order of picks; +1 is first in, first out."""
    return float(np.corrcoef(drop_order[picked], np.arange(len(picked)))[0, 1])


def successive_share(quadrants: Any, picked: Any, lag: int = 1) -> float:
    """Share of picks from the same quadrant as the pick `lag` before, over chance."""
    order = quadrants[picked]
    return float((order[lag:] == order[:-lag]).mean() / chance_share(len(order), quadrants))
