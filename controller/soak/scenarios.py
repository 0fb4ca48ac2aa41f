"""Draws scenarios: which games on which tables, and which faults are injected in each round.

An evening is some rounds on one table, which share its plant and its journal. Everything follows
from the seed and the evening's number, so a single evening can be played again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from config.loader import game_names, load_game, load_table, table_names
from config.schema import Table
from config.validation.checks import fit
from controller.soak.choices import Choices, draw
from firmware_bridge.sim.faults.injection import Always, At, InjectedFault, Nth, Rate, When
from firmware_bridge.sim.faults.kind import BY_OUTPUTS
from firmware_bridge.sim.faults.kinds import KINDS
from rules.games import find_game

EVENING = 3
"""Rounds of an evening."""
PHASES = 14
"""Approximate number of state changes in a round; each fault is injected after one of them."""
AFTER = 9.0
"""Longest delay of a fault after the state change, seconds."""
PLAYED = 1 / 3
"""Share of evenings whose hands are followed by the rules."""
ONCE, ALWAYS = 0.85, 0.93
"""How often faults inside the table occur: mostly once, sometimes always, else now and then."""
OCCASIONS: Mapping[str, int] = {
    "each tile that the wheel lifts": 40,
    "each set that people push in": 1,
    "each time it sets off from an end": 2,
    "each change of the sensor": 12,
    "each start of one of its motors": 4,
    "each start of the belt": 3,
    "each block that it carries off": 8,
    "each reading": 1,
    "each throw": 2,
    "each time that a person is asked for help": 1,
}
"""Last occasion of its kind, counted from the injection, at which a fault may occur; else the
first."""
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
"""Duration or severity of faults, where it is drawn; otherwise the default applies."""
STRANGE = frozenset({"extra_tile", "foreign_tile"})
"""Faults that the simulated players cannot play on with and cannot report, once they see them."""
UNSEEN = ("wenzhou", "filipino", "pai_gow")
"""Games in whose set-up no player looks at the tiles dealt: there a strange tile may lie."""
WRITES = 12
"""Half of the host deaths occur at one of this many next journal writes."""


@dataclass(frozen=True)
class ScheduledFault:
    """One scheduled fault: injected `delay` seconds after the round's change of state `phase`.

    A fault without `when` occurs at once. `write` is the journal write, counted from then, at which
    the host dies: before the write (negative), or right after it.
    """

    kind: str
    part: str
    phase: int
    delay: float
    when: When | None = None
    size: float | None = None
    write: int = 0

    def injected(self, now: float) -> InjectedFault:
        """The fault as it is injected at this time since power-on."""
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

    `spares` are one a round: a spare is injected when the round is ready to play, if no fault has
    occurred by then.
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
        """Kinds of all faults that may occur."""
        scheduled_faults = [
            scheduled
            for scheduled_faults in (*self.scheduled_faults, self.spares)
            for scheduled in scheduled_faults
        ]
        return frozenset(scheduled.kind for scheduled in scheduled_faults)


def evening_of(
    number: int, seed: int, pairs: Sequence[tuple[str, str]], play: bool | None = None
) -> Evening:
    """The evening of this number. `play` None leaves to chance whether hands are followed."""
    chance = Random(f"{seed}:chaos {number}")
    table, game = pairs[chance.randrange(len(pairs))]
    follow = chance.random() < PLAYED
    machine = load_table(table)
    follow = follow if play is None else play
    config = load_game(game)
    spared = STRANGE if follow or config.game not in UNSEEN else frozenset[str]()
    return Evening(
        first=number * EVENING,
        table=table,
        game=game,
        seed=chance.randrange(1 << 31),
        play=follow,
        scheduled_faults=tuple(_round(chance, machine, spared) for _ in range(EVENING)),
        spares=tuple(_spare(chance, machine) for _ in range(EVENING)),
        choices=draw(Random(f"{seed}:choices {number}"), machine, config, play=follow),
    )


def pairs_of(games: Sequence[str] = (), tables: Sequence[str] = ()) -> tuple[tuple[str, str], ...]:
    """Every table with every game that fits it, of those that are named; none named is all."""
    return tuple(
        (table, game)
        for table in tables or table_names()
        for game in games or game_names()
        if fit(load_table(table), find_game(game), load_game(game)).fits
    )


def _round(chance: Random, table: Table, spared: frozenset[str]) -> tuple[ScheduledFault, ...]:
    number = chance.choices((1, 2, 3), (6, 3, 1))[0]
    names = [name for name in KINDS if name not in spared and _parts(name, table)]
    return tuple(_scheduled_fault(chance, table, chance.choice(names)) for _ in range(number))


def _spare(chance: Random, table: Table) -> ScheduledFault:
    """A fault from outside the table, which can occur at any moment."""
    names = [n for n, k in KINDS.items() if k.occasion is BY_OUTPUTS and _parts(n, table)]
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
    """Parts that a kind can affect; on bare pins a host's death also resets the boards' counts."""
    parts = KINDS[name].parts(table)
    if name == "bouncing_sensor":
        # A bouncing counter cannot be detected: the table counts a tile that is not there.
        heads = table.modules.heads
        counters = {head.counter for head in heads.ports} if heads else set[str]()
        parts = {part: site for part, site in parts.items() if site not in counters}
    if name == "power_cut" and any(board.kind == "gpio" for board in table.boards.values()):
        return {}
    return parts
