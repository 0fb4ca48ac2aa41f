"""What can go wrong at a table, as stable codes with the evidence."""

from __future__ import annotations

import enum


class Fault(enum.Enum):
    """A fault's code; the text says what the sensors did not show."""

    LID = "the lid did not reach its switch"
    LIFT = "a wall lift did not reach its switch"
    STARVED = "a head counted fewer tiles than it was told to lift"
    PUSHER = "a pusher's vane gave no edge"
    COUNT = "the trays do not hold the set"
    CHAIN = "the chain did not reach its corner"
    LANE = "a hand lane did not reach its switch"
    FLIPPER = "the flipper did not reach its switch"
    GRIPPER = "the jaws did not reach their switch"
    EMPTY_GRIP = "the jaws closed and hold nothing"
    FULL_GRIP = "the jaws opened and still hold something"
    AXIS = "an axis did not arrive"
    DICE = "the dice were not read"
    FACE_UP = "a tile came out of the drum face up"
    NOBODY = "nobody confirmed a guided step"
    BOARD = "a board latched a fault"
    REFUSED = "a board refused an order"
    SILENT = "a board does not answer"


class TableFault(Exception):
    """The table cannot go on by itself: the fault, the part, and what its sensors showed."""

    def __init__(self, fault: Fault, part: str, evidence: str) -> None:
        super().__init__(f"{part}: {fault.value} ({evidence}).")
        self.fault = fault
        self.part = part
        self.evidence = evidence
