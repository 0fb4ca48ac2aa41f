"""`wallwright plan`: prints the whole set-up of a game without a machine."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping

import click

from config.loader import game_parameters
from controller.cli.command import CliCommand
from controller.cli.options import completion
from controller.cli.options.lookup import game_named, require_fit, table_named
from controller.cli.options.set_up import (
    answers_of,
    bottom_option,
    cut_option,
    dealer_option,
    end_option,
    example_of,
    how_to_throw,
    players_option,
    plus_option,
    reverse_option,
    throw_option,
    throws_of,
    wall_option,
    with_plus,
)
from controller.cli.options.shared import game_argument, json_option
from controller.cli.terminal.screen import screen
from rules.dice import Dice, parse_throw
from rules.errors import MissingThrowError, RulesError
from rules.setup import Setup, facts, settle
from rules.steps import Throw


@click.command(cls=CliCommand)
@game_argument
@dealer_option
@throw_option
@cut_option
@reverse_option
@bottom_option
@wall_option
@end_option
@plus_option
@players_option
@click.option(
    "--table",
    shell_complete=completion.tables,
    help="Also plan the moves of this table: a name, or the path of a YAML file.",
)
@json_option
def plan(
    game: str,
    dealer: int,
    throw: tuple[str, ...],
    cut: str | None,
    reverse: bool,
    bottom: bool,
    wall: int | None,
    end: str | None,
    plus: int | None,
    players: int | None,
    table: str | None,
    as_json: bool,
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
        from controller.cli.output.planned_moves import moves_of

        result |= moves_of(settled, machine, config)
    if as_json:
        print(json.dumps(result, indent=2))
    else:
        from controller.cli.output.result_pages import plan_page

        screen().print(plan_page(rules, result))
    return 0


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
