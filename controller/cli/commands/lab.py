"""`wallwright lab`: computes probabilities of the games, and examines shuffles and random choices.

`lab paigow` prints the frequency of each rank of pai gow. With `--against` it prints the mean
result of every house way against the given one, and that of the best split of every hand. `lab
shuffle` compares shuffle cycles of a table with a perfect shuffle. `lab chance` tests the random
source of this computer and the choices drawn from it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Table as Grid

from controller.cli.command import CommandGroup
from controller.cli.errors import BadInputError, print_error
from controller.cli.options import completion
from controller.cli.options.shared import PATH, json_option
from controller.cli.output.output_checks import require_new
from controller.cli.terminal.screen import screen
from controller.run.chance.source import EntropyFailureError, OperatingSystemChance
from rules.games.pai_gow.house_ways import HOUSE_WAYS, find_house_way
from rules.games.pai_gow.optimum import (
    RankRow,
    Role,
    expectation,
    high_hand_table,
    optimum,
    two_tile_table,
)
from rules.games.pai_gow.ranking import Ranking, Split
from rules.tiles import Face

if TYPE_CHECKING:
    from controller.run.chance.laboratory import Results, StreamReport


FAILED = 1


lab = CommandGroup("lab", help="Print probabilities of the games and results of strategies.")


@lab.command()
@click.option(
    "--cycles",
    type=click.IntRange(min=1000, max=100000),
    default=2000,
    help="Cycles to draw, as a table does; 9 kB of memory each.",
)
@click.option(
    "--tiles", type=click.IntRange(min=8, max=152), default=136, help="Tiles in each permutation."
)
@json_option
def chance(cycles: int, tiles: int, as_json: bool) -> int:
    """Test the random source of this computer, and the permutations and dice drawn with it."""
    from controller.run.chance.laboratory import FALSE_ALARMS, examine_source

    try:
        report = examine_source(OperatingSystemChance("laboratory"), cycles, tiles)
    except EntropyFailureError as failure:
        print_error(f"The random source failed: {failure}. Do not use its values.")
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


ROLES: tuple[Role, ...] = ("player", "banker")


@lab.command()
@click.option("--against", help="Also print the mean result of each house way against this one.")
@json_option
def paigow(against: str | None, as_json: bool) -> int:
    """Print the frequency of each two-tile rank and of each best high hand of four tiles."""
    earned = None if against is None else _earned(find_house_way(against).name)
    two_tiles, best_high_hand = two_tile_table(), high_hand_table()
    if as_json:
        report: dict[str, object] = {
            "two_tiles": [_facts(row) for row in two_tiles],
            "best_high_hand": [_facts(row) for row in best_high_hand],
        }
        if earned is not None:
            report["against"] = {"house_way": against, **earned}
        print(json.dumps(report, indent=2))
        return 0
    screen().print(_page("two tiles", two_tiles))
    screen().print(_page("best high hand of four tiles", best_high_hand))
    if earned is not None:
        screen().print(_ways_page(f"against {against}", earned))
    return 0


def _facts(row: RankRow) -> Mapping[str, object]:
    return {
        "rank": row.name,
        "count": row.count,
        "of": row.hands,
        "probability": _share(row.count, row),
    }


def _share(count: int, row: RankRow) -> float:
    return round(count / row.hands, 6)


def _page(title: str, rows: Sequence[RankRow]) -> Grid:
    grid = Grid(title=f"Pai gow, {title}: {rows[0].hands:,} hands", title_justify="left", box=None)
    grid.add_column("rank")
    for head in ("hands", "probability", "or better"):
        grid.add_column(head, justify="right")
    for row in rows:
        shares = (f"{_share(count, row):.4%}" for count in (row.count, row.at_least))
        grid.add_row(row.name, f"{row.count:,}", *shares)
    return grid


def _earned(other: str) -> dict[str, dict[str, float]]:
    """For each role, the mean result of every house way and of the best splits."""
    ranking = Ranking()
    earned: dict[str, dict[str, float]] = {}
    for role in ROLES:
        ways: dict[str, Callable[[tuple[Face, ...]], Split]] = {
            name: partial(way.set, ranking=ranking) for name, way in HOUSE_WAYS.items()
        }
        ways["optimum"] = partial(optimum, against=other, role=role)
        earned[role] = {
            name: round(float(expectation(way, against=other, role=role)), 6)
            for name, way in ways.items()
        }
    return earned


def _ways_page(title: str, earned: Mapping[str, Mapping[str, float]]) -> Grid:
    grid = Grid("set by", title=f"Pai gow, {title}: mean result", title_justify="left", box=None)
    for role in ROLES:
        grid.add_column(f"as {role}", justify="right")
    for name in (*HOUSE_WAYS, "optimum"):
        grid.add_row(name, *(f"{earned[role][name]:+.4%}" for role in ROLES))
    return grid


EXTRA = ("numpy", "scipy", "matplotlib")
"""The packages of the extra `lab`; some are imported only after all cycles are shuffled."""


@lab.command()
@click.option(
    "--table",
    default="robotic",
    shell_complete=completion.tables,
    help="The table: its name or its YAML file.",
)
@click.option(
    "--game",
    default="wenzhou",
    shell_complete=completion.games,
    help="The game: its name, its YAML file, or the folder of its package.",
)
@click.option("--cycles", type=int, default=1000, help="Number of cycles to simulate.")
@click.option(
    "--seed",
    type=int,
    default=0,
    help="Seed of the simulation; the same seed gives the same report.",
)
@click.option(
    "--jobs",
    type=int,
    default=1,
    help="Number of processes that simulate at the same time; the report is the same.",
)
@click.option(
    "--cluster",
    help="Address of a Dask scheduler whose computers simulate; the report is the same.",
)
@click.option(
    "--recorded",
    type=PATH,
    help="Examine the cycles in this file of tag orders, and simulate nothing.",
)
@click.option("--html", type=PATH, help="Write a report with plots to this file, in HTML.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON, for programs.")
def shuffle(
    table: str,
    game: str,
    cycles: int,
    seed: int,
    jobs: int,
    cluster: str | None,
    recorded: Path | None,
    html: Path | None,
    as_json: bool,
) -> int:
    """Compare shuffle cycles with a perfect shuffle; exit code 1 if a statistic differs."""
    if jobs < 1:
        raise BadInputError(f"`--jobs` must be at least 1; got {jobs}.")
    require_new("--html", None if html is None else str(html))
    for package in EXTRA:
        if find_spec(package) is None:
            raise ModuleNotFoundError(name=package)
    from controller.cli.runs.shuffle_session import ShuffleJob, examine_shuffle

    job = ShuffleJob(table, game, cycles, seed, jobs, cluster, recorded, html)
    return examine_shuffle(job, with_json=as_json)
