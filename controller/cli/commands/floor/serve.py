"""`wallwright floor serve` and `floor demo`: run the service of a floor, or a demonstration of one.

`floor demo` runs a whole floor on this computer, with simulated tables.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from controller.cli.errors import BadInputError
from controller.cli.options.shared import HostNames, host_names_of
from controller.cli.runs.run_options import pace_of

MOST_MONTHS = 1200
"""Most months of --retention-months: a century."""


def serve(
    floor: Annotated[str, typer.Option(help="The name of the floor, as in its topics.")],
    broker: Annotated[str, typer.Option(help="HOST or HOST:PORT of the MQTT 5 broker.")],
    data: Annotated[
        Path, typer.Option(help="The folder of the accounts, of the key and of SQLite's file.")
    ],
    database: Annotated[
        str | None,
        typer.Option(
            help="postgresql://USER@HOST/DATABASE or sqlite:///FILE. Write a password into"
            " ~/.pgpass, where no other user can read it.",
            show_default="floor.db in --data",
        ),
    ] = None,
    ca: Annotated[
        Path | None,
        typer.Option(help="The certificate of the floor's authority.", show_default=False),
    ] = None,
    cert: Annotated[
        Path | None,
        typer.Option(help="The service's certificate for the broker.", show_default=False),
    ] = None,
    key: Annotated[
        Path | None, typer.Option(help="The key of that certificate.", show_default=False)
    ] = None,
    listen: Annotated[
        str,
        typer.Option(
            help="Address and port of the page. Other computers can only connect with --page-cert"
            " and --page-key."
        ),
    ] = "127.0.0.1:8081",
    page_cert: Annotated[
        Path | None, typer.Option(help="The page's certificate for TLS.", show_default=False)
    ] = None,
    page_key: Annotated[
        Path | None, typer.Option(help="The key of that certificate.", show_default=False)
    ] = None,
    host_name: HostNames = None,
    plan: Annotated[
        Path | None,
        typer.Option(
            help="A YAML file with the place of each table in the room, as docs/floor/FLOOR.md"
            " describes it.",
            show_default=False,
        ),
    ] = None,
    instances: Annotated[
        str | None,
        typer.Option(
            help="The name under which several services of this floor share the events. Give each"
            " the same name and database.",
            show_default=False,
        ),
    ] = None,
    retention_months: Annotated[
        int | None,
        typer.Option(
            help="Whole months of events that are kept besides the present one.",
            show_default="all",
        ),
    ] = None,
) -> int:
    """Store the events of a floor's tables, and show the floor, until stopped."""
    if retention_months is not None and not 1 <= retention_months <= MOST_MONTHS:
        raise BadInputError(
            f"`--retention-months` must be 1 to {MOST_MONTHS}; got {retention_months}."
        )
    if len({ca is None, cert is None, key is None}) > 1:
        raise BadInputError("TLS to the broker needs --ca, --cert and --key; give all three.")
    from config.errors import ConfigErrors
    from controller.cli.runs.floor_session import FloorJob, floor_job
    from controller.floor.broker import BrokerError, TlsFiles, broker_of
    from controller.floor.page.room_feed import RoomPlan, load_plan

    tls = None
    if ca is not None and cert is not None and key is not None:
        tls = TlsFiles(ca, cert, key)
    try:
        address = broker_of(broker, tls)
        room = RoomPlan() if plan is None else load_plan(plan)
    except (BrokerError, ConfigErrors) as error:
        raise BadInputError(str(error)) from error
    return floor_job(
        FloorJob(
            floor=floor,
            broker=address,
            data=data,
            database=database,
            listen=listen,
            page_cert=page_cert,
            page_key=page_key,
            host_names=host_names_of(host_name),
            instances=instances,
            months=retention_months,
            plan=room,
        )
    )


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
