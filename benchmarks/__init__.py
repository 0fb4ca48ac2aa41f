"""One file a claim of the README. Each has a `main()` that measures now and yields `Row`s."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """One measured claim; figures are texts with their units.

    `met` tells whether the goal was reached, or None where nothing is promised.
    """

    claim: str
    measured: str
    goal: str = ""
    met: bool | None = None
