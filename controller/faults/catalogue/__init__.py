"""The fault catalogue: one row for every way in which a table, its boards or its people can fail.

`docs/FAULTS.md`, `wallwright explain` and the requests to people are made from it.
"""

from __future__ import annotations

from collections.abc import Mapping

from controller.faults.catalogue import below, on_top, whole
from controller.faults.catalogue.codes import Fault
from controller.faults.catalogue.row import DONE, STOP, FaultRow, Who
from firmware_bridge.board import FaultCode

__all__ = ["CATALOGUE", "DONE", "STOP", "Fault", "FaultRow", "Who", "latched"]

CATALOGUE: Mapping[Fault, FaultRow] = {
    row.fault: row for row in (*below.ROWS, *on_top.ROWS, *whole.ROWS)
}
"""Every fault's row, in the order in which people meet them."""

_LATCHED = {row.latched: row.fault for row in CATALOGUE.values() if row.latched is not None}


def latched(code: FaultCode) -> Fault:
    """The fault that a board means by its own code."""
    return _LATCHED[code]
