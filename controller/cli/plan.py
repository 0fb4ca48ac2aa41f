"""`wallwright plan`: a whole set-up on paper, without a machine."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Annotated

import typer
from rich.console import Console
from rich.prompt import Prompt as Question

from config.checks import fit
from config.loader import game_parameters, load_game, load_table
from controller.cli.options import (
    Bottom,
    CutName,
    Dealer,
    End,
    Players,
    Reverse,
    Throws,
    Wall,
    answers_of,
    require_fit,
    throws_of,
)
from controller.cli.pages import plan_page
from controller.deal import Orders
from controller.lanes import hands_for_lanes
from controller.preview import preview
from rules.dice import Dice, parse_throw
from rules.errors import MissingThrow
from rules.games import find_game
from rules.plan import facts, settle
from rules.setup import Setup


def plan(
    game: Annotated[str, typer.Argument(help="A game: 'wallwright games' lists them.")],
    dealer: Dealer = 0,
    throw: Throws = None,
    cut: CutName = None,
    reverse: Reverse = False,
    bottom: Bottom = False,
    wall: Wall = None,
    end: End = None,
    players: Players = None,
    table: Annotated[
        str | None, typer.Option(help="Plan its moves on this table.", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, for programs.")] = False,
) -> int:
    """Print the whole set-up of a game: walls, break, deal, indicator, replacements."""
    rules = find_game(game)
    answers = answers_of(rules, cut, reverse, bottom, wall, end)
    config = load_game(game)
    parameters = game_parameters(config)
    setup = rules.setup(players=players, dealer=dealer, parameters=parameters)
    settled = _settled(setup, throws_of(throw), answers)
    told = {"table": table, **facts(settled)}
    if table is not None:
        machine = load_table(table)
        verdict = fit(machine, rules, config)
        require_fit(machine, verdict.fits, verdict.reasons, rules)
        orders = Orders(rules, parameters, dealer, players)
        shown = preview(settled, machine, config.tile, hands_for_lanes(machine, orders))
        told |= {"moves": [move.facts() for move in shown.moves], "seconds": shown.seconds}
    if as_json:
        print(json.dumps(told, indent=2))
    else:
        Console().print(plan_page(rules, told))
    return 0


def _settled(setup: Setup, throws: list[Dice], answers: Mapping[str, int | str]) -> Setup:
    """The set-up at its end; on a terminal a missing throw is asked for."""
    while True:
        try:
            return settle(setup, throws, answers)
        except MissingThrow as missing:
            if not (sys.stdin.isatty() and sys.stdout.isatty()):
                raise
            asked = Question.ask(f"Seat {missing.by}, {missing.why}: the dice, as 3,5")
            throws = [*throws, parse_throw(asked)]
