"""Results of an evening and of each of its rounds: events, faults, stops and findings.

The ending of a round is the worst of the states in `ENDINGS` that applies to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from controller.events import Event, EventName
from controller.proof.chaos.scenarios import Evening


@dataclass
class RoundPlayed:
    """Result of one round."""

    number: int
    table: str
    game: str
    play: bool
    events: list[Event] = field(default_factory=list)
    injected_faults: list[str] = field(default_factory=list)
    """Kinds of the injected faults that occurred."""
    stops: list[str] = field(default_factory=list)
    """Codes of the faults that stopped the table."""
    regathered: bool = False
    """Whether the tiles were put away and the round was played again."""
    wrong: list[str] = field(default_factory=list)
    """Findings: sentences about states that must not occur."""

    def events_named(self, name: str) -> list[Event]:
        """The events of the round with this name."""
        return [event for event in self.events if event["event"] == name]

    def shorten_paths(self, folder: Path) -> None:
        """Name the files in a temporary folder without the folder, which is another in each run."""
        prefix = f"{folder}/"
        self.events = [
            {key: each.replace(prefix, "") if isinstance(each, str) else each for key, each in at}
            for at in (event.items() for event in self.events)
        ]


@dataclass
class Played:
    """Result of one evening."""

    evening: Evening
    rounds: list[RoundPlayed]
    seconds: float

    @property
    def wrong(self) -> list[str]:
        """The findings of all rounds."""
        return [sentence for played in self.rounds for sentence in played.wrong]


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

_NOTICED = (
    EventName.RECOVERED,
    EventName.RESUMED,
    EventName.RUN_RESUMED,
    EventName.JOURNAL_COPY_REPAIRED,
)


def ending(played: RoundPlayed) -> str:
    """The worst ending that applies to this round."""
    if played.wrong:
        return FAILED
    if played.regathered:
        return REGATHERED
    if played.stops:
        return WAITING
    if played.events_named(EventName.OPERATOR_PROMPTED):
        return BY_PERSON
    if any(played.events_named(name) for name in _NOTICED):
        return BY_MACHINE
    return CLEAN


def codes(played: RoundPlayed) -> tuple[str, ...]:
    """Codes of all faults that the round recovered from, waited for, or stopped for."""
    events_named = [
        str(event["code"])
        for event in played.events
        if event["event"] in (EventName.RECOVERED, EventName.OPERATOR_PROMPTED, EventName.FAULT)
    ]
    paused = [str(event["why"]) for event in played.events_named(EventName.PAUSED)]
    return tuple(dict.fromkeys((*events_named, *paused)))


def longest_pause(rounds: Sequence[RoundPlayed]) -> float:
    """The longest pause of the table, seconds."""
    return max(
        (
            float(str(event["paused_s"]))
            for played in rounds
            for event in played.events_named(EventName.RESUMED)
        ),
        default=0.0,
    )
