"""One row of the fault catalogue."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from config.recovery_limits import DEFAULTS, Limits
from controller.faults.catalogue.codes import Fault
from firmware_bridge.board import FaultCode

DONE, STOP = "done", "stop"
"""The answers to most questions: the fault is put right, or the table is to stop."""
CLEAR, RESET = "clear", "reset"
"""What clears a fault that a board has latched, and an emergency stop. They differ from DONE, so
that an answer meant for another question cannot let a stopped table move again."""


class Who(enum.Enum):
    """Who may clear a fault; each of them may also clear what those before may."""

    PLAYER = "player"
    DEALER = "dealer"
    ATTENDANT = "attendant"
    TECHNICIAN = "technician"


@dataclass(frozen=True, kw_only=True)
class FaultRow:
    """A fault: what was expected of which sensor, what came instead, why, and what is done.

    `automatic` is what the table does by itself, `please` the request to a person, a sentence in
    which `{part}` stands for the part's name. `latched` is the board's own code for it.
    """

    fault: Fault
    title: str
    expected: str
    instead: str
    cause: str
    automatic: str
    please: str
    who: Who
    answers: tuple[str, ...] = (DONE, STOP)
    latched: FaultCode | None = None
    example: str = "head 2"
    """A part that the fault can affect."""

    @property
    def code(self) -> str:
        """Its stable code."""
        return self.fault.name

    @property
    def limits(self) -> Limits | None:
        """What a table does before it stops, unless its file says otherwise; None: it stops."""
        return DEFAULTS.get(self.code)

    @property
    def kind_of_part(self) -> str:
        """The kind of part that it can affect: "head" where the example is "head 2"."""
        return self.example.partition(" ")[0]

    def request(self, part: str) -> str:
        """The request to a person when the fault affects this part."""
        return self.please.replace("{part}", f"the {part}" if part.isalpha() else part)
