"""Fits the mixing model to the campaign: `python -m tools.drum_physics.fit` prints constants.

The spread is fitted by least squares to the segregation index of every run that is not held out;
the errors are from leaving out one design at a time (jackknife), because the indices of one run
depend on each other. `order_fit` fits the order of the picks.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import sqrt
from pathlib import Path
from typing import Any

from config.layout.mixing import FITTED, FittedMixing, PanMotion, mixing_state
from tools.drum_physics.designs import DESIGNS
from tools.drum_physics.order_fit import ORDER, fit_order
from tools.drum_physics.setting import WHOLE_SET, pan_of

CAMPAIGN = (
    Path(__file__).parent.parent.parent / "docs" / "build" / "campaigns" / "drum_physics.json"
)
BOUNDS = {
    "hold": (-0.2, 0.6),
    "hold_width": (0.01, 0.3),
    "settling": (0.0, 0.5),
    "settling_turns": (0.02, 5.0),
    "crowding": (-3.0, 8.0),
    "rate": (0.0, 0.1),
    "speed": (-1.0, 2.0),
    "ribs": (-1.0, 2.0),
    "fill": (-3.0, 8.0),
    "size": (-4.0, 6.0),
}
"""The constants that the segregation index decides, and the least and largest value of each."""
SPREAD = tuple(BOUNDS)
OUTSIDE = frozenset({"60 rpm"})
"""A design that the model does not describe: it is reported, and not fitted."""
HELD_OUT = frozenset(design.name for design in DESIGNS if design.held_out)


@dataclass(frozen=True)
class Curve:
    """The segregation index of one run of a design at some seconds of mixing."""

    design: str
    pan: PanMotion
    tiles: int
    seconds: tuple[float, ...]
    index: tuple[float, ...]

    @property
    def weight(self) -> float:
        """Weight of an index: the inverse of its standard deviation, in that of a whole set."""
        return sqrt(self.tiles / WHOLE_SET)

    def predicted(self, fitted: FittedMixing) -> list[float]:
        return [1 + mixing_state(self.pan, at, fitted).excess for at in self.seconds]


@dataclass(frozen=True)
class Validation:
    """A design: mean of the measured index over all its runs and seconds, and of the model's."""

    design: str
    runs: int
    measured: float
    measured_error: float
    """Standard error of the measured mean: the runs of a design differ."""
    predicted: float
    predicted_error: float
    """Standard error of the model: of its constants, and of its form."""

    @property
    def use(self) -> str:
        """`held out` or `outside`; empty for a design that is fitted."""
        return "held out" if self.design in HELD_OUT else "outside" * (self.design in OUTSIDE)

    @property
    def deviation(self) -> float:
        """The difference in standard errors."""
        return (self.measured - self.predicted) / sqrt(
            self.measured_error**2 + self.predicted_error**2
        )


def read_runs(file: Path = CAMPAIGN) -> list[Any]:
    """The runs of a stored campaign."""
    runs: list[Any] = json.loads(file.read_text("utf-8"))["runs"]
    return runs


def curves(runs: Iterable[Any]) -> list[Curve]:
    """The segregation index of each run, at each whole second."""
    return [
        Curve(
            run["design"],
            pan_of(run["setting"]),
            run["setting"]["tiles"],
            tuple(float(at + 1) for at in range(len(run["segregation"]))),
            tuple(run["segregation"]),
        )
        for run in runs
    ]


def fit_spread(measured: Sequence[Curve]) -> FittedMixing:
    """The constants of the spread with the least squares of the index."""
    from scipy.optimize import least_squares

    def residuals(values: Sequence[float]) -> list[float]:
        trial = _with(values)
        return [
            (index - expected) * curve.weight / sqrt(len(curve.index))
            for curve in measured
            for index, expected in zip(curve.index, curve.predicted(trial), strict=True)
        ]

    first = [getattr(FITTED, name) for name in SPREAD]
    found = least_squares(residuals, first, bounds=tuple(zip(*BOUNDS.values(), strict=True)))
    return _with(found.x)


def _with(values: Sequence[float]) -> FittedMixing:
    return replace(FITTED, **{n: float(v) for n, v in zip(SPREAD, values, strict=True)})


def jackknife(measured: Sequence[Curve]) -> list[FittedMixing]:
    """The fits without one design each."""
    names = sorted({curve.design for curve in measured})
    return [fit_spread([c for c in measured if c.design != name]) for name in names]


