"""The report of a self-test, as JSON for programs and as a page of Markdown for people."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from controller.upkeep.selftest.trial import Result, TrialVerdict


@dataclass
class SelfTestReport:
    """One self-test of one table. `boards` has serial number and build of each board, by name."""

    table: str
    started: str
    simulated: bool
    boards: Mapping[str, str] = field(default_factory=dict)
    results: list[Result] = field(default_factory=list)
    ended: str = "interrupted"
    """How the self-test ended: "interrupted" or "completed"."""

    @property
    def counts(self) -> dict[str, int]:
        """Number of trials by verdict."""
        counted = Counter(result.verdict for result in self.results)
        return {verdict.value: counted[verdict] for verdict in TrialVerdict}

    @property
    def failed(self) -> Sequence[Result]:
        """The trials that failed."""
        return [result for result in self.results if result.verdict is TrialVerdict.FAILED]

    def as_json(self) -> str:
        """The report as JSON text."""
        values = {
            "table": self.table,
            "started": self.started,
            "simulated": self.simulated,
            "boards": dict(self.boards),
            "ended": self.ended,
            "counts": self.counts,
            "trials": [result.facts() for result in self.results],
        }
        return json.dumps(values, indent=2) + "\n"

    def as_page(self) -> str:
        """The report as a page of Markdown, failed trials first."""
        counted = ", ".join(f"{number} {verdict}" for verdict, number in self.counts.items())
        kind = "a simulated table" if self.simulated else "a real table"
        lines = [
            f"# Self-test of {self.table}",
            "",
            f"Begun {self.started}, on {kind}; {self.ended}. {counted[:1].upper()}{counted[1:]}.",
            "",
            *(f"- Board {name}: {identity}" for name, identity in self.boards.items()),
            *([""] if self.boards else []),
        ]
        if self.failed:
            lines += ["## Failed trials", "", *_rows(self.failed), ""]
        return "\n".join([*lines, "## All trials", "", *_rows(self.results), ""])


def _rows(results: Iterable[Result]) -> list[str]:
    """The lines of a table of trials."""
    head = ["| part | what | ordered | sensors | person | verdict |", "|---|---|---|---|---|---|"]
    cells = (
        (r.part, r.what, r.ordered, r.seen or "-", r.answer or "-", r.verdict.value)
        for r in results
    )
    return [*head, *(f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in cells)]
