"""`wallwright lab chance`: tests the random source of this computer and what is made of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table as Grid

from controller.cli.errors import print_error
from controller.cli.terminal.screen import screen
from controller.run.chance.health_tests import EntropyFailureError
from controller.run.chance.source import OperatingSystemChance

if TYPE_CHECKING:
    from controller.run.chance.tests_of_streams.laboratory import Results, StreamReport

FAILED = 1


def chance(
    cycles: Annotated[
        int,
        typer.Option(
            min=1000, max=100_000, help="Cycles to draw, as a table does; 9 kB of memory each."
        ),
    ] = 2000,
    tiles: Annotated[int, typer.Option(min=8, max=152, help="Tiles in each permutation.")] = 136,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> int:
    """Test the random source of this computer, and the permutations and dice drawn with it."""
    from controller.run.chance.tests_of_streams.laboratory import FALSE_ALARMS, examine_source

    try:
        report = examine_source(OperatingSystemChance("laboratory"), cycles, tiles)
    except EntropyFailureError as failure:
        print_error(f"The random source failed: {failure}. Nothing may be drawn from it.")
        return FAILED
    if as_json:
        print(json.dumps(report.facts(), indent=2))
        return FAILED if report.failed else 0
    sizes = (
        f"{cycles:,} cycles: {32 * cycles:,} bytes, {cycles:,} permutations of {tiles} tiles,"
        f" {40 * cycles:,} dice"
    )
    screen().print(_grid(sizes, report.first))
    if report.second.tests:
        screen().print(_grid("Repeated with a second sample of the same size", report.second))
    for sentence in _verdict(report, round(1 / FALSE_ALARMS, -2)):
        screen().print(sentence)
    return FAILED if report.failed else 0


def _grid(title: str, results: Results) -> Grid:
    grid = Grid(title=title, title_justify="left", box=None)
    for head in ("test", "expected of an ideal source"):
        grid.add_column(head)
    for head in ("statistic", "p", "p corrected"):
        grid.add_column(head, justify="right")
    for test, corrected in zip(results.tests, results.corrected, strict=True):
        found = f"{test.statistic:,.2f}", f"{test.p:.4f}", f"{corrected:.4f}"
        grid.add_row(test.name, test.question, *found)
    return grid


def _verdict(report: StreamReport, alarms: float) -> tuple[str, ...]:
    """The result in sentences; an ideal source fails once in `alarms` runs at most."""
    rate = f"An ideal source fails this command at most once in {alarms:,.0f} runs."
    names = ", ".join(test.name for test in report.failed)
    if names:
        return (
            f"The source or what is drawn from it is bad; these tests fail: {names}.",
            rate + " Take the table out of use, and run the command again on another computer.",
        )
    if report.second.tests:
        cleared = "All tests pass: what failed in the first sample passes in a second one."
        return cleared, "One sample of an ideal source fails in at most 1 of 100 runs. " + rate
    return "All tests pass.", rate
