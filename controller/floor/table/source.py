"""What a table's publisher reads of the table, and which requests of the floor it passes on.

`TableSource` is the interface. `ServiceSource` implements it for a table's service. Everything of
the service runs on the table's event loop, which may be a simulation's. The publisher has a thread
of its own: each method passes a coroutine to the table's loop and waits for its result.
`RequestGate` admits requests: signed by a permitted key, for this table, once, and in order.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol, TypeVar

from controller.floor.messages import (
    MOST_DRIFT,
    MOST_NEEDS,
    DriftWarning,
    FaultState,
    Need,
    Request,
    TableAddress,
    TableState,
    is_signed_by,
)
from controller.floor.settings import RequestKey
from controller.records.audit.errors import AuditError, NotCanonicalError
from controller.records.audit.log.event_line import time_text
from controller.records.audit.notes import SignedNote, VerifierKey
from controller.service.port import Actor, CommandRequest, TablePort
from controller.service.status import Status
from controller.service.user_roles import UserRole
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


REMEMBERED = 200
"""Times that are remembered, so that a prompt keeps the time at which it was first seen."""


def _computer_time() -> datetime:
    return datetime.now(UTC)


class ClockTimes:
    """Converts seconds of the table's clock to texts of the computer's time.

    The same seconds always give the same text, also after the computer's clock was set.
    """

    def __init__(self, pace: float = 1.0, wall: Callable[[], datetime] = _computer_time) -> None:
        self._pace, self._wall = pace, wall
        self._known: OrderedDict[float, str] = OrderedDict()

    def text(self, seconds: float, now: float) -> str:
        """The time at `seconds` of the table's clock, which is now at `now`."""
        known = self._known.get(seconds)
        if known is None:
            ago = timedelta(seconds=max(0.0, now - seconds) / self._pace)
            known = self._known[seconds] = time_text(self._wall() - ago)
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return known


def state_of_status(
    status: Status, now: float, times: ClockTimes, drift: Sequence[tuple[str, str]] = ()
) -> TableState:
    """The state at `now` seconds of the table's clock. `drift` has parts and sentences."""
    needs = sorted(status.prompts, key=lambda prompt: prompt.since)
    fault = status.fault
    session = status.session
    return TableState(
        service=status.service.state,
        sentence=status.service.sentence[:500],
        under=status.machine.under[:20],
        top=status.machine.top[:20],
        mode=status.machine.mode[:20],
        game="" if session is None else session.title[:60],
        rounds=status.counts.rounds,
        tiles_expected=status.tiles.expected,
        tiles_accounted=status.tiles.accounted,
        out_of_play=status.service.out_of_play,
        fault=None
        if fault is None
        else FaultState(
            code=fault.code[:60],
            part=fault.part[:100],
            evidence=fault.evidence[:500],
            cure=fault.cure[:500],
            role=fault.role.value,
            since=times.text(fault.since, now),
        ),
        needs=tuple(
            Need(
                who=prompt.role.value,
                sentence=prompt.text[:500],
                since=times.text(prompt.since, now),
            )
            for prompt in needs[:MOST_NEEDS]
        ),
        drift=tuple(
            DriftWarning(part=part[:100], sentence=sentence[:500])
            for part, sentence in drift[:MOST_DRIFT]
        ),
    )


ANSWER = 10.0
"""Real seconds in which the table's loop has to answer."""
Result = TypeVar("Result")


