"""Results of a chaos run and their report: rounds, totals, counts, and coverage of choices.

The ending of a round is the worst of the states in `ENDINGS` that applies to it. The report counts
by kind of fault, table and game. The coverage counts by game how often each value of each choice
was taken.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from config.loader import load_game
from controller.events import Event, EventName
from controller.proof.chaos.scenarios import Evening, domains
from firmware_bridge.sim.faults.kinds import KINDS
from rules.games import find_game


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


ChoiceRow = tuple[str, str, str]


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

    def missed(self) -> list[ChoiceRow]:
        """Values of parameters that no round had: game, parameter, values."""
        rows: list[ChoiceRow] = []
        for game in sorted({game for game, _ in self.counts}):
            for name, values in domains(load_game(game).game).items():
                taken = self.counts.get((game, f"parameter {name}"), Counter())
                left = [text for text in map(_text, values) if text not in taken]
                if left and name not in _SHIPPED_AS_OBJECTS:
                    rows.append((game, f"parameter {name}", ", ".join(left)))
        return rows

    def rows(self) -> list[ChoiceRow]:
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


Row = tuple[str, ...]


@dataclass
class RoundTally:
    """Counts over all evenings so far."""

    rounds: int = 0
    tiles: int = 0
    seconds: float = 0.0
    longest_pause: float = 0.0
    deaths: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    kinds: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """By kind of fault: its number of occurrences, and the endings of the rounds with it."""
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    stops: Counter[str] = field(default_factory=Counter)
    """By fault code: the number of times that it stopped a table."""
    coverage: Coverage = field(default_factory=Coverage)
    """The values of every choice that were taken."""

    def add(self, played: Played) -> None:
        """Add the counts of one evening."""
        self.seconds += played.seconds
        self.coverage.add(played)
        self.longest_pause = max(self.longest_pause, longest_pause(played.rounds))
        for each in played.rounds:
            self._round(each)

    def _round(self, played: RoundPlayed) -> None:
        end = ending(played)
        self.rounds += 1
        self.tiles += len(find_game(played.game).tiles)
        self.ends[end] += 1
        self.pairs[played.table, played.game] += 1
        self.stops.update(played.stops)
        self.deaths += len(played.events_named(EventName.RUN_RESUMED))
        for kind, often in Counter(played.injected_faults).items():
            self.kinds[kind]["happened"] += often
            self.kinds[kind][end] += 1


def markdown(tally: RoundTally, command: str, interrupted: str = "") -> str:
    """The report as Markdown. The same rounds give the same bytes on every computer.

    `interrupted` is a sentence about rounds that were not played.
    """
    parts = [
        "# Chaos",
        "",
        "Random rounds with random injected faults. After each round the plant is checked: every",
        "tile is at one place, every hand is the one that the rules deal, no place was dealt twice",
        f"or skipped, no throw was repeated, every journal is intact. Written by `{command}`.",
        "",
        *((f"**{interrupted}**", "") if interrupted else ()),
        *_grid(("", ""), figures(tally)),
        "",
        "A round is counted under every kind of injected fault that occurred in it, by its ending.",
        "*Clean*: the table reported no fault. *Recovered*: the table continued without a person.",
        "*Helped*: a person was prompted. *Waiting*: the table stopped safely, and a technician",
        "restarted it. *Re-gathered*: people put the tiles away, and the round was played again.",
        "",
        *_grid(("injected fault", "happened", *ENDINGS), by_kind(tally)),
        "",
        *_grid(("stopped for", "times"), [(c, f"{n:,}") for c, n in tally.stops.most_common()]),
        "",
        *_grid(("table", "game", "rounds"), by_pair(tally)),
        "",
        *choices_page(tally.coverage),
    ]
    return "\n".join(parts) + "\n"


def choices_page(coverage: Coverage) -> list[str]:
    """The section on choices: values that were taken, and values that were not."""
    missed = coverage.missed()
    return [
        "## Choices",
        "",
        "People and houses choose uniformly among all legal values, from the seed. A choice of the",
        "house (a parameter, the players, the dealer) counts once for each round that was played",
        "with it, a choice of people (a cut, an action, an answer) each time that it was made.",
        "In half of the evenings at a table with a drum, the drum mixes for 8 s only, so that a",
        "set is built below while a hand is dealt on top.",
        "",
        *_grid(("games", "choice", "values and counts"), coverage.rows(), figures=False),
        "",
        *(
            ["No round had these values:", "", *_grid(_MISSED, missed, figures=False)]
            if missed
            else ["Every value of every parameter was drawn."]
        ),
    ]


_MISSED = ("game", "choice", "values")


def as_json(tally: RoundTally, wall: float) -> dict[str, object]:
    """The report as JSON values."""
    return {
        "rounds": tally.rounds,
        "endings": {end: tally.ends[end] for end in ENDINGS},
        "hosts_that_took_over": tally.deaths,
        "tiles": tally.tiles,
        "longest_pause_s": round(tally.longest_pause, 3),
        "virtual_s": round(tally.seconds, 3),
        "real_s": round(wall, 3),
        "faults": {kind: dict(tally.kinds[kind]) for kind in KINDS if kind in tally.kinds},
        "stops": dict(tally.stops.most_common()),
        "tables": [
            {"table": table, "game": game, "rounds": n}
            for (table, game), n in sorted(tally.pairs.items())
        ],
        "choices": tally.coverage.facts(),
        "choices_missed": [
            {"game": game, "choice": choice, "values": values}
            for game, choice, values in tally.coverage.missed()
        ],
    }


def figures(tally: RoundTally) -> list[Row]:
    """The totals, each with its name."""
    return [
        ("rounds", f"{tally.rounds:,}"),
        *((end, f"{tally.ends[end]:,}") for end in ENDINGS),
        ("hosts that resumed an unfinished round", f"{tally.deaths:,}"),
        ("tiles handled", f"{tally.tiles:,}"),
        ("longest pause", f"{tally.longest_pause:.1f} s"),
        ("time at the tables", f"{tally.seconds / 3600:,.1f} h"),
    ]


def by_kind(tally: RoundTally) -> list[Row]:
    """For each kind of fault its number of occurrences and the endings of its rounds."""
    return [
        (kind, *(f"{tally.kinds[kind][name]:,}" for name in ("happened", *ENDINGS)))
        for kind in KINDS
    ]


def by_pair(tally: RoundTally) -> list[Row]:
    """The number of rounds by table and game."""
    return [(table, game, f"{n:,}") for (table, game), n in sorted(tally.pairs.items())]


def _grid(head: Row, rows: Iterable[Sequence[str]], *, figures: bool = True) -> list[str]:
    """A Markdown table; with `figures` all columns except the first are aligned to the right."""
    right = "--:" if figures else "---"
    lines = [head, tuple("---" if not n else right for n, _ in enumerate(head)), *rows]
    return [f"| {' | '.join(line)} |" for line in lines]
