"""Records what each test costs: processor time, and time in which it waits.

`make test` ends with the tests that cost most. `build/test_times.csv` has a line for each test of
the last run.
"""

from __future__ import annotations

import csv
import os
from collections import defaultdict
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import pytest

HOUSE = Path(__file__).parents[1]
RECORD = HOUSE / "build" / "test_times.csv"
SHOWN = 20
"""Tests at the end of the output."""


class Cost(NamedTuple):
    """What a test, or a whole process, has taken, in seconds."""

    own: float = 0.0
    """Processor time of the process of the tests."""
    children: float = 0.0
    """Processor time of the programs that it started, and whose end it has seen."""
    elapsed: float = 0.0

    @property
    def processor(self) -> float:
        """Processor time of the test and of its programs."""
        return self.own + self.children

    @property
    def waiting(self) -> float:
        """Time in which the process of the tests waited: for its programs, or for a processor."""
        return max(0.0, self.elapsed - self.own)

    def plus(self, other: Cost) -> Cost:
        """The sum of both."""
        return Cost(*(mine + more for mine, more in zip(self, other, strict=True)))

    def minus(self, other: Cost) -> Cost:
        """What was taken since `other`."""
        return Cost(*(mine - less for mine, less in zip(self, other, strict=True)))


def taken() -> Cost:
    """What this process has taken so far."""
    times = os.times()
    return Cost(
        times.user + times.system, times.children_user + times.children_system, perf_counter()
    )


class TimeRecord:
    """A plug-in of pytest that measures in the processes of the tests and adds up in the first one.

    A program that a fixture of a whole file or process starts is counted to the test after which
    it ends.
    """

    def __init__(self) -> None:
        self.tests: dict[str, Cost] = defaultdict(Cost)
        self.collections: list[Cost] = []
        self._last = taken()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Record what the search for the tests has taken."""
        self._last = taken()
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output["collection"] = list(self._last[:2])
        else:
            self.collections.append(self._last)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self) -> None:
        """Begin to measure a test."""
        self._last = taken()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Any:
        """Add to the report of a phase what it has taken."""
        report = yield
        now = taken()
        report.cost = list(now.minus(self._last))
        self._last = now
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add a phase of a test to what was taken so far."""
        cost = Cost(*getattr(report, "cost", ()))
        self.tests[report.nodeid] = self.tests[report.nodeid].plus(cost)

    def pytest_testnodedown(self, node: Any) -> None:
        """Add a process of the tests that has ended."""
        own, children = getattr(node, "workeroutput", {}).get("collection", (0.0, 0.0))
        self.collections.append(Cost(own, children))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Write the record, and show the tests that took most."""
        if len(self.tests) <= 1:
            return
        order = sorted(self.tests.items(), key=lambda test: -test[1].processor)
        RECORD.parent.mkdir(exist_ok=True)
        with RECORD.open("w", encoding="utf-8", newline="") as file:
            lines = csv.writer(file)
            lines.writerow(["test", "own_s", "children_s", "elapsed_s"])
            lines.writerows([name, *(f"{value:.2f}" for value in cost)] for name, cost in order)
        tests = sum(cost.processor for cost in self.tests.values())
        found = sum(cost.processor for cost in self.collections)
        write = terminalreporter.write_line
        terminalreporter.section(f"the {SHOWN} tests that took most processor time")
        for name, cost in order[:SHOWN]:
            write(f"{cost.processor:6.1f} s, and waited {cost.waiting:5.1f} s: {name}")
        write(
            f"{tests:.0f} s of processor time in {len(self.tests)} tests, and {found:.0f} s for "
            f"finding them. {RECORD.relative_to(HOUSE)} has a line for each test."
        )
