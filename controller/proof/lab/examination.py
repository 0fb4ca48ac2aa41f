"""Examines cycles of one table: every statistic, corrected for their number, and the verdict.

`as_json` is the report as plain values, for JSON and for the tables of the HTML file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import Any

from controller.proof.lab import LaboratoryError
from controller.proof.lab.guessing import guessing_by_record, guessing_by_rule
from controller.proof.lab.neighbours import (
    adjacency_retained,
    longest_kept_block,
    rising_sequences,
    set_clustering,
)
from controller.proof.lab.position import (
    displacement,
    drop_order_side_row,
    order_correlation,
    position_places,
    position_regions,
)
from controller.proof.lab.statistic import (
    FALSE_ALARMS,
    POWER,
    FailureLevel,
    Orders,
    StatisticResult,
    corrected,
)

FEWEST_CYCLES = 30
"""With fewer cycles the normal laws of the means are not exact enough."""
FEWEST_TILES = 8
"""With fewer tiles the parts of the drop order are too small."""
SET = 4
"""Tiles of a set of the last hand, if the sets were not recorded."""

Statistic = Callable[[Orders, FailureLevel], StatisticResult]


@dataclass(frozen=True)
class Examination:
    """The results of all statistics; `corrected` are their p values after Holm's correction."""

    cycles: int
    tiles: int
    results: tuple[StatisticResult, ...]
    corrected: tuple[float, ...]

    @property
    def failed(self) -> tuple[StatisticResult, ...]:
        """The statistics in which the cycles differ from a perfect shuffle."""
        return tuple(
            result
            for result, p_value in zip(self.results, self.corrected, strict=True)
            if p_value <= FALSE_ALARMS
        )


def statistics_of(
    tiles: int, sides_and_rows: Sequence[object] = (), sets: Sequence[object] = ()
) -> tuple[Statistic, ...]:
    """The statistics for cycles of `tiles` tiles.

    `sides_and_rows` gives the side and row of each place, `sets` the set of each tile in drop
    order. Without sets, each `SET` tiles that went in one after the other are a set.
    """
    grouped = sets or [number // SET for number in range(tiles)]
    found: list[Statistic] = [
        position_places,
        position_regions,
        adjacency_retained,
        rising_sequences,
        displacement,
        order_correlation,
        partial(_set_clustering, grouped),
        guessing_by_rule,
        guessing_by_record,
        longest_kept_block,
    ]
    if len(set(sides_and_rows)) > 1:
        found.insert(6, partial(_drop_order_side_row, sides_and_rows))
    return tuple(found)


def examine(
    orders: Orders, sides_and_rows: Sequence[object] = (), sets: Sequence[object] = ()
) -> Examination:
    """Compute all statistics of these cycles, one order in each row.

    Raises LaboratoryError if there are too few cycles or tiles.
    """
    cycles, tiles = orders.shape
    if cycles < FEWEST_CYCLES:
        raise LaboratoryError(
            f"The statistics need at least {FEWEST_CYCLES} cycles; got {cycles}. Add cycles."
        )
    if tiles < FEWEST_TILES:
        raise LaboratoryError(
            f"The statistics need at least {FEWEST_TILES} tiles in a set; got {tiles}."
        )
    statistics = statistics_of(tiles, sides_and_rows, sets)
    threshold = FailureLevel.among(len(statistics))
    results = tuple(statistic(orders, threshold) for statistic in statistics)
    p_values = tuple(corrected([result.p_value for result in results]))
    return Examination(cycles, tiles, results, p_values)


def _set_clustering(
    sets: Sequence[object], orders: Orders, threshold: FailureLevel
) -> StatisticResult:
    return set_clustering(orders, sets, threshold)


def _drop_order_side_row(
    sides_and_rows: Sequence[object], orders: Orders, threshold: FailureLevel
) -> StatisticResult:
    return drop_order_side_row(orders, sides_and_rows, threshold)


SCHEMA_VERSION = 1
"""Raised when a key of the JSON report changes its meaning or is removed."""


def as_json(examination: Examination, source: dict[str, object]) -> dict[str, Any]:
    """The report as values for JSON. `source` names the examined cycles."""
    failed = {result.name for result in examination.failed}
    return {
        "schema": "wallwright-shuffle-report",
        "schema_version": SCHEMA_VERSION,
        "source": source,
        "cycles": examination.cycles,
        "tiles": examination.tiles,
        "false_alarm_rate": FALSE_ALARMS,
        "power": POWER,
        "verdict": "differs" if failed else "passed",
        "statistics": [
            {
                "name": result.name,
                "title": result.title,
                "unit": result.unit,
                "observed": _rounded(result.observed),
                "expectation": _rounded(result.expectation),
                "standard_error": _rounded(result.standard_error),
                "p_value": _rounded(result.p_value),
                "corrected_p_value": _rounded(p_value),
                "effect": _rounded(result.effect),
                "effect_unit": result.effect_unit,
                "detectable_effect": _rounded(result.detectable),
                "finds": result.finds,
                "verdict": "differs" if result.name in failed else "passed",
            }
            for result, p_value in zip(examination.results, examination.corrected, strict=True)
        ],
    }


def verdict(examination: Examination) -> str:
    """The result in a few sentences: what differs, in which direction, and the next step."""
    count = len(examination.results)
    if not examination.failed:
        return (
            f"None of the {count} statistics differs from a perfect shuffle. A smaller deviation"
            " than the least detectable effect of each statistic can still exist."
        )
    found = "; ".join(
        f"{result.title.lower()} ({number(result.observed)} instead of"
        f" {number(result.expectation)}, {result.unit})"
        for result in examination.failed
    )
    verb = "differs" if len(examination.failed) == 1 else "differ"
    return (
        f"{len(examination.failed)} of {count} statistics {verb} from a perfect shuffle: {found}."
        f" A perfect shuffle shows any such difference in at most {FALSE_ALARMS:.0%} of all"
        " reports. Mix longer (`mix` in the table's file; times: docs/build/MIXING.md), or sort"
        " the tiles (`shuffle: sorted`) on a table that can; then examine it again."
    )


def number(value: float) -> str:
    """A figure in four significant digits."""
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.4g}"


def _rounded(value: float) -> float:
    return float(f"{value:.6g}") if isfinite(value) else value
