"""`wallwright floor tables`, `retire`, `unretire` and `rename`: the tables that a floor has.

The commands change the floor's database; a floor service that runs shows the change within seconds,
and writes it to its audit log.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from getpass import getuser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from controller.cli.errors import BadInputError
from controller.cli.options.shared import AsJson

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from controller.floor.certificates.authority import CertificateAuthority
    from controller.floor.certificates.certificate import CertificateIdentity
    from controller.floor.store.table_changes import ChangedBy, FloorTable

Result = TypeVar("Result")
DATABASE_FILE = "floor.db"
"""The database in the folder of --data, as `wallwright floor serve` names it."""

Table = Annotated[str, typer.Argument(help="The name or the title of the table, such as t-07.")]
Data = Annotated[
    Path | None,
    typer.Option(help="The folder of the floor service, with its floor.db.", show_default=False),
]
Database = Annotated[
    str | None,
    typer.Option(
        help="The --database of the floor service, if it has one: postgresql:// or sqlite:///.",
        show_default=False,
    ),
]
Floor = Annotated[
    str | None,
    typer.Option(help="The name of the floor.", show_default="the only one in the database"),
]
Reason = Annotated[
    str, typer.Option(help="Why, for the audit log and the floor's page.", show_default=False)
]


def tables(
    data: Data = None, database: Database = None, floor: Floor = None, as_json: AsJson = False
) -> int:
    """List the tables of a floor with their names, titles and retirements."""
    from controller.floor.store.table_changes import floor_tables
    from controller.floor.store.tables import printable

    with _errors_reported():
        found = _changed(data, database, floor, floor_tables)
    if as_json:
        print(json.dumps({"tables": [_row(each) for each in found]}))
        return 0
    for each in found:
        left = "" if each.retired is None else f"retired {each.retired:%Y-%m-%d}"
        seen = f"{each.last_birth:%Y-%m-%d}"
        print(f"{each.address.table:24}{printable(each.title):32}{seen}  {left}".rstrip())
    return 0


def retire(
    table: Table,
    data: Data = None,
    database: Database = None,
    floor: Floor = None,
    reason: Reason = "",
    authority: Annotated[
        Path | None,
        typer.Option(
            help="The folder of the floor's authority: also revokes the table's certificates.",
            show_default=False,
        ),
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Also retire a table in play or with an open alarm.")
    ] = False,
) -> int:
    """Take a table off the floor; its history stays readable."""
    from controller.floor.figures.table_use import TableInUseError, retire_unless_in_use
    from controller.floor.store.table_changes import TableChangeError, find_table

    with _errors_reported():
        signer = None if authority is None else _authority(authority)
        by, now = _by(reason), _now()

        def change(connection: Connection, name: str) -> FloorTable:
            if signer is not None and signer.floor != name:
                raise TableChangeError(
                    f"The authority in {signer.folder} is that of the floor {signer.floor}, not of"
                    f" {name}; name the folder of the right one."
                )
            found = find_table(connection, name, table)
            # A retirement whose revocation was interrupted is completed.
            if found.retired is not None and signer is not None and _unrevoked(signer, found):
                return found
            return retire_unless_in_use(connection, name, table, by, now, is_confirmed=yes)

        try:
            retired = _changed(data, database, floor, change)
        except TableInUseError as error:
            raise BadInputError(
                f"{error} Retire it when it is free, or repeat the command with --yes."
            ) from error
        print(f"Retired: {retired}. Its history stays readable.")
        if signer is None:
            print("Its certificate is still valid. On the authority's computer, run")
            name = retired.address.table
            print(f"  wallwright floor ca revoke table {name} --folder AUTHORITY")
        else:
            _revoke(signer, retired)
    return 0


def unretire(
    table: Table,
    data: Data = None,
    database: Database = None,
    floor: Floor = None,
    reason: Reason = "",
) -> int:
    """Take a retired table back, or enrol another one under its name; the history goes on."""
    from controller.floor.store.table_changes import unretire_table

    with _errors_reported():
        by, now = _by(reason), _now()
        found = _changed(data, database, floor, partial(unretire_table, text=table, by=by, now=now))
    print(f"Back on the floor: {found}. Its history goes on under this name.")
    print("If its certificate was revoked, issue a new one:")
    print(f"  wallwright floor ca issue table {found.address.table} --folder AUTHORITY")
    return 0


def rename(
    old: Table,
    new: Annotated[
        str | None,
        typer.Argument(help="The new title, such as 'Table 7'.", show_default=False),
    ] = None,
    data: Data = None,
    database: Database = None,
    floor: Floor = None,
    reason: Reason = "",
    own_title: Annotated[
        bool, typer.Option("--own-title", help="Show the title of the table's own file again.")
    ] = False,
) -> int:
    """Give a table another title; its name, its certificate and its history stay."""
    from controller.floor.store.table_changes import rename_table

    if own_title == (new is not None):
        raise BadInputError("Give either a new title or --own-title.")
    if new == "":
        raise BadInputError("A title must have at least 1 character; got ''. See --own-title.")
    with _errors_reported():
        by, now = _by(reason), _now()
        changed = _changed(
            data,
            database,
            floor,
            partial(rename_table, text=old, title=new or "", by=by, now=now),
        )
    print(f"Shown on the floor: {changed}. Name, certificate and history are the same.")
    return 0


def _changed(
    data: Path | None,
    database: str | None,
    floor: str | None,
    change: Callable[[Connection, str], Result],
) -> Result:
    """The result of a change of the database, in one transaction, for one floor."""
    from controller.floor.store.floor_store import FloorStore

    store = FloorStore(_url(data, database))
    try:
        store.open()
        return store.write(lambda connection: change(connection, _floor(connection, floor)))
    finally:
        store.close()


def _url(data: Path | None, database: str | None) -> str:
    """The database's URL. An SQLite file has to exist: the commands make no new floor."""
    from controller.floor.store.engine import SQLITE, database_url

    if database is None and data is None:
        raise BadInputError("Name the floor service's folder with --data, or its --database.")
    url = database or f"sqlite:///{data and data / DATABASE_FILE}"
    parsed = database_url(url)
    if parsed.get_backend_name() == SQLITE and not Path(str(parsed.database)).is_file():
        raise BadInputError(
            f"There is no floor's database {parsed.database}; name the --data or the --database of"
            " `wallwright floor serve`."
        )
    return url


