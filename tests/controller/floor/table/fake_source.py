"""A table whose log and state a test changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from controller.floor.messages.payloads import TableState
from controller.floor.table.source import RequestResult, SourceError, TableDescription

IDLE = TableState(
    service="idle",
    sentence="Nobody plays.",
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


class FakeSource:
    """Implements `TableSource`. `failure` makes its log unreadable."""

    description = TableDescription("0.2.0", "not signed", simulated=True, seats=4)

    def __init__(self, lines: int = 0) -> None:
        self.lines = [line(number) for number in range(lines)]
        self.shown = IDLE
        self.failure: str | None = None
        self.requests: list[tuple[str, str, str]] = []
        self._followers: list[Callable[[], None]] = []

    def add(self, count: int = 1) -> None:
        """Write events to the log."""
        self.lines += [line(len(self.lines) + number) for number in range(count)]
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

    async def request(
        self, identifier: str, name: str, arguments: dict[str, Any], who: str, role: str, key: str
    ) -> RequestResult:
        self.requests.append((name, who, role))
        return RequestResult(accepted=True, sentence="The table is out of play.")


def line(number: int) -> str:
    """Return an event of the log."""
    return (
        f'{{"details":{{}},"from":"table","index":{number},"role":"","table_ms":{number}'
        ',"time":"2026-01-02T03:04:05.678Z","what":"ready","who":""}'
    )
