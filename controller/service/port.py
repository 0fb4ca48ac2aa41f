"""The interface between the service of a table and its clients (API, panel, monitor).

A client gives a `CommandRequest` as an `Actor` and gets a `CommandReply`. `ServicePort` has all
methods that a client calls; `TablePort` adds those of clients in the loop of the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from pydantic import Field

from controller.events import Listener
from controller.service.status import GameChoice, HandResult, ResultQuestion, Value
from controller.service.status.feed import StatusFeed
from controller.service.status.machine_figures import MachineFigures
from controller.service.user_roles import UserRole
from rules.errors import WallwrightError

if TYPE_CHECKING:
    from controller.records.audit.notes import SignedNote, VerifierKey


class CommandRequest(Value):
    """A command from a client; `id` is the client's own, unique in the table's life."""

    id: str = Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9._:-]+$")
    name: str = Field(max_length=40)
    arguments: dict[str, object] = Field(default_factory=dict)


class CommandReply(Value):
    """The result of a command: accepted (it takes effect later), done, or refused.

    `code` is a short name of the refusal for programs; `next_step` says what a person can do.
    """

    id: str
    state: Literal["accepted", "done", "refused"]
    sentence: str = ""
    code: str = ""
    next_step: str = ""


class CommandRefusedError(WallwrightError, ValueError):
    """A command that the present state does not permit; `code` is short, for programs."""

    def __init__(self, code: str, sentence: str, next_step: str = "") -> None:
        super().__init__(sentence)
        self.code = code
        self.next_step = next_step


@dataclass(frozen=True)
class Actor:
    """The person or device that gives a command, as the API has authenticated it.

    `client` identifies the connection, for the control lease of recoveries. `address` is the
    network address of the client, for the audit log.
    """

    name: str
    role: UserRole
    client: str
    address: str = ""


@dataclass(frozen=True)
class SessionSummary:
    """A session in the list of all sessions; `ended` is empty for the present one."""

    id: str
    started: str
    ended: str
    game: str
    title: str
    rounds: int
    names: tuple[str, ...]
    scores: tuple[float, ...]


@dataclass(frozen=True)
class HandRecord:
    """The record of one hand: the lines that `wallwright replay` reads, and the hand's events.

    `choice` is the game with its house rules; None in records that do not have it.
    """

    session: str
    number: int
    lines: tuple[str, ...]
    events: tuple[dict[str, object], ...]
    choice: GameChoice | None = None


@dataclass(frozen=True)
class LastRounds:
    """Contents of the receipts of the last ten rounds in order, and of the round in progress.

    `event` in the contents is the index of the audit log's event, missing until it is on disk.
    """

    rounds: tuple[dict[str, Any], ...] = ()
    unfinished: dict[str, Any] | None = None


class ServicePort(Protocol):
    """One table's service, as its clients use it.

    A port belongs to one event loop: that of the table, or that of the API, which has a mirror of
    the service (`controller.web.api.server.service_mirror`). Methods that are no coroutines return
    at once. `submit` never raises for a command that a person can give: it returns a refusal with a
    sentence.
    """

    @property
    def feed(self) -> StatusFeed:
        """The status and its changes."""

    async def submit(self, request: CommandRequest, actor: Actor) -> CommandReply:
        """Give a command; the same id twice is executed once and gets the same reply."""

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Pass every later event to `listener`; returns the function that ends that.

        Events that contain identities of hidden tiles are not passed on.
        """

    def record_access(
        self, what: str, status: int, path: str, who: str, role: str, address: str
    ) -> None:
        """Record a request that changes something, such as a login, in the audit log.

        `what` is the endpoint's name, `status` the HTTP status of the answer.
        """

    async def record_change(
        self, what: str, details: Mapping[str, object], who: str, role: str, address: str
    ) -> None:
        """Record a change of the accounts before it takes effect; returns when it is on disk.

        Raises AuditError if the audit log cannot be written.
        """

    def presence(self, client: str, connected: bool) -> None:
        """Note that a client's first stream has begun, or that its last one has ended.

        A client that leads a recovery loses the lead some time after its last stream ended.
        """

    async def presets(self) -> dict[str, GameChoice]:
        """The saved games with house rules, by name."""

    async def sessions(self, before: str | None, limit: int) -> Sequence[SessionSummary]:
        """Sessions, latest first; `before` is the id of the last one of the page before."""

    async def results(self, session: str, after: int, limit: int) -> Sequence[HandResult]:
        """Results of a session's hands with a number above `after`, in order."""

    async def result_question(self, session: str, hand: int) -> ResultQuestion | None:
        """The question for the result of one hand; None if people cannot report it."""

    async def record(self, session: str, hand: int) -> HandRecord | None:
        """The record of one hand; None if there is none."""

    async def record_lines(self, session: str, last: int) -> Sequence[tuple[int, Sequence[str]]]:
        """The record lines of a session's hands up to the number `last`, each with its number.

        Hands that the table did not follow have no lines.
        """

    async def audit_lines(self, first: int, limit: int) -> Sequence[str]:
        """Events of the audit log from the index `first` on, in order, as lines of JSON.

        Raises AuditError if the log cannot be read; without a log there are none.
        """

    async def audit_head(self, most: int) -> SignedNote | None:
        """The largest kept head of the audit log with at most `most` events; None without one.

        Raises AuditError if the log cannot be read.
        """

    async def keep_cosigned_head(self, head: SignedNote, witness: VerifierKey) -> None:
        """Keep a head with the cosignature of a witness beside the log; one a day of each witness.

        Raises AuditError.
        """

    async def receipt(self, session: str, hand: int) -> dict[str, Any] | None:
        """The receipt of one of the last ten rounds, with its proof; None if there is none.

        Raises AuditError if the log cannot be read.
        """

    async def last_rounds(self) -> LastRounds:
        """The last ten rounds with their results, and the round in progress."""

    async def diagnostics(self) -> Callable[[], bytes]:
        """A function that makes the diagnostics bundle, a zip file without secrets.

        It can take seconds, and may run in any thread.
        """

    async def selftest_page(self) -> str | None:
        """The report of the last trials in service mode, as Markdown; None without any."""

    async def journal_lines(self, after: int, limit: int) -> Sequence[str]:
        """Lines of the journal with a record number above `after`, in order."""


class TablePort(ServicePort, Protocol):
    """A service's port on the table's own event loop, with what is measured there."""

    def figures(self) -> MachineFigures:
        """Counts and times of links, logs and parts, which are no part of the status."""
