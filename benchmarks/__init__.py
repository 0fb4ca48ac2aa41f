"""Benchmarks of docs/reference/BENCHMARKS.md: one file a subject; its `main()` yields `Row`s."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """One measured claim. `measured` and `goal` are texts with units.

    `met`: whether the goal was reached, or None if the row has no goal.
    """

    claim: str
    measured: str
    goal: str = ""
    met: bool | None = None
