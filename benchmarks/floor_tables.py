"""A thousand tables in one process, for `benchmarks.floor_load`.

Each table runs the program's own publisher on a log in memory. Its events are canonical lines of
the audit log, made at fixed times, so that everybody can compute when an event was made.
`python -m benchmarks.floor_tables PLAN` reads a plan as JSON, and prints a line of JSON at the end.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from benchmarks.light_mqtt import light_connection
from controller.floor.broker import Broker
from controller.floor.messages import TableAddress, TableState
from controller.floor.settings import FloorSettings
from controller.floor.table.publisher import TablePublisher
from controller.floor.table.source import RequestResult, SourceError, TableDescription
from controller.records.audit.log.event_line import AuditEntry
from controller.records.audit.notes import SignedNote, VerifierKey

TICK = 0.03
"""Seconds between two looks at which events are due."""
KEPT = 2000
"""Stored events that a table keeps in memory, beyond those that are not stored."""
JOINING = 20.0
"""Seconds in which the tables connect, one after another."""
STATE = TableState(
    service="session",
    sentence="Round 12 is played.",
    under="staged",
    top="playing",
    mode="going",
    game="wenzhou",
    rounds=12,
    tiles_expected=288,
    tiles_accounted=288,
    out_of_play=False,
    fault=None,
    needs=(),
    drift=(),
)


@dataclass(frozen=True)
class LoadPlan:
    """The tables' part: events from `begin` (seconds since 1970) for `seconds`, then `drain`."""

    floor: str
    port: int
    tables: int
    per_second: float
    begin: float
    seconds: float
    drain: float

    def name(self, number: int) -> str:
        """The name of a table."""
        return f"t{number:05}"

    def made(self, number: int, index: int) -> float:
        """When the event with this index of a table is made; the tables are evenly spread."""
        return self.begin + (index + number / self.tables) / self.per_second

    def due(self, number: int, now: float) -> int:
        """The number of events of a table that are made until now."""
        end = min(now, self.begin + self.seconds)
        return max(0, int((end - self.begin) * self.per_second - number / self.tables) + 1)

    def encoded(self) -> str:
        """The plan as JSON."""
        return json.dumps(asdict(self))


class LoadSource:
    """Implements `TableSource`: a log in memory without the events that are stored for long."""

    description = TableDescription("0.2.0", "", simulated=True, seats=4)

    def __init__(self, plan: LoadPlan, number: int) -> None:
        self._plan, self._number = plan, number
        self._offset = 0
        self._lines: list[str] = []
        self._first = ""
        self._digest = sha256()
        self._changed: list[Callable[[], None]] = []
        self.publisher: TablePublisher | None = None

    @property
    def total(self) -> int:
        """The number of events."""
        return self._offset + len(self._lines)

    @property
    def digest(self) -> str:
        """The hash of all lines, each with a line break."""
        return self._digest.hexdigest()

    def make_due(self, now: float) -> None:
        """Make the events that are due."""
        due = self._plan.due(self._number, now)
        if due <= self.total:
            return
        while self.total < due:
            self._make(self.total)
        assert self.publisher is not None
        too_many = self.publisher.outbox.stored - KEPT - self._offset
        if too_many > KEPT:
            del self._lines[:too_many]
            self._offset += too_many
        for changed in self._changed:
            changed()

    def _make(self, index: int) -> None:
        at = self._plan.made(self._number, index)
        since = at - self._plan.begin
        what, details = (
            ("tile_read", {"heads": 4, "seat": index % 4, "tile": index % 144, "wall": "east"})
            if index % 50
            else ("round_over", {"dealer": "east", "rounds": index // 50, "seed": "3f" * 16})
        )
        entry = AuditEntry(what, datetime.fromtimestamp(at, UTC), since, since, details=details)
        line = entry.line(index).decode()
        self._first = self._first or line
        self._lines.append(line)
        self._digest.update(line.encode() + b"\n")

    def follow(self, changed: Callable[[], None]) -> Callable[[], None]:
        self._changed.append(changed)
        return lambda: self._changed.remove(changed)

    async def state(self) -> TableState:
        return STATE

    async def size(self) -> int:
        return self.total

    async def events(self, first: int, most: int) -> Sequence[str]:
        if first == 0 and most == 1:
            return [self._first] if self._first else []
        if first < self._offset:
            raise SourceError(f"Event {first} is no longer in memory.")
        return self._lines[first - self._offset : first - self._offset + most]

    async def head(self, most: int) -> SignedNote | None:
        """The load has no signed heads."""
        return None

    async def keep_cosigned(self, head: SignedNote, witness: VerifierKey) -> None:
        """Nothing is kept."""

    async def request(
        self, identifier: str, name: str, arguments: dict[str, Any], who: str, role: str, key: str
    ) -> RequestResult:
        return RequestResult(accepted=False, sentence="The load test takes no requests.")


async def run_tables(plan: LoadPlan) -> dict[str, object]:
    """Run all tables; return the number and the hash of each one's events."""
    broker = Broker("127.0.0.1", plan.port)
    sources = [LoadSource(plan, number) for number in range(plan.tables)]
    losses = 0

    def changed(reason: str | None) -> None:
        nonlocal losses
        losses += reason is not None

    async with asyncio.TaskGroup() as group:
        tasks = []
        for number, source in enumerate(sources):
            address = TableAddress(plan.floor, plan.name(number))
            settings = FloorSettings(address, f"Table {number}", broker)
            source.publisher = TablePublisher(
                settings, source, connect=light_connection, connection_changed=changed
            )
            tasks.append(group.create_task(source.publisher.run()))
            await asyncio.sleep(JOINING / plan.tables)
        end = plan.begin + plan.seconds
        late = 0.0
        while (now := time.time()) < end + plan.drain:
            for source in sources:
                source.make_due(now)
            if now > end and all(each.publisher.outbox.stored == each.total for each in sources):  # type: ignore[union-attr] # set above
                break
            late = max(late, time.time() - now)
            await asyncio.sleep(TICK)
        for task in tasks:
            task.cancel()
    return {
        "losses": losses,
        "slowest_tick": late,
        "tables": {
            plan.name(number): (source.total, source.digest)
            for number, source in enumerate(sources)
        },
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(run_tables(LoadPlan(**json.loads(sys.argv[1]))))), flush=True)
