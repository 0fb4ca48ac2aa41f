"""Follows the room and its alarms, and keeps for each watcher which of them it has to be sent.

A slow watcher misses no table and delays no other watcher: it keeps the names of the changed
tables, at most one for each table, and is sent their newest state.

`RoomStream` sends them to one page as server-sent events. The first message is the whole room; each
further one has the tables that have changed since. A message is sent at least every `HEARTBEAT`
seconds, so that a page sees a lost connection. The connection ends when the login ends, and when
the page takes a message too slowly.

`table_view` is what the page shows of one table: its condition, who is needed there, its last
state. `RoomPlan` is where each table stands, from an optional YAML file:

    tables:
      t01: [0, 0]
      t02: [1, 0]

The numbers are the column and the row of the table, from the top left corner of the room.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from config.loader import load_settings
from controller.floor.figures.alarms import Alarm, AlarmBook, TableAlarms
from controller.floor.messages import NAME, State, TableAddress
from controller.floor.server.port import FloorPort
from controller.floor.server.room import RoomTable
from controller.run.run_together import end_task
from controller.web.api.accounts.accounts import Accounts
from controller.web.api.accounts.identity import Identity
from controller.web.api.json_text import json_text
from rules.errors import WallwrightError

_LOG = logging.getLogger("wallwright.floor")
ALARMS_EVERY = 1.0
"""Seconds between two looks for new alarms, if events were stored."""
MOST_WATCHERS = 200
"""Pages that watch the room at the same time."""
MOST_ALARMS = 500
"""Open alarms that the page is sent: the oldest ones."""


class TooManyWatchersError(WallwrightError):
    """Too many pages watch the room."""


def utc_now() -> datetime:
    """The computer's time in UTC."""
    return datetime.now(UTC)


class RoomWatcher:
    """The changes that one page has not received yet."""

    def __init__(self) -> None:
        self.tables: set[TableAddress] = set()
        self.alarms = self.floor = False
        self.wake = asyncio.Event()


class RoomFeed:
    """The room for all pages of one service; start it, and close it."""

    def __init__(
        self, port: FloorPort, plan: RoomPlan, now: Callable[[], datetime] = utc_now
    ) -> None:
        self.port = port
        self.now = now
        self._plan = plan
        self._book = AlarmBook()
        self._reading = asyncio.Lock()
        self._alarms: tuple[TableAlarms, ...] = ()
        self._watchers: set[RoomWatcher] = set()
        self._tasks: list[asyncio.Task[None]] = []
        self._stored_changed = asyncio.Event()
        self._texts: dict[TableAddress, tuple[RoomTable, str]] = {}

    def start(self) -> None:
        """Follow the room from now on."""
        loop = asyncio.get_running_loop()
        self._tasks = [loop.create_task(self._follow()), loop.create_task(self._watch_alarms())]
        self._stored_changed.set()

    async def close(self) -> None:
        """Stop following the room."""
        for task in self._tasks:
            await end_task(task)
        self._tasks = []

    @contextmanager
    def watch(self) -> Iterator[RoomWatcher]:
        """Add a watcher, which keeps the changes from now on. Raises TooManyWatchersError."""
        if len(self._watchers) >= MOST_WATCHERS:
            raise TooManyWatchersError(
                f"{MOST_WATCHERS} pages watch the room already. Close one of them."
            )
        watcher = RoomWatcher()
        self._watchers.add(watcher)
        try:
            yield watcher
        finally:
            self._watchers.discard(watcher)

    # Messages

    def snapshot(self) -> str:
        """The whole room as a JSON text."""
        tables = (self._table_text(table) for table in self.port.room.view().tables)
        head = json_text({"type": "room", **self._floor(), "plan": self._places()})
        alarms = json_text(self._alarm_views())
        return f'{head[:-1]},"tables":[{",".join(tables)}],"alarms":{alarms}}}'

    def news(self, watcher: RoomWatcher) -> str:
        """The changes that the watcher has not received, as JSON text; now they count as sent."""
        changed = sorted(watcher.tables)
        found = [table for each in changed if (table := self.port.room.table(each)) is not None]
        gone = [each.table for each in changed if self.port.room.table(each) is None]
        head = json_text({"type": "news", **self._floor(), "removed": gone})
        tables = ",".join(self._table_text(table) for table in found)
        alarms = f',"alarms":{json_text(self._alarm_views())}' if watcher.alarms else ""
        watcher.tables, watcher.alarms, watcher.floor = set(), False, False
        watcher.wake.clear()
        return f'{head[:-1]},"tables":[{tables}]{alarms}}}'

    def _floor(self) -> dict[str, object]:
        room = self.port.room
        return {
            "floor": room.floor,
            "at": self.now().isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "broker": room.is_broker_connected,
            "database": room.is_database_available,
        }

    def _places(self) -> dict[str, object]:
        return {name: list(place) for name, place in self._plan.tables.items()}

    def _table_text(self, table: RoomTable) -> str:
        kept = self._texts.get(table.address)
        if kept is None or kept[0] is not table:
            kept = self._texts[table.address] = (table, json_text(table_view(table)))
        return kept[1]

    # Alarms

    @property
    def alarms(self) -> tuple[Alarm, ...]:
        """The open alarms of the room."""
        return tuple(alarm for table in self._alarms for alarm in table.alarms)

    async def read_alarms(self) -> None:
        """Read the open alarms. Raises WallwrightError if the database is not available."""
        async with self._reading:
            now = self.now()
            found = await self.port.read(lambda connection: self._book.read(connection, now))
            mine = tuple(each for each in found if each.floor == self.port.room.floor)
            if mine != self._alarms:
                self._alarms = mine
                for watcher in self._watchers:
                    watcher.alarms = True
                    watcher.wake.set()

    def _alarm_views(self) -> Sequence[Mapping[str, object]]:
        views = [alarm_view(table.name, alarm) for table in self._alarms for alarm in table.alarms]
        return sorted(views, key=lambda view: str(view["since"]))[:MOST_ALARMS]

    async def _watch_alarms(self) -> None:
        failure = ""
        while True:
            await self._stored_changed.wait()
            self._stored_changed.clear()
            try:
                await self.read_alarms()
                failure = ""
            except WallwrightError as error:
                if str(error) != failure:
                    failure = str(error)
                    _LOG.warning("Alarms cannot be read: %s", failure)
                self._stored_changed.set()
            await asyncio.sleep(ALARMS_EVERY)

    # The room

    async def _follow(self) -> None:
        stored: dict[TableAddress, int] = {}
        with self.port.room.follow() as changes:
            while True:
                change = await changes.next()
                for watcher in self._watchers:
                    watcher.tables.update(table.address for table in change.tables)
                    watcher.tables.update(change.removed)
                    watcher.floor = True
                    watcher.wake.set()
                for address in change.removed:
                    # If the table comes back, its alarms are read again.
                    stored.pop(address, None)
                    self._texts.pop(address, None)
                    self._stored_changed.set()
                for table in change.tables:
                    if stored.get(table.address) != table.stored:
                        stored[table.address] = table.stored
                        self._stored_changed.set()


