"""Checks and their findings: what was seen, the rule, and the next step.

A `DoctorCheck` examines the facts of a computer, and reports what it observed by the name of an
outcome. Each outcome other than `ok` and `unknown` has a severity and a next step in the check's
table, so that the documentation lists the same next steps as the program prints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from controller.upkeep.doctor.facts import Facts


class FindingSeverity(StrEnum):
    """How much a finding matters: `problem` needs a person, `note` is worth reading."""

    OK = "ok"
    NOTE = "note"
    PROBLEM = "problem"


@dataclass(frozen=True)
class Observed:
    """What a check observed: the name of the outcome, a sentence with the value.

    `values` are put into the placeholders of the outcome's next step.
    """

    outcome: str
    what: str
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class CheckOutcome:
    """A result of a check that a person reads: when it is reported, and the next step."""

    severity: FindingSeverity
    when: str
    next_step: str


@dataclass(frozen=True)
class DoctorFinding:
    """One result of a check, as it is printed.

    `outcome` is `ok`, `unknown` (the fact is not known on this computer), or the name of an outcome
    of the check. `next_step` is empty for these two.
    """

    check: str
    group: str
    outcome: str
    severity: FindingSeverity
    what: str
    rule: str
    next_step: str = ""


Examine = Callable[["Facts"], Iterator[Observed]]


@dataclass(frozen=True)
class DoctorCheck:
    """A check: its name, the rule that it checks, its outcomes by name, and its function."""

    name: str
    group: str
    rule: str
    examine: Examine
    outcomes: Mapping[str, CheckOutcome]

    def findings(self, facts: Facts) -> tuple[DoctorFinding, ...]:
        """The findings for these facts, in the order in which the function reports them."""
        return tuple(self._finding(observed) for observed in self.examine(facts))

    def _finding(self, observed: Observed) -> DoctorFinding:
        severity, next_step = FindingSeverity.OK, ""
        if observed.outcome not in (OK, UNKNOWN):
            outcome = self.outcomes[observed.outcome]
            severity, next_step = outcome.severity, outcome.next_step.format_map(observed.values)
        return DoctorFinding(
            self.name, self.group, observed.outcome, severity, observed.what, self.rule, next_step
        )


OK, UNKNOWN = "ok", "unknown"
"""The outcomes that every check can have: the rule holds; the fact is not known here."""


def ok(what: str) -> Observed:
    """The rule holds."""
    return Observed(OK, what)


def unknown(what: str) -> Observed:
    """The fact is not known on this computer."""
    return Observed(UNKNOWN, f"{what}: not known here.")


def seen(outcome: str, what: str, **values: str) -> Observed:
    """An outcome of the check's table, with the values of its next step."""
    return Observed(outcome, what, values)


def problem(when: str, next_step: str) -> CheckOutcome:
    """An outcome that a person should resolve."""
    return CheckOutcome(FindingSeverity.PROBLEM, when, next_step)


def note(when: str, next_step: str) -> CheckOutcome:
    """An outcome that is worth reading."""
    return CheckOutcome(FindingSeverity.NOTE, when, next_step)
