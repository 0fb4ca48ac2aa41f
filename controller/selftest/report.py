"""Report of a self-test: JSON for programs, a page of Markdown for the folder."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from controller.selftest.trial import Result, TrialVerdict


@dataclass
class SelfTestReport:
    """One self-test of one table. `boards` are their serial numbers and builds by name."""

    table: str
    started: str
    simulated: bool
    boards: Mapping[str, str] = field(default_factory=dict)
    results: list[Result] = field(default_factory=list)
    ended: str = "it was interrupted"
    """How the self-test ended."""

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
        """The report as JSON values."""
        told = {
            "table": self.table,
            "started": self.started,
            "simulated": self.simulated,
            "boards": dict(self.boards),
            "ended": self.ended,
            "counts": self.counts,
            "trials": [result.facts() for result in self.results],
        }
        return json.dumps(told, indent=2) + "\n"

    def as_page(self) -> str:
        """The report as a page, failed trials first."""
        counted = ", ".join(f"{number} {what}" for what, number in self.counts.items())
        kind = "a simulated table" if self.simulated else "a real table"
        lines = [
            f"# Self-test of {self.table}",
            "",
            f"Begun {self.started}, on {kind}; {self.ended}. {counted[:1].upper()}{counted[1:]}.",
            "",
            *(f"- Board {name}: {what}" for name, what in self.boards.items()),
            *([""] if self.boards else []),
        ]
        if self.failed:
            lines += ["## What failed", "", *_rows(self.failed), ""]
        return "\n".join([*lines, "## Every trial", "", *_rows(self.results), ""])


def _rows(results: Iterable[Result]) -> list[str]:
    head = ["| part | what | ordered | sensors | person | verdict |", "|---|---|---|---|---|---|"]
    cells = (
        (r.part, r.what, r.ordered, r.seen or "-", r.answer or "-", r.verdict.value)
        for r in results
    )
    return [*head, *(f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in cells)]