def alarm_view(table: str, alarm: Alarm) -> dict[str, object]:
    """An alarm as a JSON object of the page."""
    by = alarm.acknowledged
    return {
        "table": table,
        "log": alarm.log_id,
        "number": alarm.number,
        "kind": "fault" if alarm.kind == "fault" else "prompt",
        "code": alarm.code,
        "part": alarm.part,
        "evidence": alarm.evidence,
        "request": alarm.request,
        "role": alarm.role,
        "since": _text(alarm.since),
        "acknowledged": None
        if by is None
        else {"who": by.who, "at": _text(by.at), "note": by.note},
    }


HEARTBEAT = 2.0
"""Seconds between two messages at most; the page shows a lost connection after 6 s."""
LEAST = 0.25
"""Seconds between two messages at least: several changes are sent together."""
SENDING = 20.0
"""Seconds in which a message has to be sent; then the connection is closed."""


class RoomStream(Response):
    """A response that lasts until the page is closed or its login ends."""

    media_type = "text/event-stream"

    def __init__(self, feed: RoomFeed, accounts: Accounts, identity: Identity) -> None:
        super().__init__(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._feed = feed
        self._accounts = accounts
        self._identity = identity

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._feed.watch() as watcher:
            loop = asyncio.get_running_loop()
            tasks = [
                loop.create_task(self._send(send, watcher)),
                loop.create_task(_disconnected(receive)),
            ]
            try:
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _send(self, send: Send, watcher: RoomWatcher) -> None:
        with suppress(TimeoutError, OSError):
            start = {"status": self.status_code, "headers": self.raw_headers}
            await send({"type": "http.response.start", **start})
            text = self._feed.snapshot()
            while self._is_admitted():
                body = f"data: {text}\n\n".encode()
                async with asyncio.timeout(SENDING):
                    await send({"type": "http.response.body", "body": body, "more_body": True})
                await asyncio.sleep(LEAST)
                with suppress(TimeoutError):
                    async with asyncio.timeout(HEARTBEAT - LEAST):
                        await watcher.wake.wait()
                text = self._feed.news(watcher)
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    def _is_admitted(self) -> bool:
        present = self._accounts.current(self._identity.credential)
        return present is not None and present.role is self._identity.role


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


Condition = Literal[
    "fault",
    "help",
    "log",
    "disconnected",
    "waiting",
    "paused",
    "service",
    "out_of_play",
    "playing",
    "idle",
    "switched_off",
    "new",
]
CONDITIONS: tuple[Condition, ...] = (
    *("fault", "help", "log", "disconnected", "paused", "service", "out_of_play"),
    *("waiting", "playing", "idle", "switched_off", "new"),
)
"""Conditions in the order in which the page lists tables: those that need a person first."""
NEEDS_A_PERSON: frozenset[Condition] = frozenset({"fault", "help", "log", "disconnected"})
STAFF = frozenset({"dealer", "attendant", "technician"})
"""Roles of people whom a table needs; a prompt for a player is a part of play."""


@dataclass(frozen=True)
class TableCondition:
    """The condition of a table, who is needed, a sentence about it, and since when it is so.

    `since` is a time in UTC as a text; empty where the table or the floor has none.
    """

    name: Condition
    who: str = ""
    sentence: str = ""
    since: str = ""


def condition_of(table: RoomTable) -> TableCondition:
    """The most important condition of a table for the floor."""
    state = table.state
    is_unknown = table.birth is None and not table.known_title and state is None
    if is_unknown and not table.is_connected:
        return TableCondition("new", sentence="The floor has received no message of this table.")
    if not table.is_connected:
        since = _text(table.changed_connection)
        if table.is_switched_off:
            return TableCondition("switched_off", "", "The table is switched off.", since)
        return TableCondition("disconnected", "", "The table is not connected.", since)
    if state is not None and state.fault is not None:
        fault = state.fault
        sentence = f"{fault.code} at {fault.part}: {fault.evidence}"
        return TableCondition("fault", fault.role, sentence, fault.since)
    for need in () if state is None else state.needs:
        if need.who in STAFF:
            return TableCondition("help", need.who, need.sentence, need.since)
    if table.contradiction or table.unproven:
        sentence = table.contradiction or table.unproven
        return TableCondition("log", "technician", sentence, _text(table.stored_at))
    if state is None:
        return TableCondition("new", sentence="The table has not published its state yet.")
    return _in_order(state)


def table_view(table: RoomTable) -> Mapping[str, Any]:
    """The table as a JSON object of the page. `title` and all sentences are texts of the table."""
    birth, state = table.birth, table.state
    condition = condition_of(table)
    return {
        "name": table.address.table,
        "title": table.title,
        "condition": condition.name,
        "needs_person": condition.name in NEEDS_A_PERSON,
        "who": condition.who,
        "sentence": condition.sentence,
        "since": condition.since,
        "connected": table.is_connected,
        "connection_since": _text(table.changed_connection),
        "software": "" if birth is None else birth.software,
        "simulated": birth is not None and birth.simulated,
        "seats": 0 if birth is None else birth.seats,
        "stored": table.stored,
        "stored_at": _text(table.stored_at),
        "contradiction": table.contradiction or table.unproven,
        "cosigned": table.cosigned,
        "cosigned_at": _text(table.cosigned_at),
        "state_received": _text(table.state_received),
        "state": None if state is None else state_view(state),
    }


def state_view(state: State) -> Mapping[str, Any]:
    """The last state of a table as a JSON object of the page."""
    return state.model_dump(mode="json", exclude={"birth", "sequence"})


def _in_order(state: State) -> TableCondition:
    """The condition of a table that needs none of the staff."""
    if state.mode in ("paused", "servicing"):
        return TableCondition("paused", "", state.sentence)
    if state.service == "service_mode":
        return TableCondition("service", "", state.sentence)
    if state.service == "fault":
        return TableCondition("fault", "attendant", state.sentence)
    if state.out_of_play:
        return TableCondition("out_of_play", "", state.sentence)
    if state.service == "session":
        for need in state.needs:
            return TableCondition("waiting", need.who, need.sentence, need.since)
        return TableCondition("playing", "", state.sentence)
    return TableCondition("idle", "", state.sentence)


def _text(at: datetime | None) -> str:
    return "" if at is None else at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


WIDEST = 200
"""Most columns and most rows of a room."""
_Name = Annotated[str, Field(pattern=f"^{NAME.pattern}$")]
_Place = Annotated[int, Field(ge=0, lt=WIDEST)]


class RoomPlan(BaseModel):
    """Column and row of tables by their names. A table that is not in it gets a place below."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tables: Mapping[_Name, tuple[_Place, _Place]] = Field(default_factory=dict)


def load_plan(file: Path) -> RoomPlan:
    """Load a plan. Raises ConfigErrors with every defect of the file."""
    return load_settings(file, RoomPlan)
