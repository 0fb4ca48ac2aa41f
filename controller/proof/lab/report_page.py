"""The report as one HTML file that needs no other file and no network.

Its plots are PNG images in text form (base64).
"""

from __future__ import annotations

import base64
from html import escape
from io import BytesIO

import numpy as np
from matplotlib.figure import Figure

from controller.proof.lab.examination import Examination, number, verdict
from controller.proof.lab.guessing import guessing_mean, scores_by_rule
from controller.proof.lab.position import PARTS, counts_by_groups, in_parts
from controller.proof.lab.statistic import FALSE_ALARMS, POWER, Orders

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


STYLE = (
    "body{font:16px/1.5 sans-serif;max-width:62em;margin:2em auto;padding:0 1em;color:#222}"
    "table{border-collapse:collapse;width:100%}th,td{padding:.35em .6em;text-align:left;"
    "border-bottom:1px solid #ccc;vertical-align:top}td.n{text-align:right;white-space:nowrap}"
    ".differs{color:#c1440e;font-weight:bold}img{max-width:100%}"
)


def page(examination: Examination, orders: Orders, source: str) -> str:
    """The whole page. `source` names the examined cycles in words."""
    corrected = dict(zip(examination.results, examination.corrected, strict=True))
    rows = []
    for result in examination.results:
        bad = result in examination.failed
        rows.append(
            "<tr>"
            f"<td><b>{escape(result.title)}</b><br>Finds {escape(result.finds)}.</td>"
            f'<td class="n">{number(result.observed)}</td>'
            f'<td class="n">{number(result.expectation)} ± {number(result.standard_error)}</td>'
            f"<td>{escape(result.unit)}</td>"
            f'<td class="n">{number(corrected[result])}</td>'
            f"<td>{number(result.detectable)} {escape(result.effect_unit)}</td>"
            f'<td class="{"differs" if bad else "passed"}">{"differs" if bad else "passed"}</td>'
            "</tr>"
        )
    pictures = (
        (
            "How far each statistic is from a perfect shuffle",
            "Blue bars are chance. A red bar is a difference that chance does not explain.",
            deviations(examination),
        ),
        (
            "Where tiles come out, by the turn in which they went in",
            (
                "After a perfect shuffle all squares are pale. A dark red square means that tiles"
                " of this part of the drop order come to this part of the walls too often."
            ),
            regions(orders),
        ),
        (
            "How many tiles a player could guess who saw them go in",
            (
                "The player guesses each tile before it is turned up and sees it afterwards. More"
                " right guesses than expected mean that the old order helps a player."
            ),
            guesses(orders),
        ),
    )
    shown = "".join(
        f'<h2>{escape(title)}</h2><p>{escape(text)}</p><img alt="{escape(title)}"'
        f' src="data:image/png;base64,{image}">'
        for title, text, image in pictures
    )
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        f"<title>Shuffle report</title><style>{STYLE}</style>"
        f"<h1>Shuffle report</h1><p>{escape(source)}</p>"
        f"<p><b>{escape(verdict(examination))}</b></p>"
        "<h2>The statistics</h2>"
        "<table><tr><th>statistic</th><th>observed</th><th>expected ± standard error</th>"
        "<th>unit</th><th>p value</th><th>least detectable effect</th><th>result</th></tr>"
        f"{''.join(rows)}</table>"
        "<p><b>Expected</b> is the exact value for a perfect shuffle; chance moves the observed"
        " value by about one standard error. The <b>p value</b> is the probability that a perfect"
        " shuffle deviates at least as far; it is corrected for the number of statistics (Holm)."
        f" The result is <b>differs</b> at {FALSE_ALARMS} or below, so a perfect table is called"
        f" different in at most {FALSE_ALARMS:.0%} of all reports. The <b>least detectable"
        " effect</b> is"
        f" the deviation that this number of cycles finds with a probability of {POWER:.0%}; for a"
        " deviation of half the size, four times as many cycles are needed.</p>"
        f"{shown}</html>\n"
    )
