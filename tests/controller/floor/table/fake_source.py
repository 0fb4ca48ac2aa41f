"""A table whose log and state a test changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from controller.floor.messages import TableState
from controller.floor.table.source import RequestResult, SourceError, TableDescription
from controller.records.audit.log.event_line import AuditEntry
from controller.records.audit.log.key_chain import LOG_BEGUN
from controller.records.audit.notes import Checkpoint, SignedNote, SigningKey, VerifierKey
from controller.records.audit.tree import leaf_hash, root_of
from controller.records.data_folder import LOG_FORMAT

IDLE = TableState(
    service="idle",
    sentence="The table is free.",
    under="idle",
    top="clear",
    mode="ready",
    game="",
    rounds=0,
    tiles_expected=136,
    tiles_accounted=136,
    out_of_play=False,
    fault=None,
    needs=(),
    drift=(),
)


BEGUN = datetime(2026, 1, 2, 3, 4, 5, 678000, UTC)


class FakeSource:
    """Implements `TableSource`. `failure` makes its log unreadable."""

    description = TableDescription("0.2.0", "not signed", simulated=True, seats=4)

    def __init__(self, lines: int = 0) -> None:
        self.key = SigningKey("wallwright/t07/1", b"t" * 32)
        self.lines = [begun(self.key)] if lines else []
        self.lines += [line(number) for number in range(1, lines)]
        self.cosigned: list[SignedNote] = []
        self.shown = IDLE
        self.failure: str | None = None
        self.requests: list[tuple[str, str, str]] = []
        self._followers: list[Callable[[], None]] = []

    def add(self, count: int = 1) -> None:
        """Write events to the log."""
        first = len(self.lines)
        self.lines += [
            line(number) if number else begun(self.key) for number in range(first, first + count)
        ]
        self.change()

    def change(self) -> None:
        """Report a change to the publisher."""
        for changed in tuple(self._followers):
            changed()

    def follow(self, changed: Callable[[], None]) -> Callable[[], None]:
        self._followers.append(changed)
        return lambda: self._followers.remove(changed)

    async def state(self) -> TableState:
        return self.shown

    async def size(self) -> int:
        return len(self.lines)

    async def events(self, first: int, most: int) -> Sequence[str]:
        if self.failure is not None:
            raise SourceError(self.failure)
        return self.lines[first : first + most]

    async def head(self, most: int) -> SignedNote | None:
        """Return a head of all events, if that many are stored."""
        if not 0 < len(self.lines) <= most:
            return None
        root = root_of(leaf_hash(line.encode()) for line in self.lines)
        return self.key.signed(Checkpoint(self.key.public.name, len(self.lines), root))

    async def keep_cosigned(self, head: SignedNote, witness: VerifierKey) -> None:
        self.cosigned.append(head)

    async def request(
        self, identifier: str, name: str, arguments: dict[str, Any], who: str, role: str, key: str
    ) -> RequestResult:
        self.requests.append((name, who, role))
        return RequestResult(accepted=True, sentence="The table is out of play.")


def begun(key: SigningKey) -> str:
    """Return the first event of a log, which names its key."""
    details = {"format": LOG_FORMAT, "key": str(key.public), "origin": key.public.name}
    return AuditEntry(LOG_BEGUN, BEGUN, 0.0, 0.0, details=details).line(0).decode()


def line(number: int) -> str:
    """Return an event of the log."""
    return (
        f'{{"details":{{}},"from":"table","index":{number},"role":"","table_ms":{number}'
        ',"time":"2026-01-02T03:04:05.678Z","what":"ready","who":""}'
    )
