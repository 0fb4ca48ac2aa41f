"""A command as one object, and the parts of a table's service that commands use."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from controller.service.port import Actor, CommandRefusedError
from controller.service.status import Status, Value
from controller.service.user_roles import UserRole

if TYPE_CHECKING:
    from controller.run.daemon import Daemon
    from controller.service.auditing.audit_trail import AuditTrail
    from controller.service.auditing.receipt_book import ReceiptBook
    from controller.service.evening.game_choices import SavedGames
    from controller.service.evening.session_book import SessionBook
    from controller.service.evening.session_keeper import SessionKeeper
    from controller.service.evening.store_thread import StoreThread
    from controller.service.present_run import PresentRun
    from controller.service.prompts.open_prompts import OpenPrompts
    from controller.service.prompts.recovery_lead import LeadWatch, RecoveryLead
    from controller.service.prompts.service_guide import ServiceGuide
    from controller.service.runs.run_sequence import RunSequence
    from controller.service.service_state import ServiceState
    from controller.service.settings import ServiceSettings
    from controller.service.status.feed import StatusFeed
    from controller.service.tracking.table_events import TableEvents


class NoArguments(Value):
    """A command without arguments."""


Arguments = TypeVar("Arguments", bound=Value)


@dataclass(frozen=True)
class CommandedTable:
    """The parts of a table's service that commands read and change."""

    settings: ServiceSettings
    run: PresentRun
    runs: RunSequence
    state: ServiceState
    sessions: SessionKeeper
    presets: SavedGames
    prompts: OpenPrompts
    guide: ServiceGuide
    lead: RecoveryLead
    lead_watch: LeadWatch
    audit: AuditTrail
    receipts: ReceiptBook
    thread: StoreThread
    feed: StatusFeed
    events: TableEvents
    """Takes events and reports, and publishes the status after a change."""


@dataclass(frozen=True)
class TableCommand(Generic[Arguments]):
    """One command that clients give a table, with all its properties.

    `execute` first checks that the state of the table permits the command, then acts, and returns
    the sentence of the reply. It raises CommandRefusedError, or another WallwrightError with a
    sentence. Its docstring is the summary of the command in the API and the documentation.
    """

    name: str
    arguments: type[Arguments]
    role: UserRole
    """The least role that may give the command."""
    execute: Callable[[CommandedTable, Arguments, Actor], Awaitable[str]]
    stops: bool = False
    """Whether it stops motions: it is executed at once and each time, waits for no disk, and has
    no limit."""
    not_stored: str = ""
    """The sentence that is added to the reply if a stop is not stored within half a second; without
    it the reply does not wait."""
    is_repeatable: bool = False
    """Whether it is executed again if it is repeated after a kill of the service."""
    press: Callable[[Arguments], str] | None = None
    """For a command that is renewed while a button is held: the press that it belongs to. Each
    press is recorded once, and the replies are kept in memory only."""
    activities: Callable[[CommandedTable, Arguments], tuple[str, ...] | None] | None = None
    """The activities of the run's journal to which the command adds a record; the reply waits for
    it. Empty if the command adds it itself, None if this command adds no record."""
    target_role: Callable[[Status, Arguments], UserRole | None] | None = None
    """The role that the target of these arguments needs in the published status, such as a prompt;
    None if there is no such target."""
    target: str = ""
    """What a person with the role of the target may do, such as `answer this prompt`."""
    example: Mapping[str, object] | None = None
    """A request that the API's description shows as an example."""

    @property
    def summary(self) -> str:
        """What the command does, in one sentence."""
        return " ".join((self.execute.__doc__ or "").split())


def command(
    name: str, arguments: type[Arguments], role: UserRole, **more: Any
) -> Callable[
    [Callable[[CommandedTable, Arguments, Actor], Awaitable[str]]], TableCommand[Arguments]
]:
    """Make a command of the function that executes it; `more` are fields of `TableCommand`."""
    return lambda execute: TableCommand(name, arguments, role, execute, **more)


# What several commands require


def require_session(table: CommandedTable) -> SessionBook:
    """The book of the session in progress. Raises CommandRefusedError without one."""
    if table.sessions.book is None:
        raise CommandRefusedError("no_session", "No session is in progress.", "Start one first.")
    return table.sessions.book


def require_daemon(table: CommandedTable) -> Daemon:
    """The daemon of the present run. Raises CommandRefusedError without one."""
    if table.run.daemon is None:
        raise CommandRefusedError(
            "not_running", "The table does not run.", "Start a session first."
        )
    return table.run.daemon


def require_unlocked(table: CommandedTable) -> None:
    """Raises CommandRefusedError if the table must not run until the service starts again."""
    if table.runs.lock is not None:
        raise CommandRefusedError(
            "locked", table.runs.lock, "Install the signed program, then start the service again."
        )


def require_serving(table: CommandedTable) -> None:
    """Raises CommandRefusedError if the service stops."""
    if table.runs.stopping.is_set():
        raise CommandRefusedError("stopping", "The service is stopping; start it again first.")


def require_role(actor: Actor, least: UserRole, what: str) -> None:
    """Raises CommandRefusedError if the role is too low for `what`, such as `This prompt`."""
    if not actor.role.includes(least):
        raise CommandRefusedError(
            "role",
            f"{what} needs the role {least.value}; {actor.name} has the role {actor.role.value}.",
            f"Ask a person with the role {least.value}.",
        )


def require_seats(named: Iterable[int], seats: int) -> None:
    """Raises CommandRefusedError for a seat that the game does not have."""
    for seat in named:
        if not 0 <= seat < seats:
            raise CommandRefusedError(
                "seat", f"There is no seat {seat}; seats are 0 to {seats - 1}."
            )
