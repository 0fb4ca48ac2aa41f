"""The exception for a fault of the table, and the sorting of exceptions that ended a run.

A fault has its code, the part and the evidence. Several tasks can fail at the same moment; their
exceptions arrive as one group. A fault is recorded and reported. An error of the program in the
same group is raised with it; the fault never hides it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from controller.run.faults.catalogue import CATALOGUE, Fault, FaultRow
from controller.run.journal import JournalError, JournalLockedError
from controller.run.journal.replay import ReplayError
from firmware_bridge.wire.errors import (
    BoardError,
    BoardProtocolError,
    BoardSilentError,
    StrangeBoardError,
)
from rules.errors import WallwrightError

__all__ = ["Fault", "TableFault"]


class TableFault(WallwrightError):
    """A fault that needs a retry, a person or a stop; `evidence` is what the sensors showed."""

    def __init__(self, fault: Fault, part: str, evidence: str) -> None:
        super().__init__(f"{part}: {fault.value} ({evidence}).")
        self.fault = fault
        self.part = part
        self.evidence = evidence
        self.final = False
        """Whether every recovery has been tried; then no enclosing work retries it."""
        self.ordered = False
        """Whether a person stopped the table over it; then it is reported before other faults."""

    @property
    def row(self) -> FaultRow:
        """The row of the fault in the catalogue."""
        return CATALOGUE[self.fault]

    @property
    def cure(self) -> str:
        """The request to a person, as a sentence."""
        return self.row.request(self.part)

    def facts(self) -> dict[str, object]:
        """The fault as plain JSON values."""
        return {"code": self.fault.name, "part": self.part, "evidence": self.evidence}


_BOARD_FAULTS: tuple[tuple[type[BoardError], Fault], ...] = (
    (BoardSilentError, Fault.SILENT),
    (BoardProtocolError, Fault.PROTOCOL),
    (StrangeBoardError, Fault.STRANGER),
)
"""The faults of a board's errors and their subclasses; any other is REFUSED."""


@dataclass(frozen=True)
class Failures:
    """Faults of the table, in the order in which they are reported, and errors of the program."""

    faults: tuple[TableFault, ...]
    errors: tuple[BaseException, ...]


def sort_failures(failed: BaseException) -> Failures:
    """The faults and errors in an exception or a group; duplicate faults of a part are dropped.

    A fault by which a person stopped the table comes first.
    """
    faults: dict[tuple[Fault, str], TableFault] = {}
    errors: list[BaseException] = []
    for error in _leaves(failed):
        fault = _fault_of(error)
        if fault is None:
            errors.append(error)
        else:
            faults.setdefault((fault.fault, fault.part), fault)
    ordered = sorted(faults.values(), key=lambda fault: not fault.ordered)
    return Failures(tuple(ordered), tuple(errors))


def _leaves(failed: BaseException) -> Iterator[BaseException]:
    """The exceptions in a group and its nested groups, or the single exception."""
    if isinstance(failed, BaseExceptionGroup):
        for error in failed.exceptions:
            yield from _leaves(error)
    else:
        yield failed


def _fault_of(error: BaseException) -> TableFault | None:
    """The fault of the table that an exception reports; None for an error of the program."""
    match error:
        case TableFault():
            return error
        case ReplayError():
            # The journal is intact, but it does not show where the tiles of this run are.
            return TableFault(Fault.UNPROVEN, "journal", str(error).rstrip("."))
        case JournalError():
            fault = Fault.JOURNAL_LOCKED if isinstance(error, JournalLockedError) else Fault.JOURNAL
            return TableFault(fault, "journal", str(error).rstrip("."))
        case BoardError():
            named = (fault for kind, fault in _BOARD_FAULTS if isinstance(error, kind))
            return TableFault(next(named, Fault.REFUSED), "board", str(error).rstrip("."))
    return None
