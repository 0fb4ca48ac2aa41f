"""Tables that leave the floor, come back, or get another title: `tables.retired` and `.label`.

Each change is one transaction with a row of `table_changes`, from which a floor service writes its
audit log. A process that is killed leaves either the earlier state or the changed one with its row.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from sqlalchemy import ColumnElement, Connection, Row, func, insert, select, update

from controller.floor.messages import TableAddress
from controller.floor.store.engine import lock_schema
from controller.floor.store.schema import LOGS, TABLE_CHANGES, TABLES
from controller.floor.store.tables import as_utc, printable
from controller.web.api.accounts.identity import defect_of_name, looks_like
from rules.errors import WallwrightError

LONGEST_TITLE = 60
"""Characters of a title that the floor gives a table."""
LONGEST_REASON = 200
"""Characters of the reason of a change."""
MOST_CHANGES = 100
"""Changes that are recorded in the audit log at once."""


class TableChange(StrEnum):
    """The kinds of changes, as the audit log names them."""

    RETIRED = "retire_table"
    UNRETIRED = "unretire_table"
    RENAMED = "rename_table"


class TableChangeError(WallwrightError, ValueError):
    """A change that is refused: the table's state or the new title does not permit it."""


class UnknownTableError(TableChangeError):
    """The floor has no table of this name or title."""


@dataclass(frozen=True)
class ChangedBy:
    """Who changes a table, with which role, from where, and why. Raises TableChangeError."""

    who: str
    role: str = ""
    source: str = "command line"
    reason: str = ""

    def __post_init__(self) -> None:
        if len(self.reason) > LONGEST_REASON or not self.reason.isprintable():
            raise TableChangeError(
                f"The reason must have at most {LONGEST_REASON} printable characters on one line;"
                f" got {len(self.reason)}. Shorten it."
            )


@dataclass(frozen=True)
class FloorTable:
    """A table of the database. `own_title` is the title of the table's own file, or its name."""

    key: int
    address: TableAddress
    own_title: str
    label: str
    first_seen: datetime
    last_birth: datetime
    retired: datetime | None

    @property
    def title(self) -> str:
        """The title that the floor shows."""
        return self.label or self.own_title

    def __str__(self) -> str:
        name = self.address.table
        return name if self.title == name else f"{name} ({printable(self.title)})"


@dataclass(frozen=True)
class RecordedChange:
    """One row of `table_changes`. `before` and `after` are the shown titles."""

    key: int
    what: TableChange
    table: str
    before: str
    after: str
    by: ChangedBy
    at: datetime


@dataclass(frozen=True)
class Roster:
    """The tables of a floor that have a label, and its retired tables with their titles."""

    labels: Mapping[TableAddress, str] = field(default_factory=dict)
    retired: Mapping[TableAddress, str] = field(default_factory=dict)


SHOWN_TITLE: ColumnElement[str] = func.coalesce(
    func.nullif(TABLES.c.label, ""), func.nullif(TABLES.c.title, ""), TABLES.c.name
)
"""The title that the floor shows, in a query."""


def floor_tables(connection: Connection, floor: str) -> tuple[FloorTable, ...]:
    """Every table of a floor, also the retired ones, by name."""
    query = select(TABLES).where(TABLES.c.floor == floor).order_by(TABLES.c.name)
    return tuple(map(_floor_table, connection.execute(query)))


def floors(connection: Connection) -> tuple[str, ...]:
    """The names of all floors in the database."""
    query = select(TABLES.c.floor).distinct().order_by(TABLES.c.floor)
    return tuple(floor for (floor,) in connection.execute(query))


def find_table(connection: Connection, floor: str, text: str) -> FloorTable:
    """The table with this name, or with this title if only one table in use has it.

    Raises UnknownTableError.
    """
    tables = floor_tables(connection, floor)
    for table in tables:
        if table.address.table == text:
            return table
    titled = [table for table in tables if table.title == text]
    found = [table for table in titled if table.retired is None] or titled
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(table.address.table for table in found)
        raise UnknownTableError(
            f"{len(found)} tables have the title {text!r}; name one of them: {names}."
        )
    raise UnknownTableError(
        f"The floor {floor} has no table {text[:80]!r}; `wallwright floor tables` lists them."
    )


def read_roster(connection: Connection, floor: str) -> Roster:
    """The labels and the retired tables of a floor."""
    query = select(TABLES.c.name, TABLES.c.label, TABLES.c.retired, SHOWN_TITLE.label("shown"))
    chosen = (TABLES.c.label != "") | TABLES.c.retired.is_not(None)
    rows = connection.execute(query.where(TABLES.c.floor == floor, chosen)).all()
    return Roster(
        {TableAddress(floor, row.name): row.label for row in rows if row.label},
        {TableAddress(floor, row.name): row.shown for row in rows if row.retired is not None},
    )


def retire_table(
    connection: Connection, floor: str, text: str, by: ChangedBy, now: datetime
) -> FloorTable:
    """Retire a table: from the commit on, no message of it is stored.

    Raises UnknownTableError, and TableChangeError for a table that is retired already.
    """
    lock_schema(connection)
    table = find_table(connection, floor, text)
    if table.retired is not None:
        raise TableChangeError(
            f"The table {table} was retired on {table.retired:%Y-%m-%d %H:%M} UTC; nothing was"
            " changed."
        )
    # Writers of events lock these rows too: after this commit, none of them stores an event.
    logs = select(LOGS.c.id).where(LOGS.c.table_id == table.key).order_by(LOGS.c.id)
    connection.execute(logs.with_for_update()).all()
    connection.execute(update(TABLES).where(TABLES.c.id == table.key).values(retired=now))
    _keep(connection, table, TableChange.RETIRED, table.title, by, now)
    return table


