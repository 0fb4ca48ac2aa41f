"""The shuffle laboratory: statistics of permutations, and their report.

Throughout this package a permutation is an *order*: `order[i]` is the number of the tile that comes
out at place i, and tiles are numbered from 0 in the order in which they went in. The unchanged
order is 0, 1, 2, ... Many orders together are an array with one row for each cycle.
"""

from __future__ import annotations

from rules.errors import WallwrightError


class LaboratoryError(WallwrightError, ValueError):
    """Raised for cycles that cannot be examined; the message gives the reason and the next step."""
