"""`wallwright judge`: decides whether a claim is valid, and who pays whom."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Group
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from config.judge_cases import example_case, load_case
from controller.cli.errors import BadInputError
from controller.cli.options.lookup import game_name
from controller.cli.options.shared import GameArgument
from controller.cli.terminal.screen import screen
from rules.errors import RulesError
from rules.games import judging_of
from rules.judging import Verdict
from rules.play import Payment


def judge(
    game: GameArgument,
    case: Annotated[
        Path | None,
        typer.Argument(
            help="The case: a YAML file, described in docs/operate/CASES.md.", show_default=False
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
    example: Annotated[
        bool, typer.Option("--example", help="Print an example of a case instead of judging one.")
    ] = False,
) -> int:
    """Judge a claim: whether it is valid, why, its class, and every payment."""
    game = game_name(game)
    if example and (case is not None or as_json):
        raise BadInputError(
            "`--example` prints an example and judges no case; leave out the case and --json."
        )
    if example:
        print(example_case(game), end="")
        return 0
    if case is None:
        raise BadInputError(
            f"CASE is missing; name a YAML file. 'wallwright judge {game} --example' prints an"
            " example."
        )
    stated = load_case(game, case)
    try:
        verdict = judging_of(game).decide(stated)
    except RulesError as error:
        raise BadInputError(f"{case}: {error}") from error
    if as_json:
        print(json.dumps(verdict.facts(), indent=2))
    else:
        screen().print(verdict_page(game, verdict))
    return 0


def verdict_page(game: str, verdict: Verdict) -> Panel:
    """Format a verdict as a panel for the terminal."""
    result = "valid" if verdict.legal else "not valid"
    name = f"{verdict.name} x{verdict.multiplier}" if verdict.win else verdict.name
    lines: list[Any] = [Text(f"The claim is {result}. {name}".strip(), style="bold")]
    lines += [Text(f"- {reason}") for reason in verdict.reasons]
    if verdict.payments:
        lines.append(payments_grid(verdict.payments))
    return Panel(Group(*lines), title=game, subtitle=_rules_page(game), expand=False)


def _rules_page(game: str) -> str | None:
    """The page that explains the rule numbers of a verdict; None for the game of a plug-in."""
    module = judging_of(game).case.__module__
    if not module.startswith("rules.games."):
        return None
    return f"docs/rules/{module.split('.')[2]}.md"


def payments_grid(payments: Iterable[Payment]) -> Grid:
    """A table of payments: from, to, amount and reason."""
    grid = Grid("from", "to", "amount", "why", box=None)
    for payment in (each.facts() for each in payments):
        grid.add_row(*(str(payment[key]) for key in ("from", "to", "amount", "why")))
    return grid
