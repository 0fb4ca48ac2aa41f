"""One row of the fault catalogue: its stable code, its facts, and the labelled texts of the row.

The value of a code is a sentence that describes the fault. The texts are for `wallwright explain`
and docs/operate/FAULTS.md.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass

from config.recovery_limits import DEFAULTS, Limits
from firmware_bridge.board import FaultCode


class Fault(enum.Enum):
    """A fault's code. Journals, events and `wallwright explain` use the names; never rename one."""

    # Below: from the lid to the trays
    LID = "the lid did not reach its switch"
    LIFT = "a wall lift did not reach its switch"
    OBSTRUCTED = "something is in the way of a moving part"
    JAM = "a tile is stuck at a head"
    STARVED = "a head counted fewer tiles than it was to lift"
    MISSING_TILE = "the set lacks tiles"
    EXTRA_TILE = "a head counted more tiles than the stack takes"
    LEFT_OVER = "a tile is left over after all tiles of a set were counted"
    FOREIGN = "a tile does not belong to this set"
    FORGOTTEN = "the lid was opened for a forgotten tile"
    FACE_UP = "a tile came out of the drum face up"
    PUSHER = "a pusher's vane gave no edge"
    COUNT = "the tiles in the trays do not add up to the set"
    CHAIN = "the chain did not reach its corner"
    MAGAZINE = "the magazine did not reach its pocket, or a tile did not leave its pocket"
    DIRTY = "a sensor or a belt drifts away from its first measurements"

    # On top
    LANE = "a hand lane did not reach its switch"
    FLIPPER = "the flipper did not reach its switch"
    GRIPPER = "the jaws did not reach their switch"
    EMPTY_GRIP = "the jaws closed and hold nothing"
    FULL_GRIP = "the jaws opened and still hold something"
    AXIS = "an axis did not arrive"
    HOMING = "an axis did not find its home switch"
    DICE = "the dice were not read"
    NOBODY = "no person confirmed a guided step"

    # Latched by a board
    EMERGENCY = "the emergency stop is pressed"
    OVER_CURRENT = "a motor drew more current than its limit"
    NO_EDGE = "a motor ran and its sensor gave no edge"
    BOTH_SWITCHES = "both switches of a part are active at once"
    LATE_STEP = "an axis made a step too late"
    LIMIT_SWITCH = "an axis met its limit switch on the way"
    MAX_ON_TIME = "an output was on for longer than its maximum on-time"
    LEASE = "a board's lease expired because the host was silent"
    BROWN_OUT = "a board's supply voltage fell"
    LOW_SUPPLY = "a board's supply is too low to go on"
    WATCHDOG = "a board hung and was reset"
    CONFIGURATION = "a board's configuration is corrupt"
    UNEXPECTED_MOTION = "a part moved without a command"
    SELF_TEST = "a board found a part of itself damaged"
    IMPOSSIBLE = "the mechanism cannot carry out a command"
    BOARD = "a board latched a fault"

    # The table as a whole
    RELAY = "the safety relay did not close"
    WELDED = "the safety relay's contact does not open"
    REFUSED = "a board refused a command"
    SILENT = "a board does not answer"
    STRANGER = "another board answers than the table's own"
    PROTOCOL = "a board sent a message that breaks the protocol"
    POWER = "the power failed in the middle of a step"
    JOURNAL = "the journal cannot be written"
    JOURNAL_LOCKED = "the journal's copies contradict each other"
    CHANCE = "the machine's random choices cannot be drawn"
    AUDIT = "the audit log cannot be written"
    AUDIT_LOCKED = "the audit log contradicts itself"
    STORE = "the sessions cannot be stored"
    UNPROVEN = "the place of every tile cannot be proven"


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


def facts(row: FaultRow) -> Iterator[tuple[str, str]]:
    """The facts of a row, each as a label and a text."""
    yield "expected", row.expected
    yield "came instead", row.instead
    yield "likely cause", row.cause
    yield "the table by itself", row.automatic
    yield "a person is asked", row.request(row.kind_of_part)
    if row.limits or row.latched is not None:
        yield "answers", ", ".join(row.answers)
    yield "who may clear it", row.who.value
    if row.limits:
        limits = row.limits
        tries = f"tries again {_times(limits.retries)}" if limits.retries else "does not try again"
        asks = (
            f"asks {_times(limits.asks)}, waiting at most {limits.patience:.0f} s for each answer"
        )
        yield "limits", f"{tries} by itself, then {asks}"
    else:
        yield "limits", "none"
    if row.latched is not None:
        yield "latched by the board", f"as {row.latched.name}, number {row.latched.value}"


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")
