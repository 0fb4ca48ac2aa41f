"""What went wrong at a table: a fault of the catalogue, the part, and the evidence."""

from __future__ import annotations

from controller.faults.catalogue import CATALOGUE, Fault, FaultRow
from rules.errors import WallwrightError

__all__ = ["Fault", "TableFault"]


class TableFault(WallwrightError):
    """The table cannot go on by itself: the fault, the part, and what its sensors showed."""

    def __init__(self, fault: Fault, part: str, evidence: str) -> None:
        super().__init__(f"{part}: {fault.value} ({evidence}).")
        self.fault = fault
        self.part = part
        self.evidence = evidence
        self.final = False
        """Whether every recovery has been tried."""
        self.ordered = False
        """Whether a person ordered the stop; then this fault is reported before all others."""

    @property
    def row(self) -> FaultRow:
        """Its row of the catalogue."""
        return CATALOGUE[self.fault]

    @property
    def cure(self) -> str:
        """What to do about it, as a sentence."""
        return self.row.request(self.part)

    def facts(self) -> dict[str, object]:
        """The fault as plain JSON values."""
        return {"code": self.fault.name, "part": self.part, "evidence": self.evidence}
