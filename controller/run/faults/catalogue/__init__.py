"""The fault catalogue: one row for every fault of a table, of its boards or in people's work.

`docs/operate/FAULTS.md`, `wallwright explain` and the prompts to people are generated from it.
"""

from __future__ import annotations

from collections.abc import Mapping

from controller.run.faults.catalogue import below, on_top, whole
from controller.run.faults.catalogue.row import DONE, STOP, Fault, FaultRow, Who
from firmware_bridge.board import FaultCode

__all__ = ["CATALOGUE", "DONE", "STOP", "Fault", "FaultRow", "Who", "latched"]

CATALOGUE: Mapping[Fault, FaultRow] = {
    row.fault: row for row in (*below.ROWS, *on_top.ROWS, *whole.ROWS)
}
"""The row of every fault: from the lid to the trays, on top of the table, the whole table."""

_BY_CODE = {row.latched: row.fault for row in CATALOGUE.values() if row.latched is not None}


def latched(code: FaultCode) -> Fault:
    """The fault that corresponds to a board's fault code."""
    return _BY_CODE[code]
