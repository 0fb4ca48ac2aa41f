"""The report of an examination as plain values, for JSON and for the tables of the HTML file."""

from __future__ import annotations

from math import isfinite
from typing import Any

from controller.proof.lab.examination import Examination
from controller.proof.lab.statistics.result import FALSE_ALARMS, POWER

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