def jackknife_error(values: Sequence[float]) -> float:
    """The standard error of a value from its jackknife values."""
    middle = sum(values) / len(values)
    squares = sum((value - middle) ** 2 for value in values)
    return float(((len(values) - 1) / len(values) * squares) ** 0.5)


def run_noise(measured: Sequence[Curve]) -> float:
    """Standard deviation of the mean index of the runs of one design, for a whole set."""
    squares, freedom = 0.0, 0
    for own in _by_design(measured).values():
        means = [_mean(curve.index) for curve in own]
        middle = _mean(means)
        squares += sum((each - middle) ** 2 * own[0].weight ** 2 for each in means)
        freedom += len(own) - 1
    return sqrt(squares / freedom)


def form_error(measured: Sequence[Curve], fitted: FittedMixing, noise: float) -> float:
    """Standard deviation of the model's mean index from the drums', beyond that of the runs."""
    drums = _by_design(measured)
    squares = sum(_off(own, fitted) ** 2 - _noise_of(own, noise) ** 2 for own in drums.values())
    return sqrt(max(0.0, squares / (len(drums) - len(SPREAD))))


def validate(
    measured: Sequence[Curve],
    fitted: FittedMixing,
    without: Sequence[FittedMixing],
    noise: float,
    form: float,
) -> list[Validation]:
    """Each design's mean index against the model."""
    rows = []
    for name, own in _by_design(measured).items():
        predicted = _mean(own[0].predicted(fitted))
        constants = jackknife_error([_mean(own[0].predicted(other)) for other in without])
        rows.append(
            Validation(
                name,
                len(own),
                predicted + _off(own, fitted),
                _noise_of(own, noise),
                predicted,
                sqrt(constants**2 + form**2),
            )
        )
    return rows


def _by_design(measured: Sequence[Curve]) -> dict[str, list[Curve]]:
    found: dict[str, list[Curve]] = {}
    for curve in measured:
        found.setdefault(curve.design, []).append(curve)
    return found


def _off(own: Sequence[Curve], fitted: FittedMixing) -> float:
    return _mean([_mean(curve.index) for curve in own]) - _mean(own[0].predicted(fitted))


def _noise_of(own: Sequence[Curve], noise: float) -> float:
    return noise / own[0].weight / sqrt(len(own))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


@dataclass(frozen=True)
class Fitted:
    """The result of the fit: constants, their errors, and the check of each drum."""

    constants: FittedMixing
    errors: Mapping[str, float]
    noise: float
    """Standard deviation of the mean index between the runs of one drum with a whole set."""
    form: float
    """Standard deviation of the mean index between a drum and the model."""
    rows: tuple[Validation, ...]
    runs: int


def fitted_campaign(file: Path = CAMPAIGN) -> Fitted:
    """Fit the model to the stored runs."""
    runs = read_runs(file)
    measured = curves(runs)
    used = [each for each in measured if each.design not in HELD_OUT | OUTSIDE]
    spread, without = fit_spread(used), jackknife(used)
    noise = run_noise(measured)
    form = form_error(used, spread, noise)
    constants, without_run = fit_order(runs, spread)
    errors = {name: jackknife_error([getattr(fit, name) for fit in without]) for name in SPREAD}
    errors |= {name: jackknife_error([getattr(fit, name) for fit in without_run]) for name in ORDER}
    rows = tuple(validate(measured, spread, without, noise, form))
    return Fitted(constants, errors, noise, form, rows, len(runs))


def main() -> int:
    """Print the constants with their errors, and the check of every design."""
    found = fitted_campaign(Path(sys.argv[1]) if len(sys.argv) > 1 else CAMPAIGN)
    for each in fields(FittedMixing):
        value = getattr(found.constants, each.name)
        print(f"{each.name:16} {value:8.4f} +- {found.errors[each.name]:.4f}")
    print(f"standard deviation between the runs of a drum: {found.noise:.3f}")
    print(f"standard deviation between drum and model: {found.form:.3f}")
    for row in found.rows:
        print(
            f"{row.design:24} {row.runs} {row.measured:.2f} +- {row.measured_error:.2f}"
            f" {row.predicted:.2f} +- {row.predicted_error:.2f} {row.deviation:+.1f} {row.use}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
