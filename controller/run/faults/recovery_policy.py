"""The recovery policy: a pure function of the fault, the attempt that failed, and the limits.

First the part retries by itself, then a person is asked, then the table stops. The order is never
reversed: once a person has been asked about a piece of work, the part no longer retries it by
itself.
"""

from __future__ import annotations

import enum

from config.recovery_limits import Limits
from controller.run.faults.catalogue import CATALOGUE, Fault


class Decision(enum.Enum):
    """Decision after a failed attempt; for one piece of work, decisions follow in this order."""

    RETRY = "retry"
    """The machine applies its cure to the part and tries the work again."""
    ASK_OPERATOR = "ask"
    """A person is asked to remove the fault, and the work is tried again."""
    SAFE_STOP = "stop"
    """The table stops safely and names the part."""


def decide(fault: Fault, attempt: int, limits: Limits) -> Decision:
    """The decision after the `attempt`-th failure (counted from 1) of one piece of work.

    A fault for which the catalogue has no limits always stops the table.
    """
    if CATALOGUE[fault].limits is None:
        return Decision.SAFE_STOP
    if attempt <= limits.retries:
        return Decision.RETRY
    if attempt <= limits.retries + limits.asks:
        return Decision.ASK_OPERATOR
    return Decision.SAFE_STOP
