"""What can go wrong at a table, as stable codes with the evidence."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping


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
    JOURNAL = "the journal cannot be written"
    REFUSED = "a board refused an order"
    SILENT = "a board does not answer"


CURES: Mapping[Fault, str] = {
    Fault.LID: "Look for a tile or a hand in its way, then run again.",
    Fault.LIFT: "Look for a tile beside its wall, then run again.",
    Fault.STARVED: "Count the set and look for a tile that lies across the head.",
    Fault.PUSHER: "Look for a tile under the pusher, and at its vane.",
    Fault.COUNT: "Count the set; a tile may lie in the drum, on a belt or on the floor.",
    Fault.CHAIN: "Look for a tile between chain and rail, then run again.",
    Fault.LANE: "Look for a tile beside the lane, then run again.",
    Fault.FLIPPER: "Look for a tile that leans on it, then run again.",
    Fault.GRIPPER: "Look for a tile between the jaws, and at their switch.",
    Fault.EMPTY_GRIP: "Put the tile back where it was set up, or gather the set and run again.",
    Fault.FULL_GRIP: "Take the tile out of the jaws and run again.",
    Fault.AXIS: "Clear its way and look at its switch; it is homed when you run again.",
    Fault.DICE: "Look whether a die leans on another, and wipe the window.",
    Fault.FACE_UP: "Turn it face down, gather the set and run again.",
    Fault.NOBODY: "Run again with somebody at the table, or give the answer as an option.",
    Fault.BOARD: "Look at what it names, release the emergency stop if it is pressed, run again.",
    Fault.REFUSED: "Put that right, then run again.",
    Fault.SILENT: "Put that right, then run again.",
}
"""What to do about each; a board's own words already say what is to be put right."""


class TableFault(Exception):
    """The table cannot go on by itself: the fault, the part, and what its sensors showed."""

    def __init__(self, fault: Fault, part: str, evidence: str) -> None:
        super().__init__(f"{part}: {fault.value} ({evidence}).")
        self.fault = fault
        self.part = part
        self.evidence = evidence

    @property
    def cure(self) -> str:
        """What to do about it, as a sentence."""
        return CURES[self.fault]


Recovered = Callable[[Fault, str, int], None]
"""Told when a part did it after all: the fault it nearly was, the part, and the attempt."""


def unheard(fault: Fault, part: str, attempt: int) -> None:
    """Where recoveries go when nobody listens."""
