"""Coverage of choices: counts by game how often each value of each choice was taken."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from config.loader import load_game
from controller.events import Event, EventName
from controller.proof.chaos.choices import domains
from controller.proof.chaos.rounds_played import Played, RoundPlayed
from rules.games import find_game

Row = tuple[str, str, str]


@dataclass
class Coverage:
    """Number of times that each value of each choice was taken, by game.

    Choices of the house and of the evening count once for each round played with them; choices of
    people count each time.
    """

    counts: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)

    def add(self, played: Played) -> None:
        """Add the counts of one evening."""
        evening = played.evening
        facts = evening.choices.facts(load_game(evening.game), play=evening.play)
        for each in played.rounds:
            for choice, value in facts.items():
                self._count(evening.game, choice, value)
            for choice, value in _made(each):
                self._count(evening.game, choice, value)

    def missed(self) -> list[Row]:
        """Values of parameters that no round had: game, parameter, values."""
        rows: list[Row] = []
        for game in sorted({game for game, _ in self.counts}):
            for name, values in domains(load_game(game).game).items():
                taken = self.counts.get((game, f"parameter {name}"), Counter())
                left = [text for text in map(_text, values) if text not in taken]
                if left and name not in _SHIPPED_AS_OBJECTS:
                    rows.append((game, f"parameter {name}", ", ".join(left)))
        return rows

    def rows(self) -> list[Row]:
        """Rows of family of games, choice, and each value with its count.

        Games with the same parameters are one family, for example the eight games of dominoes.
        """
        families: dict[tuple[str, str], Counter[str]] = {}
        for (game, choice), counts in self.counts.items():
            families.setdefault((_family(game), choice), Counter()).update(counts)
        return [
            (family, choice, ", ".join(f"{value}: {times:,}" for value, times in _sorted(counts)))
            for (family, choice), counts in sorted(families.items())
        ]

    def facts(self) -> dict[str, dict[str, dict[str, int]]]:
        """The counts as JSON values: by game, by choice, by value."""
        facts: dict[str, dict[str, dict[str, int]]] = {}
        for (game, choice), counts in sorted(self.counts.items()):
            facts.setdefault(game, {})[choice] = dict(_sorted(counts))
        return facts

    def _count(self, game: str, choice: str, value: object) -> None:
        self.counts.setdefault((game, choice), Counter())[_text(value)] += 1


_SHIPPED_AS_OBJECTS = ("user_cuts",)
"""Parameters whose text in a file differs from their text in the rules."""


def _family(game: str) -> str:
    """The package in which the rules of a game are."""
    config = load_game(game)
    return type(find_game(config.game).parameters()).__module__.split(".")[-2]


def _made(played: RoundPlayed) -> Iterator[tuple[str, object]]:
    """The choices of people in a round, from its events."""
    for event in played.events:
        yield from _choice(event)


def _choice(event: Event) -> Iterator[tuple[str, object]]:
    match event:
        case {"event": EventName.CHOICE_MADE, "what": str(what), "answer": answer}:
            yield f"choice {what}", answer
        case {"event": EventName.ACTION_TAKEN, "do": str(do)}:
            yield "action", _verb(do)
        case {"event": EventName.HAND_ABANDONED}:
            yield "action", "abandon the hand"
        case {"event": EventName.PROMPT_ANSWERED, "answer": str(answer)}:
            yield "answer to a prompt", answer


def _verb(do: str) -> str:
    """The kind of an action: its first word, or 'move' if that is not a word."""
    word = do.split(maxsplit=1)[0]
    return word if word.isalpha() else "move"


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str | int | float):
        return str(value)
    if isinstance(value, list | tuple):
        return json.dumps([_plain(each) for each in value])
    return str(value)


def _plain(value: object) -> object:
    return value if isinstance(value, str | int | float) else getattr(value, "name", str(value))


def _sorted(counts: Mapping[str, int]) -> Iterable[tuple[str, int]]:
    def number_first(item: tuple[str, int]) -> tuple[bool, float, str]:
        text = item[0]
        return (False, float(text), "") if text.isdecimal() else (True, 0.0, text)

    return sorted(counts.items(), key=number_first)
