"""Keys that more than one event has, each with its type and its meaning."""

from __future__ import annotations

from controller.events.row import EventKey

SEAT = EventKey("seat", int, "the seat, from 0")
BY = EventKey("by", int, "the seat of the person")
DEALER = EventKey("dealer", int, "the seat of the dealer")
SET = EventKey("set", int, "the number of the machine's set, 0 or 1")
DO = EventKey("do", str, "the action, in the notation of the game's record")
HAND = EventKey("hand", str, "the name of the hand: its number in the run or in the session")
AT = EventKey("at", str, "the place")
TILE = EventKey("tile", str | None, "the face; null if no sensor read it and no person typed it")

CODE = EventKey("code", str, "the stable code of the fault")
PART = EventKey("part", str, "the name of the part")
EVIDENCE = EventKey("evidence", str, "the observation behind the fault")
ROLE = EventKey("role", str, "the lowest role that may clear the fault")
BOARD = EventKey("board", str, "the name of the board")
CHANNEL = EventKey("channel", str, "the name of the channel; can be empty")
MESSAGE = EventKey("message", str, "a sentence for people")
WHY = EventKey("why", str, "the cause")
VERSION = EventKey("events_version", int, "the version of the format of the events")

SUMMARY = (
    VERSION,
    EventKey("rounds", int, "rounds played"),
    EventKey("virtual_s", int | float, "seconds of virtual time"),
    EventKey("real_s", int | float, "seconds of real time"),
    EventKey(
        "cycle_s",
        dict,
        "mean of `under` (lid closed to walls staged) and of `top` (raise ordered to ready); null"
        " if none was finished",
    ),
    EventKey(
        "bound_s",
        dict,
        "the least time that this table's speeds allow for each, with the mean time of a magazine;"
        " steps that people do count as 0 s",
    ),
    EventKey(
        "magazine_s",
        int | float,
        "on a table with a magazine: the time that it adds to each cycle below, on average over"
        " all orders of the tiles",
        is_optional=True,
    ),
    EventKey("tiles", dict, "`expected` in all sets, and `accounted` for in the ledger"),
    EventKey("faults", int, "how many faults stopped the run"),
    EventKey("recoveries", dict, "by fault code: how often a part worked after it had failed"),
    EventKey("assists", dict, "by fault code: how often an operator answered a prompt"),
    EventKey(
        "pauses",
        dict,
        "by cause (the `why` of `paused`): the number of pauses to which it contributed",
    ),
    EventKey("paused_s", int | float, "seconds in pauses that have ended"),
    EventKey(
        "breaches",
        dict,
        "only if a board broke the protocol: how many of its messages did, by rule",
        is_optional=True,
    ),
    EventKey("commands", int, "commands that the link carried"),
    EventKey("retries", int, "frames that the link sent again"),
)
"""The keys of the event `summary`, in its order."""
