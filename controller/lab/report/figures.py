"""The figures of an examination as plain values, for JSON and for the tables of the report."""

from __future__ import annotations

from math import isfinite
from typing import Any

from controller.lab.examination import Examination
from controller.lab.statistics.result import FALSE_ALARMS, POWER

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
    """The result in one or two sentences."""
    count = len(examination.results)
    if not examination.failed:
        return (
            f"None of the {count} statistics differs from a perfect shuffle. A smaller deviation"
            " than the least detectable effect of each statistic can still exist."
        )
    names = "; ".join(result.title.lower() for result in examination.failed)
    return (
        f"{len(examination.failed)} of {count} statistics differ from a perfect shuffle: {names}."
        f" A perfect shuffle shows any such difference in {FALSE_ALARMS:.0%} of all laboratories."
    )


def number(value: float) -> str:
    """A figure in four significant digits."""
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.4g}"


def _rounded(value: float) -> float:
    return float(f"{value:.6g}") if isfinite(value) else value
