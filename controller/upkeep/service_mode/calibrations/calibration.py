"""A calibration: its measurements, and the edits of the table's file that follow from them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from controller.upkeep.service_mode.calibrations.table_edits import TableEdit
from rules.errors import WallwrightError


class CalibrationError(WallwrightError):
    """A measurement that proposes no value: its reason and the next step, as sentences."""


@dataclass
class Measured:
    """The result of a calibration: sentences for people, and edits; no edit means no change."""

    sentences: list[str] = field(default_factory=list)
    edits: list[TableEdit] = field(default_factory=list)


@dataclass(frozen=True)
class Calibration:
    """One calibration that a table offers; with `unavailable`, the reason why it cannot be done.

    `moves` are the motors and axes that `measure` moves; it holds their leases itself. It raises
    CalibrationError, DisagreementError, BoardError and TableFault.
    """

    kind: str
    target: str
    title: str
    moves: tuple[str, ...] = ()
    measure: Callable[[], Awaitable[Measured]] | None = None
    unavailable: str = ""
