"""`wallwright lab shuffle`: compares shuffle cycles of a table with a perfect shuffle."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from controller.cli.errors import BadInputError
from controller.cli.options import completion
from controller.cli.output.output_checks import require_new

EXTRA = ("numpy", "scipy", "matplotlib")
"""The packages of the extra `lab`; some are imported only after all cycles are shuffled."""


def shuffle(
    table: Annotated[
        str,
        typer.Option(
            help="The table: its name or its YAML file.", autocompletion=completion.tables
        ),
    ] = "robotic",
    game: Annotated[
        str,
        typer.Option(
            help="The game: its name, its YAML file, or the folder of its package.",
            autocompletion=completion.games,
        ),
    ] = "wenzhou",
    cycles: Annotated[int, typer.Option(help="Number of cycles to simulate.")] = 1000,
    seed: Annotated[
        int, typer.Option(help="Seed of the simulation; the same seed gives the same report.")
    ] = 0,
    jobs: Annotated[
        int,
        typer.Option(
            help="Number of processes that simulate at the same time; the report is the same."
        ),
    ] = 1,
    cluster: Annotated[
        str | None,
        typer.Option(
            help="Address of a Dask scheduler whose computers simulate; the report is the same.",
            show_default=False,
        ),
    ] = None,
    recorded: Annotated[
        Path | None,
        typer.Option(
            help="Examine the cycles in this file of tag orders, and simulate nothing.",
            show_default=False,
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(help="Write a report with plots to this file, in HTML.", show_default=False),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the report as JSON, for programs.")
    ] = False,
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
