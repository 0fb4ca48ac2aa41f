"""Results of an evening and of each of its rounds: events, faults, stops and findings."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from controller.events import Event
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
