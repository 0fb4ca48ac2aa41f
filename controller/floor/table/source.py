"""The interface between a table and its publisher."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from controller.floor.messages.payloads import TableState
from controller.records.audit.notes import SignedNote, VerifierKey
from rules.errors import WallwrightError


@dataclass(frozen=True)
class TableDescription:
    """Facts of a table that do not change while its service runs."""

    software: str
    identity: str
    simulated: bool
    seats: int


@dataclass(frozen=True)
class RequestResult:
    """Whether the table accepted a request, and a sentence for the person."""

    accepted: bool
    sentence: str


class SourceError(WallwrightError):
    """The table does not answer now, or its log cannot be read; try again later."""


class TableSource(Protocol):
    """One table, as its publisher reads it. Every coroutine may raise SourceError."""

    @property
    def description(self) -> TableDescription:
        """Facts that do not change."""

    def follow(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call `changed` on the publisher's loop after each change; returns the end of that."""

    async def state(self) -> TableState:
        """The present state."""

    async def size(self) -> int:
        """The number of events in the log."""

    async def events(self, first: int, most: int) -> Sequence[str]:
        """At most `most` lines of the log from index `first` on, without their newlines."""

    async def head(self, most: int) -> SignedNote | None:
        """The largest kept head of the log with at most `most` events; None if there is none."""

    async def keep_cosigned(self, head: SignedNote, witness: VerifierKey) -> None:
        """Keep a head with the verified cosignature of a witness beside the log."""

    async def request(
        self, identifier: str, name: str, arguments: dict[str, Any], who: str, role: str, key: str
    ) -> RequestResult:
        """Ask the table for something; the same identifier twice is executed once."""