class ServiceSource:
    """Implements `TableSource` for a service; made on the table's event loop.

    `pace` is the number of seconds of the table's clock in a real second.
    """

    def __init__(self, port: TablePort, pace: float = 1.0) -> None:
        self._port = port
        self._loop = asyncio.get_running_loop()
        self._times = ClockTimes(pace)
        table = port.feed.status.table
        self._description = TableDescription(
            table.software, table.identity, table.simulated, table.seats
        )

    @property
    def description(self) -> TableDescription:
        """Facts that do not change."""
        return self._description

    def follow(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call `changed` on the loop of the caller after each change of the status."""
        caller = asyncio.get_running_loop()
        ends: list[Callable[[], None]] = []

        def on_change(_: object) -> None:
            if not caller.is_closed():
                caller.call_soon_threadsafe(changed)

        def begin() -> None:
            ends.append(self._port.feed.follow(on_change))

        def end() -> None:
            while ends:
                ends.pop()()

        self._loop.call_soon_threadsafe(begin)
        return lambda: self._call(end)

    async def state(self) -> TableState:
        """The present state."""

        async def work() -> TableState:
            snapshot = self._port.feed.snapshot()
            drift = self._port.figures().drift_warnings
            return state_of_status(self._port.feed.status, snapshot.at, self._times, drift)

        return await self._on_table(work())

    async def size(self) -> int:
        """The number of events in the log."""

        async def work() -> int:
            return self._port.feed.status.audit.events

        return await self._on_table(work())

    async def events(self, first: int, most: int) -> Sequence[str]:
        """Lines of the log from index `first` on."""

        async def work() -> Sequence[str]:
            return await self._port.audit_lines(first, most)

        return await self._on_table(work())

    async def head(self, most: int) -> SignedNote | None:
        """The largest kept head with at most `most` events."""

        async def work() -> SignedNote | None:
            return await self._port.audit_head(most)

        return await self._on_table(work())

    async def keep_cosigned(self, head: SignedNote, witness: VerifierKey) -> None:
        """Keep a cosigned head beside the log."""

        async def work() -> None:
            await self._port.keep_cosigned_head(head, witness)

        await self._on_table(work())

    async def request(
        self, identifier: str, name: str, arguments: dict[str, Any], who: str, role: str, key: str
    ) -> RequestResult:
        """Give the service a command, with the role that the table's file gives the key."""
        actor = Actor(who, UserRole(role), f"floor:{key}"[:64], f"floor key {key}")

        async def work() -> RequestResult:
            request = CommandRequest(id=identifier, name=name, arguments=arguments)
            reply = await self._port.submit(request, actor)
            sentence = f"{reply.sentence} {reply.next_step}".strip()
            return RequestResult(reply.state != "refused", sentence)

        return await self._on_table(work())

    def _call(self, function: Callable[[], None]) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function)

    async def _on_table(self, work: Coroutine[Any, Any, Result]) -> Result:
        """The result of a coroutine on the table's loop. Raises SourceError."""
        try:
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
        except RuntimeError as error:
            work.close()
            raise SourceError("The table's service has ended.") from error
        try:
            async with asyncio.timeout(ANSWER):
                return await asyncio.wrap_future(future)
        except TimeoutError as error:
            raise SourceError(
                f"The table's event loop did not answer within {ANSWER:g} s."
            ) from error
        except AuditError as error:
            raise SourceError(str(error)) from error


class ForgedRequestError(WallwrightError):
    """A request without a valid signature for this table and this connection. It gets no reply."""


class RequestRefusedError(WallwrightError):
    """A signed request that the table does not permit; the message is for the person."""


class RequestGate:
    """Checks the requests of one connection, which its random birth id identifies.

    A request carries the birth id and a growing number, so an old one is refused after a reconnect
    and a repeated one within the same connection.
    """

    def __init__(self, address: TableAddress, keys: tuple[RequestKey, ...], birth: str) -> None:
        self._address = address
        self._keys = {each.key.name: each for each in keys}
        self._birth = birth
        self._last: dict[str, int] = {}

    def admit(self, request: Request) -> RequestKey:
        """Return the key of a request that may be executed.

        Raises ForgedRequestError, and RequestRefusedError for a request that the key does not
        permit.
        """
        known = self._keys.get(request.key)
        try:
            is_valid = known is not None and is_signed_by(request, self._address, known.key)
        except NotCanonicalError as error:
            raise ForgedRequestError(f"A request has no canonical form. {error}") from error
        if known is None or not is_valid:
            raise ForgedRequestError(f"A request has no valid signature of the key {request.key}.")
        if request.birth != self._birth:
            raise ForgedRequestError("A request is for an earlier connection of this table.")
        if request.number <= self._last.get(known.key.name, -1):
            raise ForgedRequestError(
                f"Request {request.number} of {request.key} was received before."
            )
        self._last[known.key.name] = request.number
        if request.name not in known.may:
            permitted = ", ".join(sorted(known.may)) or "nothing"
            raise RequestRefusedError(
                f"The key {known.key.name} may not request '{request.name}'; this table permits it"
                f" {permitted}."
            )
        return known