def unretire_table(
    connection: Connection, floor: str, text: str, by: ChangedBy, now: datetime
) -> FloorTable:
    """Put a retired table back on the floor; its history goes on under its name.

    Raises UnknownTableError, and TableChangeError for a table that is not retired, or whose title
    another table has meanwhile.
    """
    lock_schema(connection)
    table = find_table(connection, floor, text)
    if table.retired is None:
        raise TableChangeError(f"The table {table} is not retired; nothing was changed.")
    _require_free(connection, table, table.title)
    connection.execute(update(TABLES).where(TABLES.c.id == table.key).values(retired=None))
    _keep(connection, table, TableChange.UNRETIRED, table.title, by, now)
    return table


def rename_table(
    connection: Connection, floor: str, text: str, title: str, by: ChangedBy, now: datetime
) -> FloorTable:
    """Show another title of a table; an empty one shows the title of the table's file again.

    The table keeps its name, its certificate and its history. Returns the table with its new
    title. Raises UnknownTableError, and TableChangeError for a title that cannot be used.
    """
    lock_schema(connection)
    table = find_table(connection, floor, text)
    shown = require_title(title) if title else table.own_title
    if shown == table.title and (title or not table.label):
        raise TableChangeError(
            f"The table {table.address.table} has the title {shown!r} already; nothing was changed."
        )
    _require_free(connection, table, shown)
    connection.execute(update(TABLES).where(TABLES.c.id == table.key).values(label=title))
    _keep(connection, table, TableChange.RENAMED, shown, by, now)
    return find_table(connection, floor, table.address.table)


def require_title(title: str) -> str:
    """Return a title that people can tell apart from others. Raises TableChangeError."""
    next_step = "Choose another title, such as 'Table 7'."
    if not 0 < len(title) <= LONGEST_TITLE or title.split(" ") != title.split():
        raise TableChangeError(
            f"A title must have 1 to {LONGEST_TITLE} characters, and single spaces between words"
            f" only; got {title[:80]!r}. {next_step}"
        )
    defect = defect_of_name(title.replace(" ", ""))
    if defect is not None:
        raise TableChangeError(
            f"{title!r} cannot be a title. {defect.replace('The name', 'It')} {next_step}"
        )
    return title


def unrecorded_changes(connection: Connection, floor: str) -> tuple[RecordedChange, ...]:
    """The oldest changes that no audit log has yet, at most `MOST_CHANGES`."""
    query = (
        select(TABLE_CHANGES, TABLES.c.name)
        .join(TABLES, TABLES.c.id == TABLE_CHANGES.c.table_id)
        .where(TABLES.c.floor == floor, TABLE_CHANGES.c.recorded.is_(False))
        .order_by(TABLE_CHANGES.c.id)
        .limit(MOST_CHANGES)
    )
    return tuple(map(_change, connection.execute(query)))


def mark_recorded(connection: Connection, keys: Collection[int]) -> None:
    """Note that the audit log has these changes."""
    chosen = TABLE_CHANGES.c.id.in_(keys)
    connection.execute(update(TABLE_CHANGES).where(chosen).values(recorded=True))


def retirements(connection: Connection, floor: str) -> Mapping[str, RecordedChange]:
    """The last retirement of each table that is retired now, by the table's name."""
    query = (
        select(TABLE_CHANGES, TABLES.c.name)
        .join(TABLES, TABLES.c.id == TABLE_CHANGES.c.table_id)
        .where(
            TABLES.c.floor == floor,
            TABLES.c.retired.is_not(None),
            TABLE_CHANGES.c.what == TableChange.RETIRED,
        )
        .order_by(TABLE_CHANGES.c.id)
    )
    return {row.name: _change(row) for row in connection.execute(query)}


def _require_free(connection: Connection, table: FloorTable, title: str) -> None:
    """Raise TableChangeError if another table in use is shown by this title or a similar one."""
    for other in floor_tables(connection, table.address.floor):
        if other.key == table.key or other.retired is not None:
            continue
        for text in (other.title, other.address.table):
            if looks_like(title, text):
                raise TableChangeError(
                    f"The title {title!r} cannot be told apart from {text!r} of the table"
                    f" {other.address.table}. Choose another title, or rename that table first."
                )


def _keep(
    connection: Connection,
    table: FloorTable,
    what: TableChange,
    after: str,
    by: ChangedBy,
    now: datetime,
) -> None:
    connection.execute(
        insert(TABLE_CHANGES).values(
            table_id=table.key,
            what=what.value,
            before=table.title,
            after=after,
            reason=by.reason,
            who=by.who[:60],
            role=by.role,
            source=by.source[:60],
            at=now,
        )
    )


def _floor_table(row: Row[tuple[object, ...]]) -> FloorTable:
    return FloorTable(
        key=row.id,
        address=TableAddress(row.floor, row.name),
        own_title=row.title or row.name,
        label=row.label,
        first_seen=as_utc(row.first_seen),
        last_birth=as_utc(row.last_birth),
        retired=None if row.retired is None else as_utc(row.retired),
    )


def _change(row: Row[tuple[object, ...]]) -> RecordedChange:
    return RecordedChange(
        key=row.id,
        what=TableChange(row.what),
        table=row.name,
        before=row.before,
        after=row.after,
        by=ChangedBy(row.who, row.role, row.source, row.reason),
        at=as_utc(row.at),
    )
