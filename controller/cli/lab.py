"""`wallwright lab`: figures of the games, worked out on the spot.

`lab paigow` prints how often each rank of pai gow comes, and with `--ways` what each house way
earns against each other and how far it is from the best split of every hand.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated

import typer
from rich.table import Table as Grid

from controller.cli.screen import screen
from rules.games.pai_gow.house_ways import HOUSE_WAYS
from rules.games.pai_gow.optimum import Role, expectation, optimum
from rules.games.pai_gow.ranks import Ranking
from rules.games.pai_gow.split import Split
from rules.games.pai_gow.tables import Row, high_hand_table, two_tile_table
from rules.tiles import Face

lab = typer.Typer(name="lab", help="Figures of the games: probabilities and strategies.")

ROLES: tuple[Role, ...] = ("player", "banker")


@lab.command()
def paigow(
    ways: Annotated[
        bool, typer.Option("--ways", help="Compare the house ways with the best split, too.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, for programs.")] = False,
) -> int:
    """Print how often each two-tile rank, and each best high hand of four tiles, comes."""
    two_tiles, best_high_hand = two_tile_table(), high_hand_table()
    earned = _earned() if ways else {}
    if as_json:
        told = {
            "two_tiles": [_facts(row) for row in two_tiles],
            "best_high_hand": [_facts(row) for row in best_high_hand],
        }
        print(json.dumps({**told, "house_ways": earned} if ways else told, indent=2))
        return 0
    screen().print(_page("two tiles", two_tiles))
    screen().print(_page("best high hand of four tiles", best_high_hand))
    for role, rows in earned.items():
        screen().print(_ways_page(role, rows))
    return 0


def _facts(row: Row) -> Mapping[str, object]:
    return {
        "rank": row.name,
        "count": row.count,
        "of": row.hands,
        "probability": _share(row.count, row),
    }


def _share(count: int, row: Row) -> float:
    return round(count / row.hands, 6)


def _page(title: str, rows: Sequence[Row]) -> Grid:
    grid = Grid(title=f"Pai gow, {title}: {rows[0].hands:,} hands", title_justify="left", box=None)
    grid.add_column("rank")
    for head in ("hands", "probability", "or better"):
        grid.add_column(head, justify="right")
    for row in rows:
        shares = (f"{_share(count, row):.4%}" for count in (row.count, row.at_least))
        grid.add_row(row.name, f"{row.count:,}", *shares)
    return grid


def _earned() -> dict[str, dict[str, dict[str, float]]]:
    """For each role the mean result of every way of setting, against every house way."""
    ranking = Ranking()
    return {
        role: {
            **{
                name: {
                    other: _mean(partial(way.set, ranking=ranking), other, role)
                    for other in HOUSE_WAYS
                }
                for name, way in HOUSE_WAYS.items()
            },
            "optimum": {
                other: _mean(partial(optimum, against=other, role=role), other, role)
                for other in HOUSE_WAYS
            },
        }
        for role in ROLES
    }


def _mean(setting: Callable[[tuple[Face, ...]], Split], other: str, role: Role) -> float:
    return round(float(expectation(setting, against=other, role=role)), 6)


def _ways_page(role: str, rows: Mapping[str, Mapping[str, float]]) -> Grid:
    grid = Grid(title=f"Mean result of a {role} for a stake of 1", title_justify="left", box=None)
    grid.add_column("set by")
    for other in HOUSE_WAYS:
        grid.add_column(f"against {other}", justify="right")
    for name, results in rows.items():
        grid.add_row(name, *(f"{result:+.4%}" for result in results.values()))
    return grid
