"""The exception for a fault of the table: its code, the part, and the evidence."""

from __future__ import annotations

from controller.run.faults.catalogue import CATALOGUE, Fault, FaultRow
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
