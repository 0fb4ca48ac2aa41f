"""The present state of every table of a floor, which the page shows.

`Room` belongs to one event loop. Its values are frozen: the page can keep them and compare them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from controller.floor.messages import Birth, State, TableAddress
from controller.floor.store.table_changes import Roster
from rules.errors import WallwrightError

MOST_TABLES = 20_000
"""Tables of a room; messages of further tables are dropped. The largest operator has 1,700."""
MOST_FOLLOWERS = 500
"""Subscriptions to the changes of a room."""


class TooManyFollowersError(WallwrightError):
    """The room has as many subscriptions as it can have."""


@dataclass(frozen=True)
class RoomTable:
    """One table as the floor has it. Times are the floor's, in UTC.

    `is_connected` is false after the table's will and before its first message. `birth` and `state`
    are the last ones of the table, None before the first one; they stay after a disconnection.
    `stored` is the number of events of its present log in the database.
    """

    address: TableAddress
    is_connected: bool = False
    changed_connection: datetime | None = None
    """When the table connected, or when it was disconnected."""
    birth: Birth | None = None
    state: State | None = None
    state_received: datetime | None = None
    stored: int = 0
    stored_at: datetime | None = None
    """When the last events were stored."""
    known_title: str = ""
    """The title in the database, for a table without a birth since the service started."""
    label: str = ""
    """The title that people on the floor have given the table; empty for none."""
    contradiction: str = ""
    """Why the floor stores no events of the table's log: "The log contradicts itself: ..."."""
    unproven: str = ""
    """Why the floor did not cosign the last head of the table's log."""
    cosigned: int = 0
    """The size of the last head that this service has cosigned; 0 before the first one."""
    cosigned_at: datetime | None = None
    is_switched_off: bool = False
    """Whether the table's last message says that its service was stopped as intended."""

    @property
    def title(self) -> str:
        """The title for people: the floor's own, that of the birth, or the name in its topics."""
        title = self.known_title if self.birth is None else self.birth.title
        return self.label or title or self.address.table


@dataclass(frozen=True)
class RoomView:
    """The floor at one moment. `tables` are in the order of their addresses.

    While the broker is not connected, every table's state is old. While the database is not
    available, tables keep their events and send them again.
    """

    floor: str
    is_broker_connected: bool
    is_database_available: bool
    tables: tuple[RoomTable, ...]


@dataclass(frozen=True)
class RoomChange:
    """Changes since the previous change of the same subscription: each table's newest state.

    `removed` are the tables that have left the room.
    """

    is_broker_connected: bool
    is_database_available: bool
    tables: tuple[RoomTable, ...]
    removed: tuple[TableAddress, ...] = ()


class RoomChanges:
    """One subscription. It is bounded, because it keeps which tables changed, not each change."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._changed: set[TableAddress] = set()
        self._wake = asyncio.Event()

    async def next(self) -> RoomChange:
        """Wait for a change; return the newest state of each table that has changed."""
        await self._wake.wait()
        self._wake.clear()
        changed, self._changed = sorted(self._changed), set()
        view = self._room
        return RoomChange(
            view.is_broker_connected,
            view.is_database_available,
            tuple(table for address in changed if (table := view.table(address)) is not None),
            tuple(address for address in changed if view.table(address) is None),
        )

    def note(self, address: TableAddress | None) -> None:
        """Note that a table, or the floor itself, has changed."""
        if address is not None:
            self._changed.add(address)
        self._wake.set()


class Room:
    """The present state of the tables; `update` changes it, `view` and `follow` read it."""

    def __init__(self, floor: str, most_tables: int = MOST_TABLES) -> None:
        self.floor = floor
        self.is_broker_connected = False
        self.is_database_available = False
        self._tables: dict[TableAddress, RoomTable] = {}
        self._roster = Roster()
        self._most = most_tables
        self._followers: set[RoomChanges] = set()

    def view(self) -> RoomView:
        """The whole floor now."""
        tables = tuple(self._tables[address] for address in sorted(self._tables))
        return RoomView(self.floor, self.is_broker_connected, self.is_database_available, tables)

    def table(self, address: TableAddress) -> RoomTable | None:
        """One table, None for a table that the floor has received no message of."""
        return self._tables.get(address)

    def __iter__(self) -> Iterator[RoomTable]:
        return iter(tuple(self._tables.values()))

    def __len__(self) -> int:
        return len(self._tables)

    @contextmanager
    def follow(self) -> Iterator[RoomChanges]:
        """Subscribe to changes from now on. Raises TooManyFollowersError."""
        if len(self._followers) >= MOST_FOLLOWERS:
            raise TooManyFollowersError(
                f"{MOST_FOLLOWERS} pages follow the floor already; close one and try again."
            )
        changes = RoomChanges(self)
        self._followers.add(changes)
        try:
            yield changes
        finally:
            self._followers.discard(changes)

    def update(self, address: TableAddress, **fields: Any) -> RoomTable | None:
        """Change fields of one table.

        Returns None for a retired table, and if the room has no place for another table.
        """
        old = self._tables.get(address)
        if old is not None and not fields:
            return old
        if old is None and (self.is_retired(address) or len(self._tables) >= self._most):
            return None
        old = old or RoomTable(address, label=self._roster.labels.get(address, ""))
        new = replace(old, **fields)
        if self._tables.get(address) != new:
            self._tables[address] = new
            self._notify(address)
        return new

    def is_retired(self, address: TableAddress) -> bool:
        """Whether the table has left the floor."""
        return address in self._roster.retired

    def apply(self, roster: Roster, now: datetime) -> None:
        """Remove retired tables, show labels, and show tables that came back as disconnected."""
        before, self._roster = self._roster, roster
        if roster == before:
            return
        for address in roster.retired:
            if self._tables.pop(address, None) is not None:
                self._notify(address)
        for table in tuple(self._tables.values()):
            label = roster.labels.get(table.address, "")
            if label != table.label:
                self.update(table.address, label=label)
        for address, title in before.retired.items():
            if address not in roster.retired:
                self.update(address, known_title=title, changed_connection=now)

    def change(self, *, broker: bool | None = None, database: bool | None = None) -> None:
        """Note whether the broker is connected, or whether the database is available."""
        before = (self.is_broker_connected, self.is_database_available)
        if broker is not None:
            self.is_broker_connected = broker
        if database is not None:
            self.is_database_available = database
        if before != (self.is_broker_connected, self.is_database_available):
            self._notify(None)

    def _notify(self, address: TableAddress | None) -> None:
        for follower in self._followers:
            follower.note(address)
