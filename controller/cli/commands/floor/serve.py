"""`wallwright floor serve` and `floor demo`: run the service of a floor, or a demonstration of one.

`floor demo` runs a whole floor on this computer, with simulated tables.
"""

from __future__ import annotations

from pathlib import Path

import click

from controller.cli.command import CliCommand
from controller.cli.errors import BadInputError
from controller.cli.options.shared import PATH, host_name_option, host_names_of
from controller.cli.runs.run_options import pace_of

MOST_MONTHS = 1200
"""Most months of --retention-months: a century."""


@click.command(cls=CliCommand)
@click.option("--floor", required=True, help="The name of the floor, as in its topics.")
@click.option("--broker", required=True, help="HOST or HOST:PORT of the MQTT 5 broker.")
@click.option(
    "--data",
    type=PATH,
    required=True,
    help="The folder of the accounts, of the key and of SQLite's file.",
)
@click.option(
    "--database",
    show_default="floor.db in --data",
    help="postgresql://USER@HOST/DATABASE or sqlite:///FILE. Write a password into"
    " ~/.pgpass, where no other user can read it.",
)
@click.option("--ca", type=PATH, help="The certificate of the floor's authority.")
@click.option("--cert", type=PATH, help="The service's certificate for the broker.")
@click.option("--key", type=PATH, help="The key of that certificate.")
@click.option(
    "--listen",
    default="127.0.0.1:8081",
    help="Address and port of the page. Other computers can only connect with --page-cert"
    " and --page-key.",
)
@click.option("--page-cert", type=PATH, help="The page's certificate for TLS.")
@click.option("--page-key", type=PATH, help="The key of that certificate.")
@host_name_option
@click.option(
    "--plan",
    type=PATH,
    help="A YAML file with the place of each table in the room, as docs/floor/FLOOR.md"
    " describes it.",
)
@click.option(
    "--instances",
    help="The name under which several services of this floor share the events. Give each"
    " the same name and database.",
)
@click.option(
    "--retention-months",
    type=int,
    show_default="all",
    help="Whole months of events that are kept besides the present one.",
)
def serve(
    floor: str,
    broker: str,
    data: Path,
    database: str | None,
    ca: Path | None,
    cert: Path | None,
    key: Path | None,
    listen: str,
    page_cert: Path | None,
    page_key: Path | None,
    host_name: tuple[str, ...],
    plan: Path | None,
    instances: str | None,
    retention_months: int | None,
) -> int:
    """Store the events of a floor's tables, and show the floor, until stopped."""
    if retention_months is not None and not 1 <= retention_months <= MOST_MONTHS:
        raise BadInputError(
            f"`--retention-months` must be 1 to {MOST_MONTHS}; got {retention_months}."
        )
    if len({ca is None, cert is None, key is None}) > 1:
        raise BadInputError("TLS to the broker needs --ca, --cert and --key; give all three.")
    from controller.cli.runs.floor_session import FloorJob, broker_named, floor_job, room_in

    return floor_job(
        FloorJob(
            floor=floor,
            broker=broker_named(broker, ca, cert, key),
            data=data,
            database=database,
            listen=listen,
            page_cert=page_cert,
            page_key=page_key,
            host_names=host_names_of(host_name),
            instances=instances,
            months=retention_months,
            plan=room_in(plan),
        )
    )


MOST_TABLES = 100
MOST_MINUTES = 7 * 24 * 60


@click.command(cls=CliCommand)
@click.option("--tables", type=int, default=12, help="Number of simulated tables.")
@click.option(
    "--speed", default="10", help="Speed of the simulated tables: a factor of real time, or real."
)
@click.option("--minutes", type=float, show_default="with Ctrl-C", help="Stop after this time.")
@click.option(
    "--folder",
    type=PATH,
    show_default="a temporary one",
    help="Keep certificates, data and messages in this folder, and go on with it later.",
)
@click.option("--listen", default="127.0.0.1:8081", help="Address and port of the floor's page.")
@click.option(
    "--database", show_default="postgresql where it is installed", help="postgresql or sqlite."
)
@click.option(
    "--chaos",
    is_flag=True,
    help="Kill processes at random times, and inject faults into all tables.",
)
@click.option(
    "--fault",
    multiple=True,
    help="A fault for every table, as 'serve --fault' takes it; repeat it.",
)
@click.option("--seed", type=int, default=0, help="Seed of the tables and of --chaos.")
@click.option(
    "--check",
    is_flag=True,
    help="At the end, compare each table's audit log with the database; exit code 1 for a"
    " difference.",
)
def demo(
    tables: int,
    speed: str,
    minutes: float | None,
    folder: Path | None,
    listen: str,
    database: str | None,
    chaos: bool,
    fault: tuple[str, ...],
    seed: int,
    check: bool,
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
            faults=fault,
            seed=seed,
            is_checked=check,
        ),
    )
