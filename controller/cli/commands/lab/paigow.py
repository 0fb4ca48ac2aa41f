"""`wallwright lab paigow`: prints the frequency of each rank of pai gow.

With `--against` it prints the mean result of every house way against the given one, and that of the
best split of every hand.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated

import typer
from rich.table import Table as Grid

from controller.cli.terminal.screen import screen
from rules.games.pai_gow.ranking.ranks import Ranking
from rules.games.pai_gow.ranking.split import Split
from rules.games.pai_gow.ranking.tables import RankRow, high_hand_table, two_tile_table
from rules.games.pai_gow.setting.house_ways import HOUSE_WAYS, find_house_way
from rules.games.pai_gow.setting.optimum import Role, expectation, optimum
from rules.tiles import Face

ROLES: tuple[Role, ...] = ("player", "banker")


def paigow(
    against: Annotated[
        str | None,
        typer.Option(
            help="Also print the mean result of each house way against this one.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> int:
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
