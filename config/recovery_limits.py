"""Recovery limits for each fault code: retries, prompts to the operator, and the answer's timeout.

A table's section `recovery:` can change any of these numbers for any of these codes. The meaning of
each code is in `docs/operate/FAULTS.md`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from config.errors import Finding, instead

if TYPE_CHECKING:
    # Its import takes longer than the rest of `wallwright explain`.
    from config.schema import Table


@dataclass(frozen=True)
class Limits:
    """Limits of recovery from a fault.

    `retries` is the number of automatic retries, `asks` the number of prompts after them; both
    count within one piece of work (a stack, a lift, a carry). `patience` is the time that the
    operator has for each answer, seconds. After these limits the table stops.
    """

    retries: int
    asks: int
    patience: float


PATIENCE = 900.0
"""The usual time for one answer of the operator, seconds (ours)."""

DEFAULTS: Mapping[str, Limits] = {
    "LID": Limits(1, 3, PATIENCE),
    "LIFT": Limits(1, 3, PATIENCE),
    "BOTH_SWITCHES": Limits(1, 1, PATIENCE),
    "OBSTRUCTED": Limits(0, 5, PATIENCE),
    "JAM": Limits(3, 3, PATIENCE),
    "STARVED": Limits(2, 3, PATIENCE),
    "MISSING_TILE": Limits(1, 3, PATIENCE),
    "EXTRA_TILE": Limits(0, 3, PATIENCE),
    "LEFT_OVER": Limits(0, 3, PATIENCE),
    "PUSHER": Limits(1, 3, PATIENCE),
    "FACE_UP": Limits(2, 3, PATIENCE),
    "CHAIN": Limits(1, 3, PATIENCE),
    "MAGAZINE": Limits(2, 3, PATIENCE),
    "LANE": Limits(1, 3, PATIENCE),
    "FLIPPER": Limits(1, 3, PATIENCE),
    "GRIPPER": Limits(1, 3, PATIENCE),
    "EMPTY_GRIP": Limits(2, 3, PATIENCE),
    "FULL_GRIP": Limits(1, 3, PATIENCE),
    # A stalled axis can have touched a hand, so it never moves again without the operator's answer.
    "AXIS": Limits(0, 3, PATIENCE),
    "HOMING": Limits(1, 3, PATIENCE),
    "DICE": Limits(2, 3, PATIENCE),
    "RELAY": Limits(1, 3, PATIENCE),
    # A welded relay contact does not cut the motors' power, so an automatic retry would be unsafe.
    "WELDED": Limits(0, 3, PATIENCE),
}
"""The default limits of every fault from which a table can recover; all numbers are ours."""


def limits_of(table: Table, code: str) -> Limits | None:
    """Returns a fault's limits on this table; None for a fault that always stops the table."""
    usual, own = DEFAULTS.get(code), table.recovery.get(code)
    if usual is None or own is None:
        return usual
    return Limits(
        usual.retries if own.retries is None else own.retries,
        usual.asks if own.asks is None else own.asks,
        usual.patience if own.patience is None else own.patience,
    )


def _known_faults(table: Table) -> Iterator[Finding]:
    for code in table.recovery:
        if code not in DEFAULTS:
            wrong = f"is not a fault from which a table can recover ('{code}')"
            yield Finding(("recovery", code), wrong, instead(code, DEFAULTS))


CHECKS = (_known_faults,)
