"""`wallwright plan`: prints the whole set-up of a game without a machine."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Annotated

import typer

from config.loader import game_parameters
from config.schema import GameConfig, Table
from controller.cli.options import completion
from controller.cli.options.lookup import game_named, require_fit, table_named
from controller.cli.options.set_up import (
    Bottom,
    CutName,
    Dealer,
    End,
    Players,
    Plus,
    Reverse,
    Throws,
    Wall,
    answers_of,
    example_of,
    how_to_throw,
    throws_of,
    with_plus,
)
from controller.cli.options.shared import GameArgument
from controller.cli.terminal.screen import screen
from rules.dice import Dice, parse_throw
from rules.errors import MissingThrowError, RulesError
from rules.setup import Setup, facts, settle
from rules.steps import Throw


def plan(
    game: GameArgument,
    dealer: Dealer = 0,
    throw: Throws = None,
    cut: CutName = None,
    reverse: Reverse = False,
    bottom: Bottom = False,
    wall: Wall = None,
    end: End = None,
    plus: Plus = None,
    players: Players = None,
    table: Annotated[
        str | None,
        typer.Option(
            help="Also plan the moves of this table: a name, or the path of a YAML file.",
            autocompletion=completion.tables,
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> int:
    """Print the whole set-up of a game: walls, break, deal, indicator, replacements."""
    rules, config = game_named(game)
    parameters, added = with_plus(rules, game_parameters(config), plus)
    answers = answers_of(rules, parameters, cut, reverse, bottom, wall, end) | added
    machine = None if table is None else table_named(table)
    if machine is not None:
        require_fit(machine, rules, config)
    setup = rules.setup(players=players, dealer=dealer, parameters=parameters)
    settled = _settled(setup, throws_of(throw), answers)
    result = facts(settled)
    result = {"game": result.pop("game"), "table": machine and machine.name, **result}
    if machine is not None:
        result |= _moves(settled, machine, config)
    if as_json:
        print(json.dumps(result, indent=2))
    else:
        from controller.cli.output.result_pages import plan_page

        screen().print(plan_page(rules, result))
    return 0


def _moves(settled: Setup, table: Table, config: GameConfig) -> dict[str, object]:
    """The moves of a table for this set-up, each with the shortest time of the move alone."""
    from controller.run.orders import Orders
    from controller.run.planning.magazine import expected_magazine_times
    from controller.run.planning.planner import preview
    from controller.run.planning.setup_forecast import hands_for_lanes

    seating = settled.seating
    orders = Orders(settled.game, settled.parameters, seating.dealer, seating.players)
    planned = preview(settled, table, config.tile, hands_for_lanes(table, orders))
    times = expected_magazine_times(table, settled.layout.count)
    magazine: dict[str, object] = {}
    if times is not None:
        seconds, turning = round(times.total, 3), round(times.turning, 3)
        magazine = {"shuffle": table.shuffle, "seconds": seconds, "turning": turning}
    return {
        **({"magazine": magazine} if magazine else {}),
        "moves": [
            {**move.facts(), "seconds": seconds}
            for move, seconds in zip(planned.moves, planned.seconds_each, strict=True)
        ],
        "seconds": planned.seconds,
    }


def _settled(setup: Setup, throws: list[Dice], answers: Mapping[str, int | str]) -> Setup:
    """Complete the set-up; at a terminal, ask for each missing throw."""
    while True:
        try:
            return settle(setup, throws, answers)
        except MissingThrowError as missing:
            if not (sys.stdin.isatty() and sys.stderr.isatty()):
                raise how_to_throw(missing) from missing
            throws = [*throws, _ask(missing)]


def _ask(missing: MissingThrowError) -> Dice:
    """Ask for this throw until the answer is valid. Raises BadInputError if the input ends."""
    from rich.prompt import Prompt as Question

    console = screen(errors=True)
    throw = Throw(missing.by, missing.dice, missing.why, missing.times)
    while True:
        try:
            text = f"Seat {missing.by}, {missing.why}: type the dice as {example_of(missing)}"
            answer = Question.ask(text, console=console)
            dice = parse_throw(answer.strip())
            throw.check(dice)
        except EOFError:
            raise how_to_throw(missing) from None
        except RulesError as error:
            console.print(str(error), markup=False, highlight=False)
        else:
            return dice
