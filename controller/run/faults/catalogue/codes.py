"""The stable code of every fault; its value is a sentence that describes it."""

from __future__ import annotations

import enum


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