def _floor(connection: Connection, floor: str | None) -> str:
    """The floor that is named, or the only one. Raises BadInputError."""
    from controller.floor.store.table_changes import floors

    known = floors(connection)
    if floor is None and len(known) == 1:
        return known[0]
    if floor in known:
        return str(floor)
    names = ", ".join(known) or "none"
    if floor is None:
        raise BadInputError(f"Name the floor with --floor; the database has {names}.")
    raise BadInputError(f"The database has no floor {floor[:80]!r}; it has {names}.")


def _authority(folder: Path) -> CertificateAuthority:
    from controller.floor.certificates.authority import CertificateAuthority

    return CertificateAuthority(folder)


def _unrevoked(authority: CertificateAuthority, table: FloorTable) -> bool:
    identity = _identity(table)
    return any(one.identity == identity and one.revoked is None for one in authority.issued())


def _revoke(authority: CertificateAuthority, table: FloorTable) -> None:
    """Revoke every certificate of a retired table, and print what the broker needs."""
    from controller.floor.certificates.authority import CRL_FILE

    if not _unrevoked(authority, table):
        print("The authority has no certificate of it that is not revoked.")
        return
    for one in authority.revoke(_identity(table), None, _now()):
        print(f"Revoked: {one.serial}")
    print(f"Give the broker {authority.folder / CRL_FILE} and reload it (SIGHUP). If the table is")
    print("still connected, restart the broker: only that ends a connection.")


def _identity(table: FloorTable) -> CertificateIdentity:
    from controller.floor.certificates.certificate import CertificateIdentity, CertificateKind

    return CertificateIdentity(CertificateKind.TABLE, table.address.table)


def _by(reason: str) -> ChangedBy:
    from controller.floor.store.table_changes import ChangedBy

    return ChangedBy(getuser(), reason=reason)


def _now() -> datetime:
    return datetime.now(UTC)


def _row(table: FloorTable) -> dict[str, object]:
    return {
        "name": table.address.table,
        "title": table.title,
        "own_title": table.own_title,
        "last_birth": table.last_birth.isoformat(timespec="seconds"),
        "retired": None if table.retired is None else table.retired.isoformat(timespec="seconds"),
    }


@contextmanager
def _errors_reported() -> Iterator[None]:
    """Report errors of the database, of the change and of the authority as bad input."""
    from controller.floor.certificates.certificate import CertificateError
    from controller.floor.messages import TopicError
    from controller.floor.store.engine import (
        StoreSettingsError,
        StoreUnavailableError,
        StoreVersionError,
    )
    from controller.floor.store.table_changes import TableChangeError

    try:
        yield
    except (
        CertificateError,
        StoreSettingsError,
        StoreUnavailableError,
        StoreVersionError,
        TableChangeError,
        TopicError,
    ) as error:
        raise BadInputError(str(error)) from error
