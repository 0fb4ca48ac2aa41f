"""Draws scenarios: the table, the game, the choices and the injected faults of each evening.

An evening is a few rounds on one table, with one plant and one journal. All draws depend only on
the seed and the number of the evening, so a single evening can be repeated.

The choices of the house and its players are drawn uniformly among all legal ones. Every parameter
of a game is drawn from all its values: true and false, all values of a `Literal`, and for numbers
and lists the values in `DOMAINS`. Other parameters keep the value of the game's file. If the rules
refuse a combination, or the game then does not fit the table, the parameters are drawn again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from random import Random
from typing import Any, Literal, get_args, get_origin, get_type_hints

from config.layout.mixing import with_drum
from config.loader import game_names, load_game, load_table, table_names
from config.schema import GameConfig, Table
from config.validation.checks import fit
from config.validation.game_parameters import accepted, game_parameters
from controller.run.orders import Follow, Orders
from firmware_bridge.sim.faults.injected_fault import Always, At, InjectedFault, Nth, Rate, When
from firmware_bridge.sim.faults.kinds import BY_OUTPUTS, KINDS
from firmware_bridge.sim.people.hand_players import STYLES, Style
from rules.games import find_game
from rules.geometry import Seat

EVENING = 3
"""Number of rounds in an evening."""
PHASES = 14
"""Approximate number of state changes in a round; a fault is injected after one of them."""
AFTER = 9.0
"""Longest delay of a fault after the state change, seconds."""
FOLLOW: tuple[Follow, ...] = ("none", "result", "play")
WAITING_HOUSES = 0.5
"""Share of houses whose table waits for the result of a hand without an end."""
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
class Choices:
    """Choices for a whole evening.

    `house` are the parameters that differ from the game's file. `style` is the players' style in
    hands that the table follows. `obliging` people follow every prompt. With a `short_mix` a set is
    built below while a hand is dealt on top; the shipped tables mix for too long for that. With
    `reported` people say how each hand has ended that the table does not follow; the table waits
    for it as `Orders` does.
    """

    house: Mapping[str, Any] = field(default_factory=dict)
    players: int | None = None
    dealer: Seat = 0
    fastest: bool = False
    style: Style = "sensible"
    obliging: bool = True
    short_mix: bool = False
    reported: bool = False
    result_wait: float = 60.0
    waits_for_result: bool = False

    def table(self, table: Table) -> Table:
        """The table with the mixing time of this evening."""
        return with_drum(table, mix=SHORT_MIX) if self.short_mix else table

    def config(self, config: GameConfig) -> GameConfig:
        """The game's file with this house's parameters."""
        return config.model_copy(update={"parameters": {**config.parameters, **self.house}})

    def orders(self, config: GameConfig, answers: Mapping[str, int | str], *, play: bool) -> Orders:
        """The orders for every round; `answers` are choices given in advance."""
        return Orders(
            find_game(config.game),
            game_parameters(self.config(config)),
            self.dealer,
            self.players,
            answers=answers,
            fastest=self.fastest,
            follow=self.follow(play=play),
            result_wait=self.result_wait,
            waits_for_result=self.waits_for_result,
        )

    def follow(self, *, play: bool) -> Follow:
        """What the table knows of a hand."""
        return "play" if play else "result" if self.reported else "none"

    def facts(self, config: GameConfig, *, play: bool) -> dict[str, object]:
        """Each choice by its name, including the parameters of the game."""
        parameters = game_parameters(self.config(config))
        seating = (
            find_game(config.game)
            .setup(players=self.players, dealer=self.dealer, parameters=parameters)
            .seating
        )
        facts: dict[str, object] = {
            "players": seating.players,
            "dealer": self.dealer,
            "order of packets": "fastest" if self.fastest else "ritual",
            "what the table knows of a hand": self.follow(play=play),
            "answers to prompts": "as asked" if self.obliging else "any",
            "mixing": f"{SHORT_MIX:g} s" if self.short_mix else "as in the table's file",
        }
        if play:
            facts["players' style"] = self.style
        for name in domains(config.game):
            facts[f"parameter {name}"] = getattr(parameters, name)
        return facts


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
    """Draw the evening with this number.

    With `play` None hands are followed, are reported by people, or neither; each is equally likely.
    """
    chance = Random(f"{seed}:chaos {number}")
    table, game = pairs[chance.randrange(len(pairs))]
    chance.random()
    machine = load_table(table)
    known: Follow = Random(f"{seed}:follow {number}").choice(FOLLOW)
    follow = known == "play" if play is None else play
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
        choices=replace(
            draw(Random(f"{seed}:choices {number}"), machine, config, play=follow),
            reported=play is None and known == "result",
            result_wait=Random(f"{seed}:wait {number}").choice((5.0, 60.0)),
            waits_for_result=Random(f"{seed}:waits {number}").random() < WAITING_HOUSES,
        ),
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


SHIPPED = 0.5
"""Share of the evenings with the parameters of the game's file."""
OBLIGING = 0.8
"""Share of the evenings whose people follow every prompt."""
DRAWS = 20
"""Number of draws of parameters after which those of the game's file are used."""

