"""Classifies the ending of a round with injected faults, and lists its fault codes."""

from __future__ import annotations

from collections.abc import Sequence

from controller.proof.chaos.rounds_played import RoundPlayed

CLEAN = "clean"
"""The table reported no fault."""
BY_MACHINE, BY_PERSON = "recovered", "helped"
"""The run continued without a person, or after an assist."""
WAITING = "waiting"
"""The table stopped safely with a fault code, and a technician restarted it."""
REGATHERED = "re-gathered"
"""People put the tiles away, and the round was played again."""
FAILED = "failed"
"""A check against the plant failed."""
ENDINGS = (CLEAN, BY_MACHINE, BY_PERSON, WAITING, REGATHERED, FAILED)

_NOTICED = ("recovered", "resumed", "run_resumed", "journal_copy_repaired")


def ending(played: RoundPlayed) -> str:
    """The worst ending that applies to this round."""
    if played.wrong:
        return FAILED
    if played.regathered:
        return REGATHERED
    if played.stops:
        return WAITING
    if played.events_named("operator_prompted"):
        return BY_PERSON
    if any(played.events_named(name) for name in _NOTICED):
        return BY_MACHINE
    return CLEAN


def codes(played: RoundPlayed) -> tuple[str, ...]:
    """Codes of all faults that the round recovered from, waited for, or stopped for."""
    events_named = [
        str(event["code"])
        for event in played.events
        if event["event"] in ("recovered", "operator_prompted", "fault")
    ]
    paused = [str(event["why"]) for event in played.events_named("paused")]
    return tuple(dict.fromkeys((*events_named, *paused)))


def longest_pause(rounds: Sequence[RoundPlayed]) -> float:
    """The longest pause of the table, seconds."""
    return max(
        (
            float(str(event["paused_s"]))
            for played in rounds
            for event in played.events_named("resumed")
        ),
        default=0.0,
    )
