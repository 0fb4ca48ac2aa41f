"""The tables in the database of a floor: `wallwright floor tables`, `retire` and so on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from getpass import getuser
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection

from controller.cli.errors import BadInputError
from controller.floor.certificates.authority import CRL_FILE, CertificateAuthority
from controller.floor.certificates.certificate import (
    CertificateError,
    CertificateIdentity,
    CertificateKind,
)
from controller.floor.figures.table_use import TableInUseError, retire_unless_in_use
from controller.floor.messages import TopicError
from controller.floor.store.engine import (
    SQLITE,
    StoreSettingsError,
    StoreUnavailableError,
    StoreVersionError,
    database_url,
)
from controller.floor.store.floor_store import FloorStore
from controller.floor.store.table_changes import (
    ChangedBy,
    FloorTable,
    TableChangeError,
    find_table,
    floor_tables,
    floors,
    rename_table,
    unretire_table,
)
from controller.floor.store.tables import printable

Result = TypeVar("Result")
DATABASE_FILE = "floor.db"
"""The database in the folder of --data, as `wallwright floor serve` names it."""


@dataclass(frozen=True)
class FloorDatabase:
    """The options that name a database and a floor in it."""

    data: Path | None
    database: str | None
    floor: str | None

    def changed(self, change: Callable[[Connection, str], Result]) -> Result:
        """The result of a change of the database, in one transaction, for one floor."""
        store = FloorStore(self._url())
        try:
            store.open()
            return store.write(lambda connection: change(connection, self._floor(connection)))
        finally:
            store.close()

    def _url(self) -> str:
        """The database's URL. An SQLite file has to exist: the commands make no new floor."""
        if self.database is None and self.data is None:
            raise BadInputError("Name the floor service's folder with --data, or its --database.")
        url = self.database or f"sqlite:///{self.data and self.data / DATABASE_FILE}"
        parsed = database_url(url)
        if parsed.get_backend_name() == SQLITE and not Path(str(parsed.database)).is_file():
            raise BadInputError(
                f"There is no floor's database {parsed.database}; name the --data or the --database"
                " of `wallwright floor serve`."
            )
        return url

    def _floor(self, connection: Connection) -> str:
        """The floor that is named, or the only one. Raises BadInputError."""
        known = floors(connection)
        if self.floor is None and len(known) == 1:
            return known[0]
        if self.floor in known:
            return str(self.floor)
        names = ", ".join(known) or "none"
        if self.floor is None:
            raise BadInputError(f"Name the floor with --floor; the database has {names}.")
        raise BadInputError(f"The database has no floor {self.floor[:80]!r}; it has {names}.")


def print_tables(database: FloorDatabase, *, as_json: bool) -> None:
    """Print the tables of a floor. Raises BadInputError, as all functions here do."""
    with _errors_reported():
        found = database.changed(floor_tables)
    if as_json:
        print(json.dumps({"tables": [_row(each) for each in found]}))
        return
    for each in found:
        left = "" if each.retired is None else f"retired {each.retired:%Y-%m-%d}"
        seen = f"{each.last_birth:%Y-%m-%d}"
        print(f"{each.address.table:24}{printable(each.title):32}{seen}  {left}".rstrip())


def retire_table(
    database: FloorDatabase, table: str, reason: str, authority: Path | None, *, is_confirmed: bool
) -> None:
    """Retire a table; with the folder of the authority, revoke its certificates."""
    with _errors_reported():
        signer = None if authority is None else CertificateAuthority(authority)
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
            return retire_unless_in_use(connection, name, table, by, now, is_confirmed=is_confirmed)

        try:
            retired = database.changed(change)
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


def take_back_table(database: FloorDatabase, table: str, reason: str) -> None:
    """End the retirement of a table."""
    with _errors_reported():
        by, now = _by(reason), _now()
        found = database.changed(partial(unretire_table, text=table, by=by, now=now))
    print(f"Back on the floor: {found}. Its history goes on under this name.")
    print("If its certificate was revoked, issue a new one:")
    print(f"  wallwright floor ca issue table {found.address.table} --folder AUTHORITY")


def give_title(database: FloorDatabase, table: str, title: str, reason: str) -> None:
    """Give a table another title; an empty one ends the title that was given."""
    with _errors_reported():
        by, now = _by(reason), _now()
        changed = database.changed(partial(rename_table, text=table, title=title, by=by, now=now))
    print(f"Shown on the floor: {changed}. Name, certificate and history are the same.")


def _unrevoked(authority: CertificateAuthority, table: FloorTable) -> bool:
    identity = _identity(table)
    return any(one.identity == identity and one.revoked is None for one in authority.issued())


def _revoke(authority: CertificateAuthority, table: FloorTable) -> None:
    """Revoke every certificate of a retired table, and print what the broker needs."""
    if not _unrevoked(authority, table):
        print("The authority has no certificate of it that is not revoked.")
        return
    for one in authority.revoke(_identity(table), None, _now()):
        print(f"Revoked: {one.serial}")
    print(f"Give the broker {authority.folder / CRL_FILE} and reload it (SIGHUP). If the table is")
    print("still connected, restart the broker: only that ends a connection.")


def _identity(table: FloorTable) -> CertificateIdentity:
    return CertificateIdentity(CertificateKind.TABLE, table.address.table)


def _by(reason: str) -> ChangedBy:
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
