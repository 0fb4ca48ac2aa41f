"""How a round under mishaps ended, in one word, and what had a part in it."""

from __future__ import annotations

from collections.abc import Sequence

from controller.soak.evening import RoundPlayed

CLEAN = "clean"
"""Nothing was noticed, and nothing had to be."""
BY_MACHINE, BY_PERSON = "recovered", "helped"
"""It went on by itself, or once a person had put something right."""
WAITING = "waiting"
"""It stopped safely with its code, and a technician started it again."""
REGATHERED = "re-gathered"
"""Its tiles were gathered and the round began anew."""
FAILED = "failed"
"""Something happened that cannot be."""
ENDINGS = (CLEAN, BY_MACHINE, BY_PERSON, WAITING, REGATHERED, FAILED)

_NOTICED = ("recovered", "resumed", "recalled", "healed")


def ending(played: RoundPlayed) -> str:
    """The worst that can be said of it."""
    if played.wrong:
        return FAILED
    if played.regathered:
        return REGATHERED
    if played.stops:
        return WAITING
    if played.told("waiting"):
        return BY_PERSON
    if any(played.told(name) for name in _NOTICED):
        return BY_MACHINE
    return CLEAN


def codes(played: RoundPlayed) -> tuple[str, ...]:
    """The codes of all that was recovered from, waited for, or stopped for."""
    told = [
        str(event["code"])
        for event in played.events
        if event["event"] in ("recovered", "waiting", "fault")
    ]
    paused = [str(event["why"]) for event in played.told("paused")]
    return tuple(dict.fromkeys((*told, *paused)))


def longest_pause(rounds: Sequence[RoundPlayed]) -> float:
    """The longest that a table was paused, seconds."""
    return max(
        (float(str(event["paused_s"])) for played in rounds for event in played.told("resumed")),
        default=0.0,
    )
