"""`wallwright floor demo`: a whole floor on this computer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from controller.cli.errors import BadInputError
from controller.cli.runs.run_options import pace_of

MOST_TABLES = 100
MOST_MINUTES = 7 * 24 * 60


def demo(
    tables: Annotated[int, typer.Option(help="Number of simulated tables.")] = 12,
    speed: Annotated[
        str, typer.Option(help="Speed of the simulated tables: a factor of real time, or real.")
    ] = "10",
    minutes: Annotated[
        float | None,
        typer.Option(help="Stop after this time.", show_default="with Ctrl-C"),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            help="Keep certificates, data and messages in this folder, and go on with it later.",
            show_default="a temporary one",
        ),
    ] = None,
    listen: Annotated[
        str, typer.Option(help="Address and port of the floor's page.")
    ] = "127.0.0.1:8081",
    database: Annotated[
        str | None,
        typer.Option(help="postgresql or sqlite.", show_default="postgresql where it is installed"),
    ] = None,
    chaos: Annotated[
        bool,
        typer.Option(
            "--chaos", help="Kill processes at random times, and inject faults into all tables."
        ),
    ] = False,
    fault: Annotated[
        list[str] | None,
        typer.Option(
            help="A fault for every table, as 'serve --fault' takes it; repeat it.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the tables and of --chaos.")] = 0,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="At the end, compare each table's audit log with the database; exit code 1 for a"
            " difference.",
        ),
    ] = False,
) -> int:
    """Run a broker, a database, the floor service and simulated tables on this computer."""
    if not 1 <= tables <= MOST_TABLES:
        raise BadInputError(f"`--tables` must be 1 to {MOST_TABLES}; got {tables}.")
    if minutes is not None and not 0 < minutes <= MOST_MINUTES:
        raise BadInputError(
            f"`--minutes` must be above 0 and at most {MOST_MINUTES}; got {minutes}."
        )
    if speed == "virtual":
        raise BadInputError("`--speed` must be real or a factor such as 10; got 'virtual'.")
    pace_of(speed, real=False)
    if database not in (None, "postgresql", "sqlite"):
        raise BadInputError(f"`--database` must be postgresql or sqlite; got '{database}'.")
    from controller.cli.runs.demo_session import DemoOptions, run_demo

    return run_demo(
        folder,
        lambda path: DemoOptions(
            folder=path,
            tables=tables,
            speed=speed,
            minutes=minutes,
            listen=listen,
            database=database,
            has_chaos=chaos,
            faults=tuple(fault or ()),
            seed=seed,
            is_checked=check,
        ),
    )
