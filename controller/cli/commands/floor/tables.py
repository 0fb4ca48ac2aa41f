"""`wallwright floor tables`, `retire`, `unretire` and `rename`: the tables that a floor has.

The commands change the floor's database; a floor service that runs shows the change within seconds,
and writes it to its audit log.
"""

from __future__ import annotations

from pathlib import Path

import click

from controller.cli.command import CliCommand
from controller.cli.errors import BadInputError
from controller.cli.options.shared import PATH, json_option

# The database is imported only after the options are checked, and not for the help: it takes half a
# second, and the extra `floor` may not be installed.

data_option = click.option(
    "--data", type=PATH, help="The folder of the floor service, with its floor.db."
)
database_option = click.option(
    "--database",
    help="The --database of the floor service, if it has one: postgresql:// or sqlite:///.",
)
floor_option = click.option(
    "--floor", show_default="the only one in the database", help="The name of the floor."
)
reason_option = click.option(
    "--reason", default="", show_default=False, help="Why, for the audit log and the floor's page."
)
TABLE = "The name or the title of the table, such as t-07."


@click.command(cls=CliCommand)
@data_option
@database_option
@floor_option
@json_option
def tables(data: Path | None, database: str | None, floor: str | None, as_json: bool) -> int:
    """List the tables of a floor with their names, titles and retirements."""
    from controller.cli.runs.floor_tables import FloorDatabase, print_tables

    print_tables(FloorDatabase(data, database, floor), as_json=as_json)
    return 0


@click.command(cls=CliCommand)
@click.argument("table", help=TABLE)
@data_option
@database_option
@floor_option
@reason_option
@click.option(
    "--authority",
    type=PATH,
    help="The folder of the floor's authority: also revokes the table's certificates.",
)
@click.option("--yes", is_flag=True, help="Also retire a table in play or with an open alarm.")
def retire(
    table: str,
    data: Path | None,
    database: str | None,
    floor: str | None,
    reason: str,
    authority: Path | None,
    yes: bool,
) -> int:
    """Take a table off the floor; its history stays readable."""
    from controller.cli.runs.floor_tables import FloorDatabase, retire_table

    retire_table(FloorDatabase(data, database, floor), table, reason, authority, is_confirmed=yes)
    return 0


@click.command(cls=CliCommand)
@click.argument("table", help=TABLE)
@data_option
@database_option
@floor_option
@reason_option
def unretire(
    table: str, data: Path | None, database: str | None, floor: str | None, reason: str
) -> int:
    """Take a retired table back, or enrol another one under its name; the history goes on."""
    from controller.cli.runs.floor_tables import FloorDatabase, take_back_table

    take_back_table(FloorDatabase(data, database, floor), table, reason)
    return 0


@click.command(cls=CliCommand)
@click.argument("old", help=TABLE)
@click.argument("new", required=False, help="The new title, such as 'Table 7'.")
@data_option
@database_option
@floor_option
@reason_option
@click.option("--own-title", is_flag=True, help="Show the title of the table's own file again.")
def rename(
    old: str,
    new: str | None,
    data: Path | None,
    database: str | None,
    floor: str | None,
    reason: str,
    own_title: bool,
) -> int:
    """Give a table another title; its name, its certificate and its history stay."""
    if own_title == (new is not None):
        raise BadInputError("Give either a new title or --own-title.")
    if new == "":
        raise BadInputError("A title must have at least 1 character; got ''. See --own-title.")
    from controller.cli.runs.floor_tables import FloorDatabase, give_title

    give_title(FloorDatabase(data, database, floor), old, new or "", reason)
    return 0
