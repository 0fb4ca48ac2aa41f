"""One row of the fault catalogue."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from config.recovery_limits import DEFAULTS, Limits
from controller.run.faults.catalogue.codes import Fault
from firmware_bridge.board import FaultCode

DONE, STOP = "done", "stop"
"""The answers to most prompts: the fault is removed, or the table is to stop."""
CLEAR, RESET = "clear", "reset"
"""The answers that clear a fault latched by a board, and an emergency stop. They differ from DONE,
so that an answer to another prompt cannot let a stopped table move again."""


class Who(enum.Enum):
    """Who may clear a fault; each role may also clear the faults of the roles before it."""

    PLAYER = "player"
    DEALER = "dealer"
    ATTENDANT = "attendant"
    TECHNICIAN = "technician"


@dataclass(frozen=True, kw_only=True)
class FaultRow:
    """A fault: the expected evidence, the evidence at a fault, the likely cause, and the remedy.

    `automatic` is what the table does by itself. `please` is the request to a person, a sentence
    in which `{part}` is replaced by the part's name. `latched` is the code of a board that latches
    this fault; None if no board does.
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
    """Example of a part that the fault can affect."""

    @property
    def code(self) -> str:
        """The stable code of the fault."""
        return self.fault.name

    @property
    def limits(self) -> Limits | None:
        """Retries and questions before the table stops, unless the table's file changes them.

        None for a fault that is not retried: `automatic` says what the table does.
        """
        return DEFAULTS.get(self.code)

    @property
    def kind_of_part(self) -> str:
        """The kind of part that the fault can affect: "head" if the example is "head 2"."""
        return self.example.partition(" ")[0]

    def request(self, part: str) -> str:
        """The request to a person if the fault affects this part."""
        return self.please.replace("{part}", f"the {part}" if part.isalpha() else part)
