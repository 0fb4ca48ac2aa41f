"""Draws scenarios: the table, the game and the injected faults of each evening.

An evening is a few rounds on one table, with one plant and one journal. All draws depend only on
the seed and the number of the evening, so a single evening can be repeated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from config.loader import game_names, load_game, load_table, table_names
from config.schema import Table
from config.validation.checks import fit
from controller.proof.chaos.choices import Choices, draw
from firmware_bridge.sim.faults.fault_kind import BY_OUTPUTS
from firmware_bridge.sim.faults.injected_fault import Always, At, InjectedFault, Nth, Rate, When
from firmware_bridge.sim.faults.kinds import KINDS
from rules.games import find_game

EVENING = 3
"""Number of rounds in an evening."""
PHASES = 14
"""Approximate number of state changes in a round; a fault is injected after one of them."""
AFTER = 9.0
"""Longest delay of a fault after the state change, seconds."""
PLAYED = 1 / 3
"""Share of evenings whose hands are followed by the rules."""
ONCE, ALWAYS = 0.85, 0.93
"""Thresholds of a draw from 0 to 1 for faults inside the table: below the first the fault occurs
once, below the second at every occasion, else at random occasions."""
OCCASIONS: Mapping[str, int] = {
    "each tile that the wheel lifts": 40,
    "each set that people push in": 1,
    "each time it sets off from an end": 2,
    "each change of the sensor": 12,
    "each start of one of its motors": 4,
    "each start of the belt": 3,
    "each block that it carries off": 8,
    "each reading": 2,
    "each throw": 2,
    "each time that a person is asked for help": 1,
}
"""Largest number of occasions after the injection at which a fault can occur, by kind of occasion;
1 for other kinds."""
SIZES: Mapping[str, tuple[float, ...]] = {
    "jam": (1, 2, 3, 4, 99),
    "starved": (1, 2, 99),
    "host_stall": (0.4, 0.6, 1, 2, 3.5, 5),
    "link_noise": (1, 5, 20),
    "link_unplugged": (0, 0.3, 1, 5, 40),
    "board_silent": (0, 0.3, 1, 5, 40),
    "emergency_stop": (0.2, 5, 40),
    "reach_in": (0.2, 2, 10),
    "half_up": (1, 2, 9),
    "obstruction": (0.5, 5),
}
"""Durations or severities that are drawn, by kind of fault; other kinds have their defaults."""
STRANGE = frozenset({"extra_tile", "added_tile", "foreign_tile"})
"""Faults after which simulated players can neither continue nor report, if they see the tile."""
UNSEEN = ("wenzhou", "filipino", "pai_gow")
"""Games in whose set-up no player looks at dealt tiles, so that these faults can be injected."""
WRITES = 12
"""Half of the killed hosts are killed at one of this number of next journal writes."""


@dataclass(frozen=True)
class ScheduledFault:
    """A fault that is injected `delay` seconds after the round's state change number `phase`.

    A fault without `when` occurs at once. `write` is the journal write, counted from the injection,
    at which the host is killed: before the write if negative, after it if positive.
    """

    kind: str
    part: str
    phase: int
    delay: float
    when: When | None = None
    size: float | None = None
    write: int = 0

    def injected(self, now: float) -> InjectedFault:
        """The fault to inject at this time, in seconds since power-on."""
        return InjectedFault(
            self.kind, self.part, At(round(now, 6)) if self.when is None else self.when, self.size
        )

    def __str__(self) -> str:
        text = str(InjectedFault(self.kind, self.part, self.when or Always(), self.size))
        at = f" at write {self.write:+d}" if self.write else ""
        return f"{text} after state {self.phase} + {self.delay:.3f} s{at}"


@dataclass(frozen=True)
class Evening:
    """Rounds to play, the choices of the people, and the faults scheduled for each round.

    There is one spare fault for each round: it is injected when the round is ready to play, if no
    fault has occurred by then.
    """

    first: int
    table: str
    game: str
    seed: int
    play: bool
    scheduled_faults: tuple[tuple[ScheduledFault, ...], ...]
    spares: tuple[ScheduledFault, ...]
    choices: Choices = field(default_factory=Choices)

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of all faults that can occur."""
        scheduled_faults = [
            scheduled
            for scheduled_faults in (*self.scheduled_faults, self.spares)
            for scheduled in scheduled_faults
        ]
        return frozenset(scheduled.kind for scheduled in scheduled_faults)