DOMAINS: Mapping[str, tuple[Any, ...]] = {
    # Pai gow
    "n_dice": (1, 2, 3),
    "commission": (0.0, 0.05),
    "house_seats": ([], [1], [0, 5]),
    "hands_as_bank": (1, 2),
    "user_cuts": (
        [],
        [
            {
                "name": "our_cut",
                "hands": [
                    [f"p{column}.{level}" for level in (4, 2, 3, 1)] for column in range(1, 9)
                ],
            }
        ],
    ),
    # Wenzhou
    "dealer_scale": ([2, 4, 6, 8], [1], [2, 3, 4]),
    "reserve": (0, 14, 16, 40),
    "caishen_money": (0, 2),
    "discard_order_penalty": (0, 3),
    # Filipino
    "plus_n_range": ([], [1, 6], [2, 3]),
    "columns": ([18, 18, 18, 18], [17, 19, 18, 18], [19, 17, 19, 17]),
    "mano_batches": ([9, 8], [8, 9], [8, 8, 1]),
    "exhaust_reserve": (0, 14),
    "flores_bonus": (0, 5),
    "bonus_low": (0, 2),
    "bonus_high": (10, 13),
    "back_to_back": (0, 3),
    "middle": (0, 3),
    # Dominoes
    "hand": ([7, 7, 7], [7, 5, 5], [5, 5, 5]),
    "boneyard_reserve": (0, 1, 2),
    "set_points": (0, 2),
    "double_header": (0, 2),
    "triple_header": (0, 3),
    "hand_win": (0, 1),
    "target": (15, 61, 100),
    # Backgammon
    "automatic_doubles": (0, 1, 2),
    "match_points": (0, 1, 3),
    # Da San
    "stake_unit": (1, 2),
    "start_chips": (3, 25),
}
"""Values of numbers and lists by parameter, in the notation of a game's file."""


SHORT_MIX = 8.0
"""Seconds of mixing in an evening with a short mix."""


@cache
def domains(game: str) -> Mapping[str, tuple[Any, ...]]:
    """The values that can be drawn, by parameter of the game."""
    parameters = type(find_game(game).parameters())
    hints = get_type_hints(parameters)
    found = {each.name: _domain(each.name, hints[each.name]) for each in fields(parameters)}
    return {name: values for name, values in found.items() if values}


def draw(chance: Random, table: Table, config: GameConfig, *, play: bool) -> Choices:
    """Draw the choices of one evening."""
    house: Mapping[str, Any] = {}
    if chance.random() >= SHIPPED:
        house = _house(chance, table, config)
    parameters = game_parameters(Choices(house).config(config))
    players = _players(chance, config.game, parameters)
    seats = find_game(config.game).setup(players=players, parameters=parameters).seating.players
    return Choices(
        house,
        players,
        chance.randrange(seats),
        table.modules.gantry is not None and chance.random() < 0.5,
        chance.choice(STYLES) if play else "sensible",
        chance.random() < OBLIGING,
        table.modules.drum is not None and chance.random() < 0.5,
    )


def _house(chance: Random, table: Table, config: GameConfig) -> Mapping[str, Any]:
    for _ in range(DRAWS):
        house = {name: chance.choice(values) for name, values in domains(config.game).items()}
        drawn = config.model_copy(update={"parameters": {**config.parameters, **house}})
        _, defects = accepted(config.game, drawn.parameters)
        if not defects and fit(table, find_game(config.game), drawn).fits:
            return house
    return {}


def _players(chance: Random, game: str, parameters: object) -> int:
    return chance.choice(find_game(game).players)


def _domain(name: str, hint: Any) -> tuple[Any, ...]:
    if name in DOMAINS:
        return DOMAINS[name]
    if hint is bool:
        return (False, True)
    return get_args(hint) if get_origin(hint) is Literal else ()
