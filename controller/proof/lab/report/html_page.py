"""The report as one HTML file that needs no other file and no network."""

from __future__ import annotations

from html import escape

from controller.proof.lab.examination import Examination
from controller.proof.lab.models.samplers import Orders
from controller.proof.lab.report import plots
from controller.proof.lab.report.figures import number, verdict
from controller.proof.lab.statistics.result import FALSE_ALARMS, POWER

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
            plots.deviations(examination),
        ),
        (
            "Where tiles come out, by the turn in which they went in",
            (
                "After a perfect shuffle all squares are pale. A dark red square means that tiles"
                " of this part of the drop order come to this part of the walls too often."
            ),
            plots.regions(orders),
        ),
        (
            "How many tiles a player could guess who saw them go in",
            (
                "The player guesses each tile before it is turned up and sees it afterwards. More"
                " right guesses than expected mean that the old order helps a player."
            ),
            plots.guesses(orders),
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
