"""The plots of the report, each as a PNG image in text form (base64)."""

from __future__ import annotations

import base64
from io import BytesIO

import numpy as np
from matplotlib.figure import Figure

from controller.proof.lab.examination import Examination
from controller.proof.lab.models.samplers import Orders
from controller.proof.lab.models.uniform import guessing_mean
from controller.proof.lab.statistics.guessing import scores_by_rule
from controller.proof.lab.statistics.position import PARTS, counts_by_groups, in_parts

GOOD, BAD = "#2a6f97", "#c1440e"


def deviations(examination: Examination) -> str:
    """The deviation of each statistic in standard errors."""
    results = examination.results
    failed = {result.name for result in examination.failed}
    figure = Figure(figsize=(8, 0.4 * len(results) + 1.2), layout="constrained")
    axes = figure.add_subplot()
    axes.barh(
        [result.title for result in results],
        [float(np.clip(result.deviation, -12, 12)) for result in results],
        color=[BAD if result.name in failed else GOOD for result in results],
    )
    axes.invert_yaxis()
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_xlim(-12.5, 12.5)
    axes.set_xlabel("deviation in standard errors (longer bars are cut off at 12)")
    return _image(figure)


def regions(orders: Orders) -> str:
    """The chance of each eighth of the drop order to come to each eighth of the places."""
    eighths = in_parts(orders.shape[1], PARTS)
    counts = counts_by_groups(orders, eighths, eighths)
    sizes = np.bincount(eighths)
    expected = len(orders) * np.outer(sizes, sizes) / orders.shape[1]
    figure = Figure(figsize=(5.4, 4.4), layout="constrained")
    axes = figure.add_subplot()
    excess = 100 * (counts / expected - 1)
    limit = max(5.0, float(np.abs(excess).max()))
    image = axes.imshow(excess, cmap="RdBu_r", vmin=-limit, vmax=limit)
    axes.set_xlabel("eighth of the places")
    axes.set_ylabel("eighth of the drop order")
    axes.set_xticks(range(len(sizes)), [str(n + 1) for n in range(len(sizes))])
    axes.set_yticks(range(len(sizes)), [str(n + 1) for n in range(len(sizes))])
    figure.colorbar(image, label="tiles more (+) or fewer (-) than expected, percent")
    return _image(figure)


def guesses(orders: Orders) -> str:
    """How often each guessing score came, and its mean after a perfect shuffle."""
    scores = scores_by_rule(orders)
    figure = Figure(figsize=(6, 3.4), layout="constrained")
    axes = figure.add_subplot()
    counts = np.bincount(scores)
    axes.bar(range(len(counts)), counts, color=GOOD)
    mean = float(guessing_mean(orders.shape[1]))
    axes.axvline(mean, color="black", label=f"expected mean {mean:.2f}")
    axes.axvline(
        float(np.mean(scores)),
        color=BAD,
        linestyle="--",
        label=f"observed mean {np.mean(scores):.2f}",
    )
    axes.set_xlabel("right guesses in a cycle")
    axes.set_ylabel("cycles")
    axes.legend()
    return _image(figure)


def _image(figure: Figure) -> str:
    out = BytesIO()
    # Without the version of the library, equal cycles give equal bytes.
    figure.savefig(out, format="png", dpi=110, metadata={"Software": None})
    return base64.b64encode(out.getvalue()).decode("ascii")
