"""Draws the choices of a house and its players for an evening, uniformly among all legal ones.

Every parameter of a game is drawn from all its values: true and false, all values of a `Literal`,
and for numbers and lists the values in `DOMAINS`. Other parameters keep the value of the game's
file. If the rules refuse a combination, or the game then does not fit the table, the parameters are
drawn again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from random import Random
from typing import Any, Literal, get_args, get_origin, get_type_hints

from config.layout.mixing import with_drum
from config.schema import GameConfig, Table
from config.validation.checks import fit
from config.validation.game_parameters import accepted, game_parameters
from controller.run.orders import Orders
from firmware_bridge.sim.people.styles import STYLES, Style
from rules.games import find_game
from rules.geometry import Seat

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


@dataclass(frozen=True)
class Choices:
    """Choices for a whole evening.

    `house` are the parameters that differ from the game's file. `style` is the players' style in
    hands that the table follows. `obliging` people follow every prompt. With a `short_mix` a set is
    built below while a hand is dealt on top; the shipped tables mix for too long for that.
    """

    house: Mapping[str, Any] = field(default_factory=dict)
    players: int | None = None
    dealer: Seat = 0
    fastest: bool = False
    style: Style = "sensible"
    obliging: bool = True
    short_mix: bool = False

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
            play=play,
        )

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
            "hands followed": play,
            "answers to prompts": "as asked" if self.obliging else "any",
            "mixing": f"{SHORT_MIX:g} s" if self.short_mix else "as in the table's file",
        }
        if play:
            facts["players' style"] = self.style
        for name in domains(config.game):
            facts[f"parameter {name}"] = getattr(parameters, name)
        return facts


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
