"""The report of a doctor: the findings as JSON, and as text for people."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from controller.upkeep.doctor.checks import CHECKS
from controller.upkeep.doctor.facts import Facts
from controller.upkeep.doctor.facts.records import journal_json
from controller.upkeep.doctor.finding import UNKNOWN, DoctorFinding, FindingSeverity

REPORT_VERSION = 1
"""Version of the JSON report; raised when a key is renamed, removed or changes its meaning."""
_INDENT = "  "


def findings_of(facts: Facts) -> tuple[DoctorFinding, ...]:
    """The findings of all checks, in their order."""
    return tuple(found for check in CHECKS for found in check.findings(facts))


def as_json(facts: Facts, findings: Iterable[DoctorFinding]) -> dict[str, Any]:
    """The report as JSON values: docs/operate/DOCTOR.md describes them."""
    listed = [asdict(found) for found in findings]
    return {
        "report_version": REPORT_VERSION,
        "program": facts.program.version,
        "python": facts.program.python,
        "identity": facts.program.identity,
        "problems": sum(each["severity"] == FindingSeverity.PROBLEM for each in listed),
        "findings": listed,
        "journal": None if facts.journal is None else journal_json(facts.journal),
    }


def as_lines(findings: Iterable[DoctorFinding], width: int, *, full: bool) -> Iterator[str]:
    """The report for people: problems, notes, then what is in order, each at most `width` wide.

    Without `full`, what is in order is one line a group, and what is not known here is counted.
    """
    listed = list(findings)
    problems = [found for found in listed if found.severity is FindingSeverity.PROBLEM]
    notes = [found for found in listed if found.severity is FindingSeverity.NOTE]
    rest = [found for found in listed if found.severity is FindingSeverity.OK]
    for title, group in (("PROBLEMS", problems), ("NOTES", notes)):
        if group:
            yield title
            for found in group:
                yield from _block(found, width)
            yield ""
    known = [found for found in rest if found.outcome != UNKNOWN]
    yield "IN ORDER"
    for name in dict.fromkeys(found.group for found in known):
        those = [found for found in known if found.group == name]
        if full:
            yield f"{_INDENT}{name}"
            for found in those:
                yield from _wrapped(found.what, width, 4)
        else:
            checks = ", ".join(dict.fromkeys(found.check.replace("_", " ") for found in those))
            yield from _wrapped(f"{name}: {checks}", width, 2)
    unknown = [found for found in rest if found.outcome == UNKNOWN]
    if unknown and full:
        yield "NOT KNOWN HERE"
        for found in unknown:
            yield from _wrapped(found.what.removesuffix(": not known here.") + ".", width, 2)
    yield ""
    counts = (
        _count(len(problems), "problem"),
        _count(len(notes), "note"),
        f"{len(known)} in order",
        f"{len(unknown)} not known here",
    )
    yield from _wrapped(
        ", ".join(counts) + ("" if full else "; --all prints everything."), width, 0
    )


def _block(found: DoctorFinding, width: int) -> Iterator[str]:
    yield from _wrapped(f"{found.check.replace('_', ' ')}: {found.what}", width, 2)
    yield from _wrapped(f"> {found.next_step}", width, 4)


def _wrapped(text: str, width: int, indent: int) -> Iterator[str]:
    yield from textwrap.wrap(
        text,
        max(width, 40),
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + 2),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _count(number: int, noun: str) -> str:
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"
