"""The suite's report: one HTML page with every measurement and its limits, without dependencies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from statistics import fmean, stdev
from types import MappingProxyType

WIDTH, BAR = 420, 14
_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; color: #222; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0 2rem; }
td, th { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #ddd; }
.passed { color: #176d3b; } .failed, .error { color: #b3261e; font-weight: 600; }
.skipped { color: #8a6100; } pre { white-space: pre-wrap; color: #b3261e; margin: 0; }
"""


@dataclass(frozen=True)
class Measurement:
    """A number with its unit, and its limits, if it has any."""

    name: str
    value: float
    unit: str
    most: float | None = None
    least: float | None = None
    mean: float | None = None
    """The mean, if it was measured several times; `value` is then the worst."""
    times: int = 1
    """How often it was measured."""
    spread: float = 0.0
    """The standard deviation of one measurement."""
    resolution: float = 0.0
    """The smallest value that the measurement can show: a smaller one is reported as below it."""
    not_judged: str = ""
    """Why its limits do not count; empty if they do."""

    @property
    def uncertainty(self) -> str:
        """Mean, spread and resolution as text; empty for a single exact number."""
        parts = []
        if self.mean is not None:
            parts.append(f"worst of {self.times}, mean {self.mean:,.6g}")
            parts.append(f"standard deviation {self.spread:.3g}")
        if self.resolution:
            parts.append(f"resolution {self.resolution:g} {self.unit}")
        return ", ".join(parts)

    @property
    def shown(self) -> str:
        """The value with its unit, or that it is below the resolution, which it cannot prove."""
        if abs(self.value) < self.resolution:
            return f"below the resolution of {self.resolution:g} {self.unit}"
        return f"{self.value:,.6g} {self.unit}"

    @property
    def is_within_limits(self) -> bool:
        """Whether the value is within its limits, or is not judged."""
        is_most = self.most is None or self.value <= self.most
        is_least = self.least is None or self.value >= self.least
        return bool(self.not_judged) or (is_most and is_least)

    @property
    def limits(self) -> str:
        """The limits as text, for example `at least 1 ms, at most 20 ms`, and why not judged."""
        limits = [
            f"{sign} {limit:g} {self.unit}"
            for sign, limit in (("at least", self.least), ("at most", self.most))
            if limit is not None
        ]
        text = ", ".join(limits) or "none"
        return f"{text} (not judged: {self.not_judged})" if self.not_judged else text


@dataclass(frozen=True)
class Result:
    """The outcome and the measurements of one test."""

    test: str
    outcome: str
    reason: str
    measurements: tuple[Measurement, ...]


def repeated(
    name: str,
    values: Sequence[float],
    unit: str,
    most: float | None = None,
    least: float | None = None,
    resolution: float = 0.0,
) -> Measurement:
    """The worst of several measurements against its limits, with mean and standard deviation.

    The worst is the largest value, or the smallest if there is only a lower limit. Raises
    ValueError without a value.
    """
    if not values:
        raise ValueError(f"{name} was not measured; give at least one value.")
    worst = min(values) if most is None and least is not None else max(values)
    if len(values) == 1:
        return Measurement(name, worst, unit, most, least, resolution=resolution)
    spread = stdev(values)
    return Measurement(
        name, worst, unit, most, least, fmean(values), len(values), spread, resolution
    )


def page(
    results: list[Result], lacking: list[str], about: Mapping[str, str] = MappingProxyType({})
) -> str:
    """Return the whole report as HTML. `about`: date, host and boards.

    `lacking`: the tests that were left out, each with the reason.
    """
    counts = {name: sum(r.outcome == name for r in results) for name in _outcomes(results)}
    summary = ", ".join(f"{number} {name}" for name, number in counts.items()) or "no test"
    rows = [_row(result) for result in results]
    facts = "".join(
        f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for name, text in about.items()
    )
    left_out = "".join(f"<li>{escape(reason)}</li>" for reason in lacking)
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        f"<title>Hardware in the loop</title><style>{_STYLE}</style>"
        f"<h1>Hardware in the loop</h1><p>{escape(summary)}.</p>"
        + (f"<table>{facts}</table>" if facts else "")
        + f"<h2>Measurements</h2>{_measurements(results)}"
        f"<h2>Tests</h2><table>{''.join(rows)}</table>"
        + (f"<h2>Left out</h2><ul>{left_out}</ul>" if lacking else "")
        + "</html>\n"
    )


def plot(measurement: Measurement) -> str:
    """Return an SVG plot: a bar from zero to the value, and a line at each limit."""
    marks = [m for m in (measurement.least, measurement.most) if m is not None]
    drawn = max(abs(measurement.value), measurement.resolution)
    whole = max([drawn, *map(abs, marks), 1e-12]) * 1.15
    length = drawn / whole * WIDTH
    colour = "#3a7d5c" if measurement.is_within_limits else "#b3261e"
    lines = "".join(
        f'<line x1="{abs(mark) / whole * WIDTH:.1f}" x2="{abs(mark) / whole * WIDTH:.1f}"'
        f' y1="0" y2="{BAR}" stroke="#222" stroke-width="2"/>'
        for mark in marks
    )
    return (
        f'<svg width="{WIDTH}" height="{BAR}" role="img" aria-label="{escape(measurement.shown)}">'
        f'<rect width="{WIDTH}" height="{BAR}" fill="#f1f1ee"/>'
        f'<rect width="{length:.1f}" y="3" height="{BAR - 6}" fill="{colour}"/>{lines}</svg>'
    )


def _outcomes(results: list[Result]) -> list[str]:
    return list(dict.fromkeys(result.outcome for result in results))


def _measurements(results: list[Result]) -> str:
    rows = [
        f"<tr><td>{escape(m.name)}<br><small>{escape(result.test)}</small></td>"
        f'<td class="{"passed" if m.is_within_limits else "failed"}">'
        f"{escape(m.shown)}<br><small>{escape(m.uncertainty)}</small></td>"
        f"<td>{escape(m.limits)}</td><td>{plot(m)}</td></tr>"
        for result in results
        for m in result.measurements
    ]
    head = "<tr><th>measurement</th><th>value</th><th>limit</th><th></th></tr>"
    return f"<table>{head}{''.join(rows)}</table>"


def _row(result: Result) -> str:
    reason = f"<pre>{escape(result.reason)}</pre>" if result.reason else ""
    return (
        f'<tr><td>{escape(result.test)}{reason}</td><td class="{result.outcome}">'
        f"{result.outcome}</td></tr>"
    )
