"""`wallwright lab chance`: tests the random source of this computer and what is made of it."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.table import Table as Grid

from controller.chance.health_tests import EntropyFailureError
from controller.chance.source import OperatingSystemChance
from controller.cli.errors import BadInputError, print_error
from controller.cli.terminal.screen import screen

FAILED = 1


def chance(
    cycles: Annotated[
        int, typer.Option(min=1000, max=1_000_000, help="Cycles to draw, as a table does.")
    ] = 2000,
    tiles: Annotated[int, typer.Option(min=8, max=152, help="Tiles in each permutation.")] = 136,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> int:
    """Test the random source of this computer, and the permutations and dice drawn with it."""
    try:
        from controller.chance.tests_of_streams.laboratory import SIGNIFICANCE, examine_source
    except ImportError as error:
        raise BadInputError(
            f"The command needs the package {error.name}; install wallwright with the extra 'lab'."
        ) from error
    try:
        report = examine_source(OperatingSystemChance("laboratory"), cycles, tiles)
    except EntropyFailureError as failure:
        print_error(f"The random source failed: {failure}. Nothing may be drawn from it.")
        return FAILED
    if as_json:
        print(json.dumps(report.facts(), indent=2))
        return FAILED if report.failed else 0
    grid = Grid(
        title=f"{cycles:,} cycles: {32 * cycles:,} bytes, {cycles:,} permutations of {tiles} tiles,"
        f" {40 * cycles:,} dice",
        title_justify="left",
        box=None,
    )
    for head in ("test", "expected of an ideal source"):
        grid.add_column(head)
    for head in ("statistic", "p", "p corrected"):
        grid.add_column(head, justify="right")
    for test, corrected in zip(report.tests, report.corrected, strict=True):
        found = f"{test.statistic:,.2f}", f"{test.p:.4f}", f"{corrected:.4f}"
        grid.add_row(test.name, test.question, *found)
    screen().print(grid)
    level = f"{1 - SIGNIFICANCE:.0%}"
    if not report.failed:
        screen().print(f"No test fails at {level} confidence.")
        return 0
    names = ", ".join(test.name for test in report.failed)
    screen().print(f"These tests fail at {level} confidence: {names}. Run the command again; an")
    screen().print("ideal source fails it twice with a probability of 1 in 10,000.")
    return FAILED