def evening_of(
    number: int, seed: int, pairs: Sequence[tuple[str, str]], play: bool | None = None
) -> Evening:
    """Draw the evening with this number; `play` None draws whether hands are followed."""
    chance = Random(f"{seed}:chaos {number}")
    table, game = pairs[chance.randrange(len(pairs))]
    follow = chance.random() < PLAYED
    machine = load_table(table)
    follow = follow if play is None else play
    config = load_game(game)
    excluded = STRANGE if follow or config.game not in UNSEEN else frozenset[str]()
    return Evening(
        first=number * EVENING,
        table=table,
        game=game,
        seed=chance.randrange(1 << 31),
        play=follow,
        scheduled_faults=tuple(_round(chance, machine, excluded) for _ in range(EVENING)),
        spares=tuple(_spare(chance, machine, excluded) for _ in range(EVENING)),
        choices=draw(Random(f"{seed}:choices {number}"), machine, config, play=follow),
    )


def pairs_of(games: Sequence[str] = (), tables: Sequence[str] = ()) -> tuple[tuple[str, str], ...]:
    """All pairs of a table and a game that fits it; without names all tables and games are used."""
    return tuple(
        (table, game)
        for table in tables or table_names()
        for game in games or game_names()
        if fit(load_table(table), find_game(game), load_game(game)).fits
    )


def _round(chance: Random, table: Table, excluded: frozenset[str]) -> tuple[ScheduledFault, ...]:
    number = chance.choices((1, 2, 3), (6, 3, 1))[0]
    names = [name for name in KINDS if name not in excluded and _parts(name, table)]
    return tuple(_scheduled_fault(chance, table, chance.choice(names)) for _ in range(number))


def _spare(chance: Random, table: Table, excluded: frozenset[str]) -> ScheduledFault:
    """Draw a fault from outside the table, which can occur at any moment."""
    names = [
        name
        for name, kind in KINDS.items()
        if kind.occasion is BY_OUTPUTS and name not in excluded and _parts(name, table)
    ]
    return _scheduled_fault(chance, table, chance.choice(names))


def _scheduled_fault(chance: Random, table: Table, name: str) -> ScheduledFault:
    kind = KINDS[name]
    part = chance.choice(sorted(_parts(name, table)))
    phase, delay = chance.randrange(PHASES), round(chance.uniform(0.0, AFTER), 6)
    size = chance.choice(SIZES[name]) if name in SIZES else None
    if kind.occasion is not BY_OUTPUTS:
        return ScheduledFault(name, part, phase, delay, _when(chance, kind.occasion), size)
    write = 0
    if (name, part) == ("power_cut", "host") and chance.random() < 0.5:
        write = chance.choice((-1, 1)) * chance.randint(1, WRITES)
    return ScheduledFault(name, part, phase, delay, None, size, write)


def _when(chance: Random, occasion: str) -> When:
    often = chance.random()
    if often < ONCE:
        return Nth(chance.randint(1, OCCASIONS.get(occasion, 1)))
    return Always() if often < ALWAYS else Rate(round(chance.uniform(0.01, 0.2), 3))


def _parts(name: str, table: Table) -> Mapping[str, str]:
    """The parts that a kind of fault can affect on this table."""
    parts = KINDS[name].parts(table)
    if name == "bouncing_sensor":
        # The table counts a tile that does not exist, and people cannot fill the gap in a stack.
        heads = table.modules.heads
        counters = {head.counter for head in heads.ports} if heads else set[str]()
        parts = {part: site for part, site in parts.items() if site not in counters}
    # GPIO pins lose their counts with the host, so a killed host cannot be resumed there.
    if name == "power_cut" and any(board.kind == "gpio" for board in table.boards.values()):
        return {}
    return parts
