"""`wallwright judge`: given what lies on the table, does the claim stand, and who pays whom?"""

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

from config.judge_cases import load_case
from controller.cli.errors import BadInputError
from controller.cli.named import game_name
from controller.cli.options import GameArgument
from controller.cli.screen import screen
from rules.errors import RulesError
from rules.games import judging_of
from rules.judge_registry import Verdict
from rules.play import Payment


def judge(
    game: GameArgument,
    case: Annotated[Path, typer.Argument(help="The case, a YAML file.")],
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, for programs.")] = False,
) -> int:
    """Judge a claim: whether it stands, why, its class, and every payment."""
    game = game_name(game)
    told = load_case(game, case)
    try:
        verdict = judging_of(game).judge(told)
    except RulesError as error:
        raise BadInputError(f"{case}: {error}") from error
    if as_json:
        print(json.dumps(verdict.facts(), indent=2))
    else:
        screen().print(verdict_page(game, verdict))
    return 0


def verdict_page(game: str, verdict: Verdict) -> Panel:
    """A verdict as a page for people."""
    told = "stands" if verdict.legal else "does not stand"
    what = f"{verdict.name} x{verdict.multiplier}" if verdict.win else verdict.name
    lines: list[Any] = [Text(f"The claim {told}. {what}".strip(), style="bold")]
    lines += [Text(f"- {reason}") for reason in verdict.reasons]
    if verdict.payments:
        lines.append(payments_grid(verdict.payments))
    return Panel(Group(*lines), title=game, expand=False)


def payments_grid(payments: Iterable[Payment]) -> Grid:
    """Who pays whom, how much and why."""
    grid = Grid("from", "to", "amount", "why", box=None)
    for payment in (each.facts() for each in payments):
        grid.add_row(*(str(payment[key]) for key in ("from", "to", "amount", "why")))
    return grid
