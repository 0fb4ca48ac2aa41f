"""A `ServicePort` for the tests of the API: it records commands and holds what a test puts in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from controller.events import Event, Listener
from controller.records.audit.errors import AuditError
from controller.records.audit.notes import SignedNote, VerifierKey
from controller.service.port import (
    Actor,
    CommandReply,
    CommandRequest,
    HandRecord,
    LastRounds,
    SessionSummary,
)
from controller.service.status import (
    GameChoice,
    HandResult,
    OpenPrompt,
    ResultQuestion,
    SceneStatus,
    Status,
    TableFacts,
)
from controller.service.status.feed import StatusFeed
from controller.service.status.machine_figures import MachineFigures
from controller.service.user_roles import UserRole

FACTS = TableFacts(name="bench", seats=4, simulated=True, software="0")
PROMPTS = tuple(
    OpenPrompt(id=f"p-{role.value}", kind="fault", role=role, text="Remove the tile.")
    for role in UserRole
)
"""One open prompt for each role."""


@dataclass
class FakeService:
    """The service of a table without hardware."""

    prompts: tuple[OpenPrompt, ...] = PROMPTS
    records: dict[tuple[str, int], HandRecord] = field(default_factory=dict)
    past: list[SessionSummary] = field(default_factory=list)
    hands: list[HandResult] = field(default_factory=list)
    journal: list[str] = field(default_factory=list)
    given: list[tuple[CommandRequest, Actor]] = field(default_factory=list)
    present: dict[str, bool] = field(default_factory=dict)
    accesses: list[tuple[str, int, str, str, str, str]] = field(default_factory=list)
    changes: list[tuple[str, dict[str, object], str, str, str]] = field(default_factory=list)
    audit: list[str] = field(default_factory=list)
    audit_error: AuditError | None = None
    questions: dict[tuple[str, int], ResultQuestion] = field(default_factory=dict)
    receipts: dict[tuple[str, int], dict[str, Any]] = field(default_factory=dict)
    last: LastRounds = LastRounds()
    reply: CommandReply | None = None
    bundle: bytes = b"PK"
    report: str = ""

    def __post_init__(self) -> None:
        first = Status(table=FACTS, prompts=self.prompts)
        self._feed = StatusFeed(first, lambda: asyncio.get_running_loop().time())
        self._listeners: list[Listener] = []
        self.journal_calls = 0

    @property
    def feed(self) -> StatusFeed:
        return self._feed

    def show(self, **places: str) -> None:
        """Publish a status with these tiles on the table."""
        status = self._feed.status.model_copy(update={"scene": SceneStatus(places=places)})
        self._feed.publish(status)

    def emit(self, event: Event) -> None:
        """Pass an event to every listener."""
        for listener in tuple(self._listeners):
            listener(event)

    async def submit(self, request: CommandRequest, actor: Actor) -> CommandReply:
        self.given.append((request, actor))
        if self.reply is not None:
            return self.reply.model_copy(update={"id": request.id})
        return CommandReply(id=request.id, state="done")

    def listen(self, listener: Listener) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def record_access(
        self, what: str, status: int, path: str, who: str, role: str, address: str
    ) -> None:
        self.accesses.append((what, status, path, who, role, address))

    async def record_change(
        self, what: str, details: Mapping[str, object], who: str, role: str, address: str
    ) -> None:
        if self.audit_error is not None:
            raise self.audit_error
        self.changes.append((what, dict(details), who, role, address))

    def presence(self, client: str, connected: bool) -> None:
        self.present[client] = connected

    async def presets(self) -> dict[str, GameChoice]:
        return {"Friday": GameChoice(game="wenzhou", house_rules={"reserve": 18})}

    async def sessions(self, before: str | None, limit: int) -> Sequence[SessionSummary]:
        ids = [each.id for each in self.past]
        start = ids.index(before) + 1 if before in ids else 0 if before is None else len(ids)
        return self.past[start : start + limit]

    async def results(self, session: str, after: int, limit: int) -> Sequence[HandResult]:
        later = [hand for hand in self.hands if hand.number > after]
        return later[:limit] if any(each.id == session for each in self.past) else []

    async def result_question(self, session: str, hand: int) -> ResultQuestion | None:
        return self.questions.get((session, hand))

    async def record(self, session: str, hand: int) -> HandRecord | None:
        return self.records.get((session, hand))

    async def record_lines(self, session: str, last: int) -> Sequence[tuple[int, Sequence[str]]]:
        return [
            (number, record.lines)
            for (each, number), record in sorted(self.records.items())
            if each == session and number <= last
        ]

    def figures(self) -> MachineFigures:
        return MachineFigures()

    async def diagnostics(self) -> Callable[[], bytes]:
        return lambda: self.bundle

    async def selftest_page(self) -> str | None:
        return self.report or None

    async def audit_lines(self, first: int, limit: int) -> Sequence[str]:
        if self.audit_error is not None:
            raise self.audit_error
        return self.audit[first : first + limit]

    async def audit_head(self, most: int) -> SignedNote | None:
        return None

    async def keep_cosigned_head(self, head: SignedNote, witness: VerifierKey) -> None:
        raise AssertionError("No head was given, so none can be cosigned.")

    async def receipt(self, session: str, hand: int) -> dict[str, Any] | None:
        if self.audit_error is not None:
            raise self.audit_error
        return self.receipts.get((session, hand))

    async def last_rounds(self) -> LastRounds:
        return self.last

    async def journal_lines(self, after: int, limit: int) -> Sequence[str]:
        self.journal_calls += 1
        return self.journal[after : after + limit]


def an_evening() -> FakeService:
    """A service with two sessions, five hands, one record and a journal of 250 lines."""
    sessions = [
        SessionSummary(
            f"s{n}", "2026-11-23T19:00", "", "wenzhou", "Wenzhou", 5, ("Ana",) * 4, (0.0,) * 4
        )
        for n in (2, 1)
    ]
    hands = [HandResult(number=n, game="wenzhou", sentence=f"Hand {n}.") for n in range(1, 6)]
    record = HandRecord("s2", 1, ("a line",), ({"t": 1.0, "event": "round_started"},))
    journal = [f'{{"number":{n},"batch":{n},"kind":"note"}}' for n in range(1, 251)]
    return FakeService(past=sessions, hands=hands, records={("s2", 1): record}, journal=journal)
