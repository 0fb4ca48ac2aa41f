"""Takes the commands of clients: checks role and arguments, records, executes, stores the reply.

An answer, a correction and a share take effect in the run, which adds them to the journal: an
action and a correction as an intent, the outcome of a step or of a question as an outcome. A kill
before that loses them. So the reply waits for the first such record after the command, and for its
sync. Usually both take one sync. A table that is paused can take longer: the reply then says that
the command takes effect later.

A press of the lid's key is not among them. It is not repeated after a restart: the lid moves near
people's hands, so people press the key again (docs/decisions/0049).

Replies are stored by client and id (`KnownReplies`), by which a repeated command is recognised.
Before a command is executed its reply is stored as `interrupted`, and replaced when it ends. If the
service is killed in between, a repeated command gets that reply and is not executed a second time.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from controller.records.audit.errors import AuditError
from controller.run.journal import JournalError
from controller.service.commands import BY_NAME
from controller.service.commands.command import CommandedTable, TableCommand, require_role
from controller.service.evening.evening_store import StoreError
from controller.service.evening.store_thread import StoreThread
from controller.service.port import Actor, CommandRefusedError, CommandReply, CommandRequest
from controller.service.status import Value
from rules.errors import WallwrightError

if TYPE_CHECKING:
    from controller.run.run_state import RunState


STOP_REPLY = 0.5
"""Real seconds for which the reply to a pause waits for the disk; the pause itself does not."""
LONGEST = 0.5
"""Real seconds for which a reply waits until the effect is on disk (our choice)."""
NOT_ON_DISK = "It is not on disk yet: if the service restarts now, it has to be given again."


@dataclass(frozen=True)
class _Given:
    """A command that was admitted, with its valid arguments and the person who gives it."""

    command: TableCommand[Any]
    arguments: Value
    actor: Actor

    async def execute(self, table: CommandedTable) -> str:
        return await self.command.execute(table, self.arguments, self.actor)


@dataclass(frozen=True)
class _JournalRecord:
    """The journal record that a command will have added, after the first `number` records.

    The records are those of the `activities`; with none, the command has added its record itself.
    """

    run_state: RunState
    activities: tuple[str, ...]
    number: int

    async def on_disk(self, pace: float) -> bool:
        """Wait until the record is on disk; returns False after `LONGEST`.

        Raises CommandRefusedError if the journal cannot be written.
        """
        try:
            async with asyncio.timeout(LONGEST * pace):
                await self.run_state.on_disk_after(self.activities, self.number)
        except TimeoutError:
            return False
        except JournalError as error:
            raise CommandRefusedError("not_stored", str(error), FREE_SPACE) from error
        return True


class CommandDesk:
    """Takes commands for one table, one after another."""

    def __init__(self, table: CommandedTable) -> None:
        self._table = table
        self._replies = KnownReplies(table.thread)
        self._in_progress: dict[str, asyncio.Event] = {}
        """Commands that are being executed; a repeated one waits for the first."""

    async def submit(self, request: CommandRequest, actor: Actor) -> CommandReply:
        """Execute a command once; a repeated id of a client gets the reply of the first time.

        If a kill has interrupted the first time, it gets a refusal. A refusal is not kept. A
        command that stops something is executed each time.
        """
        command = BY_NAME.get(request.name)
        if command is not None and command.stops:
            return await self._stop(request, actor)
        key = f"{actor.client} {request.id}"
        # A command that is renewed several times a second has its replies in memory only.
        is_stored = command is None or command.press is None
        while True:
            while (first := self._in_progress.get(key)) is not None:
                await first.wait()
            try:
                kept = await self._replies.find(key, is_stored=is_stored)
            except StoreError as error:
                return self._refused(request, actor, not_stored(str(error)))
            if key not in self._in_progress:
                break
        if kept is not None:
            return repeated(request, kept)
        done = self._in_progress[key] = asyncio.Event()
        try:
            return await self._reply(request, actor, key, is_stored=is_stored)
        except WallwrightError as refusal:
            return self._refused(request, actor, refusal)
        finally:
            del self._in_progress[key]
            done.set()

    async def _reply(
        self, request: CommandRequest, actor: Actor, key: str, *, is_stored: bool
    ) -> CommandReply:
        """Record a command, execute it, and store its effects and its reply, in this order.

        Nothing takes effect before its event is on disk, and nothing is acknowledged before it is
        stored: in the store, or in the journal if it is part of the run. Raises WallwrightError for
        a command that is refused.
        """
        given = _admitted(request, actor)
        self._require_records()
        press = None if given.command.press is None else given.command.press(given.arguments)
        is_once = not given.command.is_repeatable
        if is_once:
            self._replies.begin(key, request)
        try:
            await self._table.audit.command(request, actor, press)
            if is_once:
                await self._replies.begun()
            record = self._record_of(given)
            sentence = await given.execute(self._table)
        except WallwrightError as error:
            if is_once:
                self._replies.withdraw(key)
            if isinstance(error, AuditError):
                raise CommandRefusedError("audit", str(error), FREE_SPACE) from error
            raise
        reply = CommandReply(id=request.id, state="done", sentence=sentence)
        if record is not None and not await record.on_disk(self._table.settings.pace):
            reply = CommandReply(
                id=request.id, state="accepted", sentence=f"{sentence} {NOT_ON_DISK}"
            )
        try:
            await self._replies.keep(key, request, reply, is_stored=is_stored)
        except StoreError as error:
            raise not_stored(str(error)) from error
        return reply

    def _record_of(self, given: _Given) -> _JournalRecord | None:
        """The record that a command will have added to the journal; None if it adds none."""
        daemon, activities_of = self._table.run.daemon, given.command.activities
        if daemon is None or activities_of is None:
            return None
        activities = activities_of(self._table, given.arguments)
        if activities is None:
            return None
        run_state = daemon.run_state
        return _JournalRecord(run_state, activities, run_state.added(activities))

    async def _stop(self, request: CommandRequest, actor: Actor) -> CommandReply:
        """Execute a command that stops something: before any disk is asked, and each time.

        A used id changes nothing: a person who presses Pause must not get an old reply.
        """
        try:
            given = _admitted(request, actor)
            sentence = await given.execute(self._table)
        except WallwrightError as refusal:
            return self._refused(request, actor, refusal)
        self._table.audit.stopped(request, actor)
        if given.command.not_stored and not await self._is_stored_soon():
            sentence = f"{sentence} {given.command.not_stored}"
        return CommandReply(id=request.id, state="done", sentence=sentence)

    async def _is_stored_soon(self) -> bool:
        """Whether all writes so far are stored within half a second."""
        try:
            async with asyncio.timeout(STOP_REPLY * self._table.settings.pace):
                await self._table.thread.stored()
        except (StoreError, TimeoutError):
            return False
        return True

    def _refused(
        self, request: CommandRequest, actor: Actor, refusal: WallwrightError
    ) -> CommandReply:
        """The reply to a refused command, whose kind and reason are recorded."""
        code, next_step = "not_permitted", ""
        if isinstance(refusal, CommandRefusedError):
            code, next_step = refusal.code, refusal.next_step
        command = request.name if request.name in BY_NAME else "unknown"
        self._table.audit.refused(command, code, actor)
        return CommandReply(
            id=request.id,
            state="refused",
            sentence=self._table.sessions.in_words(str(refusal)),
            code=code,
            next_step=next_step,
        )

    def _require_records(self) -> None:
        """Raises CommandRefusedError while the audit log or the store cannot be written."""
        if self._table.audit.failure is not None:
            raise CommandRefusedError("audit", self._table.audit.failure, FREE_SPACE)
        if self._table.thread.failure is not None:
            raise not_stored(self._table.thread.failure)


def _admitted(request: CommandRequest, actor: Actor) -> _Given:
    """A command for its execution. Raises CommandRefusedError for its name, role or arguments."""
    command = BY_NAME.get(request.name)
    if command is None:
        raise CommandRefusedError(
            "unknown_command",
            f"There is no command '{request.name}'.",
            f"The commands are {', '.join(sorted(BY_NAME))}.",
        )
    require_role(actor, command.role, f"The command '{command.name}'")
    try:
        arguments: Value = command.arguments.model_validate(request.arguments)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "arguments"
        raise CommandRefusedError(
            "arguments", f"`{where}` of the command '{command.name}': {first['msg']}."
        ) from error
    return _Given(command, arguments, actor)


REPLIES = 1000
"""Number of replies that are kept in memory; the store keeps more."""
FREE_SPACE = "Free space on the disk of the data folder; the service tries again every 5 s."
LOOK_FIRST = "Look at the table, and give the command again if it had no effect."
Facts = dict[str, Any]


class KnownReplies:
    """The replies of one table, in memory and in the store; a key is a client and an id."""

    def __init__(self, thread: StoreThread) -> None:
        self._thread = thread
        self._latest: dict[str, Facts] = {}

    async def find(self, key: str, *, is_stored: bool) -> Facts | None:
        """The facts of a reply, from memory or the store; None without one. Raises StoreError."""
        if key in self._latest or not is_stored:
            return self._latest.get(key)
        return await self._thread.read(lambda store: store.reply(key))

    def begin(self, key: str, request: CommandRequest) -> None:
        """Begin to store that a command may be executed from now on; `begun` waits for it."""
        facts = _facts(request, _interrupted(request))
        self._thread.write(lambda store: store.put_reply(key, facts))

    def withdraw(self, key: str) -> None:
        """Forget a command that was refused: if it is repeated, it is executed."""
        self._thread.write(lambda store: store.put_reply(key, None))

    async def begun(self) -> None:
        """Wait until `begin` is on disk. Raises CommandRefusedError."""
        try:
            await self._thread.stored()
        except StoreError as error:
            raise not_stored(str(error)) from error

    async def keep(
        self, key: str, request: CommandRequest, reply: CommandReply, *, is_stored: bool
    ) -> None:
        """Keep a reply; returns when it and all earlier writes are on disk. Raises StoreError.

        With `is_stored` false the reply is kept in memory only.
        """
        facts = _facts(request, reply)
        if is_stored:
            self._thread.write(lambda store: store.put_reply(key, facts))
            await self._thread.stored()
        self._latest[key] = facts
        if len(self._latest) > REPLIES:
            del self._latest[next(iter(self._latest))]


def not_stored(failure: str) -> CommandRefusedError:
    """The refusal of a command whose effect cannot be stored."""
    return CommandRefusedError("not_stored", f"The command is not stored. {failure}", FREE_SPACE)


def repeated(request: CommandRequest, kept: Facts) -> CommandReply:
    """The reply to a command with an id that the client has used before."""
    facts = dict(kept)
    command, arguments = facts.pop("command"), facts.pop("arguments", None)
    if (command, arguments) != (request.name, _digest(request)):
        other = "" if command != request.name else " with other arguments"
        return CommandReply(
            id=request.id,
            state="refused",
            sentence=f"The id '{request.id}' was used for the command '{command}'{other}.",
            code="id_used",
            next_step="Give every command an id of its own.",
        )
    return CommandReply.model_validate(facts)


def _facts(request: CommandRequest, reply: CommandReply) -> Facts:
    """A reply with what identifies its command."""
    return {
        "command": request.name,
        "arguments": _digest(request),
        **reply.model_dump(mode="json"),
    }


def _interrupted(request: CommandRequest) -> CommandReply:
    """The reply to a repeated command whose first execution was interrupted."""
    return CommandReply(
        id=request.id,
        state="refused",
        sentence=(
            f"The command '{request.name}' was interrupted before its reply, and is not executed a"
            " second time."
        ),
        code="interrupted",
        next_step=LOOK_FIRST,
    )


def _digest(request: CommandRequest) -> str:
    """The hash of a command's arguments, by which a repeated command is compared."""
    text = json.dumps(request.arguments, sort_keys=True)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
